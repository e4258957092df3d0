# The edge functions between a browser and the bucket. Both include `edge/rules.js`.

locals {
  # The part of the contract that the rules use.
  rules_contract = merge({
    patterns = { for key in ["thread", "project"] : key => var.contract.patterns[key] }
    hosts    = var.contract.hosts
    prefixes = { for key in ["preview", "live", "old_previews"] : key => var.contract.prefixes[key] }
  }, local.live_headers)

  # Headers with the original request for workers; see edge/viewer_request.js.
  live_headers = {
    for key in ["live_previews"] : key => { host_header = var.live_previews.host_header, target_header = var.live_previews.target_header }
    if var.live_previews != null
  }

  key_values = merge(
    { for project, domain in local.served_domains : "domain/${domain}" => project },
    { for project, digest in var.preview_password_digests : "password/${project}" => digest if local.create_sites },
  )
}

resource "aws_cloudfront_key_value_store" "this" {
  count = local.create_sites ? 1 : 0

  name    = "${var.prefix}-sites"
  comment = "Custom domains of projects, and password digests of their previews."
}

resource "aws_cloudfrontkeyvaluestore_key" "this" {
  for_each = nonsensitive(toset(keys(local.key_values)))

  key_value_store_arn = one(aws_cloudfront_key_value_store.this).arn
  key                 = each.key
  value               = local.key_values[each.key]
}

resource "aws_cloudfront_function" "viewer_request" {
  count = local.create_sites ? 1 : 0

  name                         = "${var.prefix}-sites"
  comment                      = "Maps host and path to the key of a file."
  runtime                      = "cloudfront-js-2.0"
  publish                      = true
  key_value_store_associations = [one(aws_cloudfront_key_value_store.this).arn]

  # In CloudFront's JavaScript engine, a function sees only the constants that are declared before it.
  code = join("\n", [
    "import cf from 'cloudfront';",
    "import crypto from 'crypto';",
    "const SITES_DOMAIN = ${jsonencode(var.sites_domain)};",
    "const PREVIEW_DOMAIN = ${jsonencode(var.preview_domain)};",
    "const CONTRACT = ${jsonencode(local.rules_contract)};",
    file("${path.module}/edge/rules.js"),
    file("${path.module}/edge/viewer_request.js"),
  ])
}

# Lambda@Edge: in us-east-1, referenced by version, without environment variables.
resource "aws_lambda_function" "origin_response" {
  provider = aws.global
  count    = local.create_sites ? 1 : 0

  function_name    = "${var.prefix}-missing-pages"
  description      = "Serves other files of a URL, or the site's 404 page, if the bucket lacks the first key."
  role             = one(aws_iam_role.edge).arn
  runtime          = "nodejs22.x"
  handler          = "index.handler"
  filename         = "${var.package_dir}/edge/origin_response.zip"
  source_code_hash = filebase64sha256("${var.package_dir}/edge/origin_response.zip")
  memory_size      = 128
  timeout          = 10
  publish          = true
  skip_destroy     = true # its replicas are deleted hours after its distributions; make destroy deletes the rest
}

resource "aws_iam_role" "edge" {
  count = local.create_sites ? 1 : 0

  name               = "${var.prefix}-missing-pages"
  description        = "Role of the function for missing pages."
  assume_role_policy = data.aws_iam_policy_document.edge_may_assume.json
}

resource "aws_iam_role_policy" "edge" {
  count = local.create_sites ? 1 : 0

  name   = "read-sites"
  role   = one(aws_iam_role.edge).id
  policy = data.aws_iam_policy_document.edge.json
}

data "aws_iam_policy_document" "edge_may_assume" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["lambda.amazonaws.com", "edgelambda.amazonaws.com"]
    }
  }
}

data "aws_iam_policy_document" "edge" {
  source_policy_documents = var.key_use

  statement {
    sid       = "ReadSites"
    actions   = ["s3:GetObject"]
    resources = local.public_files
  }

  # It runs and logs in the region nearest to the viewer.
  statement {
    sid       = "Log"
    actions   = ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["arn:${var.location.partition}:logs:*:${var.location.account}:log-group:/aws/lambda/*.${var.prefix}-missing-pages*"]
  }
}

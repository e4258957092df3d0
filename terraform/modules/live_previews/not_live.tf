# The target for previews that no worker serves: redirects CloudFront to the bucket, or finds the other files of a URL.
# Without live previews, Lambda@Edge does this; CloudFront does not run it for VPC origins.

locals {
  not_live  = "${var.prefix}-not-live"
  files_arn = [for folder in var.shown_folders : "arn:${var.location.partition}:s3:::${var.bucket_name}/${folder}*"]
}

resource "aws_lb_target_group" "not_live" {
  name        = local.not_live
  target_type = "lambda"
}

resource "aws_lb_target_group_attachment" "not_live" {
  target_group_arn = aws_lb_target_group.not_live.arn
  target_id        = aws_lambda_function.not_live.arn

  depends_on = [aws_lambda_permission.not_live]
}

resource "aws_lambda_permission" "not_live" {
  statement_id  = "LoadBalancer"
  function_name = aws_lambda_function.not_live.function_name
  action        = "lambda:InvokeFunction"
  principal     = "elasticloadbalancing.amazonaws.com"
  source_arn    = aws_lb_target_group.not_live.arn
}

resource "aws_lambda_function" "not_live" {
  function_name    = local.not_live
  description      = "Serves previews that no worker serves."
  role             = aws_iam_role.not_live.arn
  runtime          = "nodejs22.x"
  architectures    = ["arm64"]
  handler          = "index.handler"
  filename         = "${var.package_dir}/edge/load_balancer_target.zip"
  source_code_hash = filebase64sha256("${var.package_dir}/edge/load_balancer_target.zip")
  memory_size      = 256
  timeout          = 10
  publish          = true

  environment {
    variables = { BUCKET = var.bucket_name }
  }

  logging_config {
    log_format = "JSON"
    log_group  = aws_cloudwatch_log_group.not_live.name
  }

  depends_on = [aws_iam_role_policy.not_live]
}

resource "aws_cloudwatch_log_group" "not_live" {
  name              = "/aws/lambda/${local.not_live}"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.kms_key_arn
}

resource "aws_iam_role" "not_live" {
  name               = local.not_live
  description        = "Role of the function for previews that no worker serves."
  assume_role_policy = data.aws_iam_policy_document.lambda_may_assume.json
}

resource "aws_iam_role_policy" "not_live" {
  name   = "read-sites"
  role   = aws_iam_role.not_live.id
  policy = data.aws_iam_policy_document.not_live.json
}

data "aws_iam_policy_document" "lambda_may_assume" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["lambda.amazonaws.com"]
    }
  }
}

data "aws_iam_policy_document" "not_live" {
  source_policy_documents = var.key_use

  statement {
    sid       = "ReadSites"
    actions   = ["s3:GetObject"]
    resources = local.files_arn
  }

  statement {
    sid       = "OwnLog"
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["arn:${var.location.partition}:logs:${var.location.region}:${var.location.account}:log-group:/aws/lambda/${local.not_live}:*"]
  }
}

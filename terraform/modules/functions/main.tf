# The Lambda functions: code, layers, role and log group of each.

locals {
  # Layers with their compatible architectures.
  layers = {
    chromium     = [var.architectures.picture]
    dependencies = [var.architecture]
    webordinary  = distinct([var.architecture, var.architectures.picture])
  }

  default_layers = ["dependencies", "webordinary"]

  environment = {
    WEBORDINARY_PREFIX           = var.prefix
    WEBORDINARY_ACCOUNT          = var.location.account
    WEBORDINARY_TIMING           = jsonencode(var.timing)
    POWERTOOLS_METRICS_NAMESPACE = var.metrics_namespace
    POWERTOOLS_LOG_LEVEL         = var.log_level
    PYDANTIC_DISABLE_PLUGINS     = "__all__" # plugin discovery would slow down every cold start
  }
}

resource "aws_lambda_layer_version" "this" {
  for_each = local.layers

  layer_name               = "${var.prefix}-${each.key}"
  s3_bucket                = module.packages.name
  s3_key                   = aws_s3_object.package["layers/${each.key}.zip"].key
  source_code_hash         = filebase64sha256("${var.package_dir}/layers/${each.key}.zip")
  compatible_runtimes      = ["python3.13"]
  compatible_architectures = each.value

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_lambda_function" "this" {
  for_each = local.functions

  function_name                  = var.function_names[each.key]
  publish                        = true
  role                           = aws_iam_role.this[each.key].arn
  runtime                        = "python3.13"
  architectures                  = [lookup(var.architectures, each.key, var.architecture)]
  handler                        = "handler.handler"
  s3_bucket                      = module.packages.name
  s3_key                         = aws_s3_object.package["functions/${each.key}.zip"].key
  source_code_hash               = filebase64sha256("${var.package_dir}/functions/${each.key}.zip")
  layers                         = [for layer in lookup(each.value, "layers", local.default_layers) : aws_lambda_layer_version.this[layer].arn]
  timeout                        = each.value.timeout
  memory_size                    = each.value.memory
  reserved_concurrent_executions = lookup(var.reserved_concurrency, each.key, -1)

  environment {
    variables = merge(local.environment, { POWERTOOLS_SERVICE_NAME = each.key }, lookup(local.own_environment, each.key, {}))
  }

  logging_config {
    log_format            = "JSON"
    log_group             = aws_cloudwatch_log_group.this[each.key].name
    application_log_level = var.log_level == "WARNING" ? "WARN" : var.log_level # Lambda drops lines below it
  }

  tracing_config {
    mode = var.tracing ? "Active" : "PassThrough"
  }

  depends_on = [aws_iam_role_policy.this]
}

# The alias that all callers use. An apply moves it to the new version, a rollback to an earlier one.
resource "aws_lambda_alias" "live" {
  for_each = local.functions

  name             = var.alias
  description      = "The live version."
  function_name    = aws_lambda_function.this[each.key].function_name
  function_version = aws_lambda_function.this[each.key].version
}

resource "aws_cloudwatch_log_group" "this" {
  for_each = local.functions

  name              = "/aws/lambda/${var.function_names[each.key]}"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.kms_key_arn
}

resource "aws_iam_role" "this" {
  for_each = local.functions

  name               = var.function_names[each.key]
  assume_role_policy = data.aws_iam_policy_document.lambda_may_assume.json
}

resource "aws_iam_role_policy" "this" {
  for_each = local.functions

  name   = "function"
  role   = aws_iam_role.this[each.key].id
  policy = data.aws_iam_policy_document.this[each.key].json
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

data "aws_iam_policy_document" "this" {
  for_each = local.functions

  source_policy_documents = concat([data.aws_iam_policy_document.permissions[each.key].json], var.key_use)

  statement {
    sid     = "OwnLog"
    actions = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = [
      "arn:${var.location.partition}:logs:${var.location.region}:${var.location.account}:log-group:/aws/lambda/${var.function_names[each.key]}:*",
    ]
  }

  dynamic "statement" {
    for_each = var.tracing ? [1] : []

    content {
      sid       = "Traces"
      actions   = ["xray:PutTraceSegments", "xray:PutTelemetryRecords"]
      resources = ["*"] # X-Ray supports no resources for these
    }
  }
}

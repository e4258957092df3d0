# The state machine that processes one mail, from arrival to reply.

resource "aws_sfn_state_machine" "this" {
  name       = var.name
  type       = "STANDARD"
  publish    = true
  role_arn   = aws_iam_role.this.arn
  definition = templatefile(var.definition_file, { functions = var.function_arns, timing = var.timing })

  logging_configuration {
    level                  = "ERROR"
    include_execution_data = false # mails are private
    log_destination        = "${aws_cloudwatch_log_group.this.arn}:*"
  }

  tracing_configuration {
    enabled = var.tracing
  }

  depends_on = [aws_iam_role_policy.this]
}

# The alias that intake starts. An apply moves it to the new version, a rollback to an earlier one. Running executions
# keep their version.
resource "aws_sfn_alias" "live" {
  name        = var.alias
  description = "The live version."

  routing_configuration {
    state_machine_version_arn = aws_sfn_state_machine.this.state_machine_version_arn
    weight                    = 100
  }
}

resource "aws_cloudwatch_log_group" "this" {
  # Step Functions requires this name prefix once an account has many log groups with vended logs.
  name              = "/aws/vendedlogs/states/${var.name}"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.kms_key_arn
}

resource "aws_iam_role" "this" {
  name               = var.name
  assume_role_policy = data.aws_iam_policy_document.states_may_assume.json
}

resource "aws_iam_role_policy" "this" {
  name   = "state-machine"
  role   = aws_iam_role.this.id
  policy = data.aws_iam_policy_document.this.json
}

data "aws_iam_policy_document" "states_may_assume" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["states.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [var.location.account]
    }
  }
}

data "aws_iam_policy_document" "this" {
  statement {
    sid     = "InvokeFunctions"
    actions = ["lambda:InvokeFunction"]
    # Also without the alias, for executions that started before the alias existed.
    resources = flatten([for arn in values(var.function_arns) : [arn, trimsuffix(arn, ":${var.alias}")]])
  }

  statement {
    sid = "DeliverLogs"
    actions = [
      "logs:CreateLogDelivery",
      "logs:DeleteLogDelivery",
      "logs:DescribeLogGroups",
      "logs:DescribeResourcePolicies",
      "logs:GetLogDelivery",
      "logs:ListLogDeliveries",
      "logs:PutResourcePolicy",
      "logs:UpdateLogDelivery",
    ]
    resources = ["*"] # log delivery supports no resources
  }

  dynamic "statement" {
    for_each = var.tracing ? [1] : []

    content {
      sid       = "Traces"
      actions   = ["xray:PutTraceSegments", "xray:PutTelemetryRecords", "xray:GetSamplingRules", "xray:GetSamplingTargets"]
      resources = ["*"] # X-Ray supports no resources for these
    }
  }
}

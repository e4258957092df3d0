# Flow logs: connections of the workers, without content.

resource "aws_default_security_group" "this" {
  count = var.create_network ? 1 : 0

  vpc_id = aws_vpc.this[0].id # without rules: resources that use it by mistake have no access
}

resource "aws_flow_log" "this" {
  count = var.create_network ? 1 : 0

  vpc_id               = aws_vpc.this[0].id
  traffic_type         = "ALL"
  log_destination_type = "cloud-watch-logs"
  log_destination      = aws_cloudwatch_log_group.flows[0].arn
  iam_role_arn         = aws_iam_role.flows[0].arn
}

resource "aws_cloudwatch_log_group" "flows" {
  count = var.create_network ? 1 : 0

  name              = "/${var.prefix}/flows"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.kms_key_arn
}

resource "aws_iam_role" "flows" {
  count = var.create_network ? 1 : 0

  name               = "${var.prefix}-flow-logs"
  assume_role_policy = data.aws_iam_policy_document.flow_logs_may_assume.json
}

resource "aws_iam_role_policy" "flows" {
  count = var.create_network ? 1 : 0

  name   = "flow-logs"
  role   = aws_iam_role.flows[0].id
  policy = data.aws_iam_policy_document.flows[0].json
}

data "aws_iam_policy_document" "flow_logs_may_assume" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["vpc-flow-logs.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [var.location.account]
    }
  }
}

data "aws_iam_policy_document" "flows" {
  count = var.create_network ? 1 : 0

  statement {
    sid       = "WriteFlowLogs"
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents", "logs:DescribeLogStreams"]
    resources = ["${aws_cloudwatch_log_group.flows[0].arn}:*"]
  }
}

# The task role of a worker may only call the broker. All other permissions come with its pair.

locals {
  account_scope = "${var.location.region}:${var.location.account}"

  queues = { for key, name in var.queue_names : key => "arn:${var.location.partition}:sqs:${local.account_scope}:${name}" }
  tables = { for key, name in var.table_names : key => "arn:${var.location.partition}:dynamodb:${local.account_scope}:table/${name}" }
}

resource "aws_iam_role" "task" {
  name               = "${var.prefix}-worker-task"
  assume_role_policy = data.aws_iam_policy_document.tasks_may_assume.json
}

resource "aws_iam_role_policy" "task" {
  name   = "unclaimed-worker"
  role   = aws_iam_role.task.id
  policy = data.aws_iam_policy_document.task.json
}

data "aws_iam_policy_document" "tasks_may_assume" {
  statement {
    actions = ["sts:AssumeRole"]

    principals {
      type        = "Service"
      identifiers = ["ecs-tasks.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [var.location.account]
    }
  }
}

data "aws_iam_policy_document" "task" {
  # With and without alias: AWS does not document which ARN it checks for a call with a qualifier.
  statement {
    sid       = "GetBrokerUrl"
    actions   = ["lambda:GetFunctionUrlConfig"]
    resources = [var.broker.function_arn, join(":", slice(split(":", var.broker.function_arn), 0, 7))]
  }

  statement {
    sid       = "CallBroker"
    actions   = ["lambda:InvokeFunctionUrl"]
    resources = [var.broker.function_arn]

    condition {
      test     = "StringEquals"
      variable = "lambda:FunctionUrlAuthType"
      values   = ["AWS_IAM"]
    }
  }

  # Lambda requires both. A direct invocation could forge the caller in the event.
  statement {
    sid       = "CallBrokerByUrlOnly"
    actions   = ["lambda:InvokeFunction"]
    resources = [var.broker.function_arn]

    condition {
      test     = "Bool"
      variable = "lambda:InvokedViaFunctionUrl"
      values   = ["true"]
    }
  }
}

# The execution role, with which ECS starts the container.

resource "aws_iam_role" "execution" {
  name               = "${var.prefix}-worker-execution"
  assume_role_policy = data.aws_iam_policy_document.tasks_may_assume.json
}

resource "aws_iam_role_policy" "execution" {
  name   = "start-workers"
  role   = aws_iam_role.execution.id
  policy = data.aws_iam_policy_document.execution.json
}

data "aws_iam_policy_document" "execution" {
  statement {
    sid       = "LogInToEcr"
    actions   = ["ecr:GetAuthorizationToken"]
    resources = ["*"] # the token is not limited to a repository
  }

  statement {
    sid       = "PullImage"
    actions   = ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"]
    resources = ["arn:${var.location.partition}:ecr:${local.account_scope}:repository/*"]
  }

  statement {
    sid       = "WriteLogs"
    actions   = ["logs:CreateLogStream", "logs:PutLogEvents"]
    resources = ["${aws_cloudwatch_log_group.this.arn}:*"]
  }

  dynamic "statement" {
    for_each = compact([var.anthropic_api_key_arn])

    content {
      sid       = "ReadModelKey"
      actions   = strcontains(statement.value, ":secretsmanager:") ? ["secretsmanager:GetSecretValue"] : ["ssm:GetParameters"]
      resources = [statement.value]
    }
  }

  dynamic "statement" {
    for_each = var.anthropic_api_key_arn == null ? [] : var.kms_key_arn[*]

    content {
      sid       = "DecryptModelKey"
      actions   = ["kms:Decrypt"]
      resources = [statement.value]

      condition {
        test     = "StringEquals"
        variable = "kms:ViaService"
        values   = [for service in ["secretsmanager", "ssm"] : "${service}.${var.location.region}.amazonaws.com"]
      }
    }
  }
}

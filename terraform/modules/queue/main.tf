# One queue, and the queue for its dead letters if it has one.

locals {
  arn_prefix      = "arn:${var.location.partition}:sqs:${var.location.region}:${var.location.account}"
  arn             = "${local.arn_prefix}:${var.name}"
  dead_letter_arn = var.dead_letter_name == null ? null : "${local.arn_prefix}:${var.dead_letter_name}"
  fifo            = endswith(var.name, ".fifo")
}

resource "aws_sqs_queue" "this" {
  name                        = var.name
  fifo_queue                  = local.fifo
  content_based_deduplication = local.fifo ? false : null # the sender names what counts as the same message
  deduplication_scope         = local.fifo ? "messageGroup" : null
  fifo_throughput_limit       = local.fifo ? "perMessageGroupId" : null
  visibility_timeout_seconds  = var.visibility_seconds
  message_retention_seconds   = var.retention_seconds
  receive_wait_time_seconds   = var.long_poll_seconds
  sqs_managed_sse_enabled     = true
  policy                      = data.aws_iam_policy_document.this.json

  redrive_policy = var.dead_letter_name == null ? null : jsonencode({
    deadLetterTargetArn = local.dead_letter_arn
    maxReceiveCount     = var.attempts
  })

  depends_on = [aws_sqs_queue.dead_letters]
}

data "aws_iam_policy_document" "this" {
  source_policy_documents = var.policy_documents

  statement {
    sid       = "OnlyOverTls"
    effect    = "Deny"
    actions   = ["sqs:*"]
    resources = [local.arn]

    principals {
      type        = "*"
      identifiers = ["*"]
    }

    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }
}

# SQS refuses a redrive policy whose target does not exist yet, so the dead-letter queue comes first.
# The provider waits 25 s for every queue: where the endpoint does not insist, both are made at once.
resource "aws_sqs_queue" "dead_letters" {
  count = var.dead_letter_name != null && var.dead_letters_first ? 1 : 0

  name                      = var.dead_letter_name
  fifo_queue                = local.fifo
  message_retention_seconds = local.dead_letter_retention_seconds
  sqs_managed_sse_enabled   = true
  policy                    = local.dead_letter_policy
  redrive_allow_policy      = local.dead_letter_redrive_allow_policy
}

resource "aws_sqs_queue" "dead_letters_alongside" {
  count = var.dead_letter_name != null && !var.dead_letters_first ? 1 : 0

  name                      = var.dead_letter_name
  fifo_queue                = local.fifo
  message_retention_seconds = local.dead_letter_retention_seconds
  sqs_managed_sse_enabled   = true
  policy                    = local.dead_letter_policy
  redrive_allow_policy      = local.dead_letter_redrive_allow_policy
}

locals {
  dead_letter_retention_seconds = 14 * 24 * 3600
  dead_letter_policy            = one(data.aws_iam_policy_document.dead_letters[*].json)
  dead_letter_redrive_allow_policy = jsonencode({
    redrivePermission = "byQueue"
    sourceQueueArns   = [local.arn]
  })
}

data "aws_iam_policy_document" "dead_letters" {
  count = var.dead_letter_name == null ? 0 : 1

  statement {
    sid       = "OnlyOverTls"
    effect    = "Deny"
    actions   = ["sqs:*"]
    resources = [local.dead_letter_arn]

    principals {
      type        = "*"
      identifiers = ["*"]
    }

    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }
}

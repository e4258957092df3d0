# An encrypted queue that requires TLS, with an optional dead-letter queue.

locals {
  arn_prefix      = "arn:${var.location.partition}:sqs:${var.location.region}:${var.location.account}"
  arn             = "${local.arn_prefix}:${var.name}"
  dead_letter_arn = var.dead_letter_name == null ? null : "${local.arn_prefix}:${var.dead_letter_name}"
  fifo            = endswith(var.name, ".fifo")
}

resource "aws_sqs_queue" "this" {
  name                        = var.name
  fifo_queue                  = local.fifo
  content_based_deduplication = local.fifo ? false : null # the sender sets the deduplication id
  deduplication_scope         = local.fifo ? "messageGroup" : null
  fifo_throughput_limit       = local.fifo ? "perMessageGroupId" : null
  visibility_timeout_seconds  = var.visibility_seconds
  message_retention_seconds   = var.retention_seconds
  receive_wait_time_seconds   = var.long_poll_seconds
  sqs_managed_sse_enabled     = var.kms_key_arn == null ? true : null # the two are exclusive
  kms_master_key_id           = var.kms_key_arn
  policy                      = data.aws_iam_policy_document.this.json

  redrive_policy = var.dead_letter_name == null ? null : jsonencode({
    deadLetterTargetArn = aws_sqs_queue.dead_letters[0].arn
    maxReceiveCount     = var.attempts
  })
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

resource "aws_sqs_queue" "dead_letters" {
  count = var.dead_letter_name == null ? 0 : 1

  name                      = var.dead_letter_name
  fifo_queue                = local.fifo
  message_retention_seconds = 14 * 24 * 3600
  sqs_managed_sse_enabled   = var.kms_key_arn == null ? true : null
  kms_master_key_id         = var.kms_key_arn
  policy                    = data.aws_iam_policy_document.dead_letters[0].json

  # By name, because the queue already refers to this one.
  redrive_allow_policy = jsonencode({
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

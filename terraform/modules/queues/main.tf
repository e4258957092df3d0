# The queues that all projects share.

module "email" {
  source = "../queue"

  name               = var.names.email
  dead_letter_name   = var.names.email_dead_letters
  location           = var.location
  kms_key_arn        = var.kms_key_arn
  attempts           = var.attempts
  visibility_seconds = 6 * var.function_timeouts.intake
  policy_documents   = [data.aws_iam_policy_document.raw_mail.json]
}

data "aws_iam_policy_document" "raw_mail" {
  statement {
    sid       = "NotifyNewMail"
    actions   = ["sqs:SendMessage"]
    resources = ["arn:${var.location.partition}:sqs:${var.location.region}:${var.location.account}:${var.names.email}"]

    principals {
      type        = "Service"
      identifiers = ["s3.amazonaws.com"]
    }

    condition {
      test     = "ArnEquals"
      variable = "aws:SourceArn"
      values   = ["arn:${var.location.partition}:s3:::${var.raw_mail_bucket}"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [var.location.account]
    }
  }
}

module "unclaimed" {
  source = "../queue"

  name               = var.names.unclaimed
  dead_letter_name   = var.names.unclaimed_dead_letters
  location           = var.location
  kms_key_arn        = var.kms_key_arn
  visibility_seconds = var.timing.lease_seconds
  retention_seconds  = 3600 # the sweep repeats requests for jobs that still wait
  long_poll_seconds  = var.timing.long_poll_seconds

  # A request is received repeatedly until the lease of a dead owner expires.
  attempts = 10 * var.attempts
}

module "output" {
  source = "../queue"

  name               = var.names.output
  dead_letter_name   = var.names.output_dead_letters
  location           = var.location
  kms_key_arn        = var.kms_key_arn
  attempts           = var.attempts
  visibility_seconds = 6 * var.function_timeouts.relay_callback
}

# Dead letters of all pairs' input queues, which are created at run time.
module "input_dead_letters" {
  source = "../queue"

  name              = var.names.input_dead_letters
  location          = var.location
  kms_key_arn       = var.kms_key_arn
  retention_seconds = 14 * 24 * 3600
}

# AWS requires the dead-letter queue first. The emulator accepts the ARN of a later queue, so both are created at once:
# the provider waits 25 s for each queue.

resource "aws_sqs_queue" "this" {
  redrive_policy = var.dead_letter_name == null ? null : jsonencode({
    deadLetterTargetArn = local.dead_letter_arn
    maxReceiveCount     = var.attempts
  })
}

# AWS wants the dead-letter queue first. The emulator takes the ARN of one that comes later, so both are made at once:
# the provider waits 25 s for each queue.

resource "aws_sqs_queue" "this" {
  redrive_policy = var.dead_letter_name == null ? null : jsonencode({
    deadLetterTargetArn = local.dead_letter_arn
    maxReceiveCount     = var.attempts
  })
}

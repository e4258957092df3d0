module "queues" {
  source = "../.."

  location          = { partition = "aws", region = "eu-west-1", account = "123456789012" }
  timing            = { lease_seconds = 60, long_poll_seconds = 6 }
  function_timeouts = { intake = 30, relay_callback = 30 }
  raw_mail_bucket   = "webordinary-raw-mail-123456789012"
  attempts          = 5

  names = {
    email                  = "webordinary-email"
    email_dead_letters     = "webordinary-email-dlq"
    unclaimed              = "webordinary-unclaimed"
    unclaimed_dead_letters = "webordinary-unclaimed-dlq"
    output                 = "webordinary-output.fifo"
    output_dead_letters    = "webordinary-output-dlq.fifo"
    input_dead_letters     = "webordinary-input-dlq.fifo"
  }
}

module "monitoring" {
  source = "../.."

  prefix                  = "webordinary"
  location                = { partition = "aws", region = "eu-west-1", account = "123456789012" }
  alarm_address           = "platform@example.com"
  claim_wait_seconds      = 600
  queue_names             = { email = "webordinary-email", unclaimed = "webordinary-unclaimed", output = "webordinary-output.fifo" }
  dead_letter_queue_names = ["webordinary-email-dlq"]
  function_names          = { intake = "webordinary-intake", sweep = "webordinary-sweep" }
  state_machine_arn       = "arn:aws:states:eu-west-1:123456789012:stateMachine:webordinary-email-processor"
  metrics_namespace       = "webordinary"
}

module "workflow" {
  source = "../.."

  name               = "webordinary-email-processor"
  location           = { partition = "aws", region = "eu-west-1", account = "123456789012" }
  definition_file    = "../statemachine/email_processor.asl.json"
  timing             = { dispatch_timeout_seconds = 259200, heartbeat_seconds = 300, picture_seconds = 15 }
  log_retention_days = 30
  tracing            = true

  function_arns = {
    parse_email        = "arn:aws:lambda:eu-west-1:123456789012:function:webordinary-parse-email"
    process_attachment = "arn:aws:lambda:eu-west-1:123456789012:function:webordinary-process-attachment"
    check_ownership    = "arn:aws:lambda:eu-west-1:123456789012:function:webordinary-check-ownership"
    claim              = "arn:aws:lambda:eu-west-1:123456789012:function:webordinary-claim"
    control            = "arn:aws:lambda:eu-west-1:123456789012:function:webordinary-control"
    dispatch           = "arn:aws:lambda:eu-west-1:123456789012:function:webordinary-dispatch"
    picture            = "arn:aws:lambda:eu-west-1:123456789012:function:webordinary-picture"
    reply              = "arn:aws:lambda:eu-west-1:123456789012:function:webordinary-reply"
  }
}

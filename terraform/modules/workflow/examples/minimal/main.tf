module "workflow" {
  source = "../.."

  name               = "webordinary-email-processor"
  alias              = "live"
  location           = { partition = "aws", region = "eu-west-1", account = "123456789012" }
  definition_file    = "../statemachine/email_processor.asl.json"
  timing             = { dispatch_timeout_seconds = 259200, heartbeat_seconds = 3600, picture_seconds = 15 }
  log_retention_days = 30
  tracing            = true

  function_arns = {
    parse_email        = "arn:aws:lambda:eu-west-1:123456789012:function:webordinary-parse-email:live"
    process_attachment = "arn:aws:lambda:eu-west-1:123456789012:function:webordinary-process-attachment:live"
    check_ownership    = "arn:aws:lambda:eu-west-1:123456789012:function:webordinary-check-ownership:live"
    claim              = "arn:aws:lambda:eu-west-1:123456789012:function:webordinary-claim:live"
    control            = "arn:aws:lambda:eu-west-1:123456789012:function:webordinary-control:live"
    dispatch           = "arn:aws:lambda:eu-west-1:123456789012:function:webordinary-dispatch:live"
    picture            = "arn:aws:lambda:eu-west-1:123456789012:function:webordinary-picture:live"
    reply              = "arn:aws:lambda:eu-west-1:123456789012:function:webordinary-reply:live"
  }
}

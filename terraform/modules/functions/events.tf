# Triggers of the functions that the state machine does not invoke.

locals {
  queue_readers = {
    intake         = var.queue_arns.email
    relay_callback = var.queue_arns.output
  }

  worker_ended = jsonencode({
    source        = ["aws.ecs"]
    "detail-type" = ["ECS Task State Change"]
    # ECS sends about five events of a task that ends. With this one, its slot can be taken again.
    detail = { clusterArn = [var.fleet.cluster_arn], lastStatus = ["DEPROVISIONING"] }
  })

  sweep_minutes = max(1, ceil(var.timing.sweep_seconds / 60))
}

resource "aws_lambda_event_source_mapping" "queue" {
  for_each = local.queue_readers

  event_source_arn        = each.value
  function_name           = aws_lambda_alias.live[each.key].arn
  batch_size              = 10
  function_response_types = ["ReportBatchItemFailures"]
}

resource "aws_cloudwatch_event_rule" "sweep" {
  name                = var.function_names.sweep
  description         = "Runs the sweep."
  schedule_expression = local.sweep_minutes == 1 ? "rate(1 minute)" : "rate(${local.sweep_minutes} minutes)"
}

resource "aws_cloudwatch_event_target" "sweep" {
  rule = aws_cloudwatch_event_rule.sweep.name
  arn  = aws_lambda_alias.live["sweep"].arn
}

resource "aws_lambda_permission" "sweep" {
  statement_id  = "Schedule"
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_alias.live["sweep"].function_name
  qualifier     = aws_lambda_alias.live["sweep"].name
  principal     = "events.amazonaws.com"
  source_arn    = aws_cloudwatch_event_rule.sweep.arn
}

# The fleet function runs for every worker request (claim, dispatch and sweep invoke it), when a worker ends, and every
# minute, in case an invocation was lost.

resource "aws_cloudwatch_event_rule" "fleet" {
  for_each = {
    schedule     = { description = "Scales the fleet to demand.", pattern = null }
    worker-ended = { description = "A worker has ended.", pattern = local.worker_ended }
  }

  name                = "${var.function_names.fleet}-${each.key}"
  description         = each.value.description
  schedule_expression = each.value.pattern == null ? "rate(1 minute)" : null
  event_pattern       = each.value.pattern
}

resource "aws_cloudwatch_event_target" "fleet" {
  for_each = aws_cloudwatch_event_rule.fleet

  rule = each.value.name
  arn  = aws_lambda_alias.live["fleet"].arn
}

resource "aws_lambda_permission" "fleet" {
  for_each = aws_cloudwatch_event_rule.fleet

  statement_id  = title(replace(each.key, "-", ""))
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_alias.live["fleet"].function_name
  qualifier     = aws_lambda_alias.live["fleet"].name
  principal     = "events.amazonaws.com"
  source_arn    = each.value.arn
}

# Both run every minute, so an invocation that could not start at once is worth nothing later.
resource "aws_lambda_function_event_invoke_config" "this" {
  for_each = toset(["fleet", "sweep"])

  function_name                = aws_lambda_alias.live[each.key].function_name
  qualifier                    = aws_lambda_alias.live[each.key].name
  maximum_event_age_in_seconds = 60
  maximum_retry_attempts       = 0
}

# Workers call the broker by its URL, because only then Lambda passes the caller's identity. Their role allows it
# (modules/workers/roles.tf). No role may invoke it directly, because the caller could be forged.

resource "aws_lambda_function_url" "broker" {
  function_name      = aws_lambda_alias.live["broker"].function_name
  qualifier          = aws_lambda_alias.live["broker"].name
  authorization_type = "AWS_IAM"
}

# Somebody is told when a mail may not get its answer.

resource "aws_sns_topic" "alarms" {
  # Not encrypted with the key of SNS itself: CloudWatch alarms cannot publish to a topic that is.
  name = "${var.prefix}-alarms"
}

resource "aws_sns_topic_subscription" "alarms" {
  count = var.alarm_address == null ? 0 : 1

  topic_arn = aws_sns_topic.alarms.arn
  protocol  = "email"
  endpoint  = var.alarm_address
}

resource "aws_cloudwatch_metric_alarm" "dead_letters" {
  for_each = toset(var.dead_letter_queue_names)

  alarm_name          = "${each.key}-has-letters"
  alarm_description   = "Messages failed for good. See what they are, mend the cause, then replay them."
  namespace           = "AWS/SQS"
  metric_name         = "ApproximateNumberOfMessagesVisible"
  dimensions          = { QueueName = each.key }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]
  ok_actions          = [aws_sns_topic.alarms.arn]
}

locals {
  oldest_message_seconds = {
    email     = { seconds = 300, meaning = "New mail is not taken up: intake fails or is throttled." }
    unclaimed = { seconds = var.claim_wait_seconds, meaning = "Claim requests find no worker: the service does not start any, or all are busy." }
    output    = { seconds = 300, meaning = "Workers' reports are not relayed: answers are late." }
  }
}

resource "aws_cloudwatch_metric_alarm" "oldest_message" {
  for_each = local.oldest_message_seconds

  alarm_name          = "${var.queue_names[each.key]}-waits-too-long"
  alarm_description   = each.value.meaning
  namespace           = "AWS/SQS"
  metric_name         = "ApproximateAgeOfOldestMessage"
  dimensions          = { QueueName = var.queue_names[each.key] }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 3
  threshold           = each.value.seconds
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]
  ok_actions          = [aws_sns_topic.alarms.arn]
}

resource "aws_cloudwatch_metric_alarm" "executions" {
  for_each = toset(["ExecutionsFailed", "ExecutionsTimedOut", "ExecutionsAborted"])

  alarm_name          = "${var.prefix}-${each.key}"
  alarm_description   = "A mail's execution ended without an answer."
  namespace           = "AWS/States"
  metric_name         = each.key
  dimensions          = { StateMachineArn = var.state_machine_arn }
  statistic           = "Sum"
  period              = 60
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]
}

resource "aws_cloudwatch_metric_alarm" "function_errors" {
  for_each = var.function_names

  alarm_name          = "${each.value}-errors"
  alarm_description   = "The function ${each.key} fails again and again."
  namespace           = "AWS/Lambda"
  metric_name         = "Errors"
  dimensions          = { FunctionName = each.value }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 3
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]
  ok_actions          = [aws_sns_topic.alarms.arn]
}

resource "aws_cloudwatch_metric_alarm" "sweep_missing" {
  alarm_name          = "${var.function_names.sweep}-missing"
  alarm_description   = "The sweeper has not run for ten minutes: waiting jobs may time out and lost messages stay lost."
  namespace           = "AWS/Lambda"
  metric_name         = "Invocations"
  dimensions          = { FunctionName = var.function_names.sweep }
  statistic           = "Sum"
  period              = 600
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "LessThanThreshold"
  treat_missing_data  = "breaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]
  ok_actions          = [aws_sns_topic.alarms.arn]
}

resource "aws_cloudwatch_metric_alarm" "breaker_open" {
  alarm_name          = "${var.prefix}-claim-breaker-open"
  alarm_description   = "Several claim requests for one pair found no worker: its jobs are given up and answered so."
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]

  metric_query {
    id          = "refused"
    expression  = "SUM(METRICS())"
    label       = "Claim requests refused by an open breaker"
    return_data = true
  }

  dynamic "metric_query" {
    for_each = toset(["claim", "dispatch", "sweep"])

    content {
      id = metric_query.value

      metric {
        namespace   = var.metrics_namespace
        metric_name = "Claims.breaker_open"
        dimensions  = { service = metric_query.value }
        stat        = "Sum"
        period      = 300
      }
    }
  }
}

# Each is one tenant's trouble, which is why nothing else shows it.
resource "aws_cloudwatch_metric_alarm" "passed_over" {
  for_each = {
    "Sweep.not_done"      = { service = "sweep", description = "The sweeper fails on a job again and again, and passes it over." }
    "Sweep.unreadable"    = { service = "sweep", description = "A job's record cannot be read; its sender is answered when the wait ends." }
    "Budget.nearly_spent" = { service = "parse_email", description = "A project or a sender has used four fifths of what it may cost in a day." }
    "Broker.strangers"    = { service = "broker", description = "Somebody who is no worker called the broker." }
    ForeignReports        = { service = "relay_callback", description = "A report came from somebody else than the owner of its pair." }
  }

  alarm_name          = "${var.prefix}-${each.key}"
  alarm_description   = each.value.description
  namespace           = var.metrics_namespace
  metric_name         = each.key
  dimensions          = { service = each.value.service }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = startswith(each.key, "Sweep.") ? 2 : 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]
}

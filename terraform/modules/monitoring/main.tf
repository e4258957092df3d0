# Somebody is told when a mail may not get its answer. Every alarm names the page that says what to do.

locals {
  runbooks = "docs/runbooks"
}

resource "aws_sns_topic" "alarms" {
  name = "${var.prefix}-alarms"
  # Never with the key of SNS itself: CloudWatch alarms cannot publish to a topic that is encrypted with that.
  kms_master_key_id = var.kms_key_arn
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
  alarm_description   = "Messages failed for good. See what they are, mend the cause, then replay them. ${local.runbooks}/dead-letters.md"
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
    email     = { seconds = 300, meaning = "New mail is not taken up: intake fails or is throttled. ${local.runbooks}/mail-not-taken.md" }
    unclaimed = { seconds = var.claim_wait_seconds, meaning = "Worker requests find no worker: none can be started, or all are busy. ${local.runbooks}/no-worker.md" }
    output    = { seconds = 300, meaning = "Workers' reports are not relayed: answers are late. ${local.runbooks}/answer-missing.md" }
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
  alarm_description   = "A mail's execution ended without an answer. ${local.runbooks}/answer-missing.md"
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
  alarm_description   = "The function ${each.key} fails again and again. ${local.runbooks}/function-errors.md"
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
  alarm_description   = "The sweeper has not run for ten minutes: waiting jobs may time out and lost messages stay lost. ${local.runbooks}/sweep.md"
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
  alarm_description   = "Several worker requests for one pair found no worker: its jobs are given up and answered so. ${local.runbooks}/no-worker.md"
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]

  metric_query {
    id          = "refused"
    expression  = "SUM(METRICS())"
    label       = "Worker requests refused by an open breaker"
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

# What the functions and workers count themselves. Most of it is one tenant's trouble, which is why nothing else shows it.
locals {
  counted = {
    "Sweep.not_done"      = { service = "sweep", periods = 2, runbook = "sweep", meaning = "The sweeper fails on a job again and again, and passes it over." }
    "Sweep.unreadable"    = { service = "sweep", periods = 2, runbook = "sweep", meaning = "A job's record cannot be read; its sender is answered when the wait ends." }
    "Sweep.incomplete"    = { service = "sweep", periods = 3, runbook = "sweep", meaning = "The sweeper does not get through all open jobs in its time." }
    "Sweep.dead_letters"  = { service = "sweep", periods = 1, runbook = "dead-letters", meaning = "The sweeper has taken dead letters and answered their senders; a queue may look empty again." }
    "Sweep.given_up"      = { service = "sweep", periods = 1, runbook = "no-worker", meaning = "Jobs were given up because no worker took them." }
    "Fleet.not_started"   = { service = "fleet", periods = 3, runbook = "no-worker", meaning = "ECS does not start workers: no capacity, a quota, or an image that is not there." }
    ForeignReports        = { service = "relay_callback", periods = 1, runbook = "foreign-reports", meaning = "A report came from somebody else than the owner of its pair." }
    RepositoryRefused     = { service = "worker", periods = 1, runbook = "repository-refused", meaning = "A repository refuses its credential." }
    MailsNotStarted       = { service = "intake", periods = 1, runbook = "mail-not-taken", meaning = "Mails could not be started; their notification comes again." }
    "Budget.nearly_spent" = { service = "parse_email", periods = 1, runbook = "budgets", meaning = "A project or a sender has used four fifths of what it may cost in a day." }
    "Broker.strangers"    = { service = "broker", periods = 1, runbook = "foreign-reports", meaning = "Somebody who is no worker called the broker." }
  }
}

resource "aws_cloudwatch_metric_alarm" "counted" {
  for_each = local.counted

  alarm_name          = "${var.prefix}-${each.key}"
  alarm_description   = "${each.value.meaning} ${local.runbooks}/${each.value.runbook}.md"
  namespace           = var.metrics_namespace
  metric_name         = each.key
  dimensions          = { service = each.value.service }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = each.value.periods
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]
}

resource "aws_cloudwatch_metric_alarm" "throttled" {
  alarm_name          = "${var.prefix}-functions-throttled"
  alarm_description   = "Functions are held back: the account's concurrency is used up. ${local.runbooks}/function-errors.md"
  namespace           = "AWS/Lambda"
  metric_name         = "Throttles"
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 2
  threshold           = 10
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]
}

# SES pauses an account at 10 % bounces or 0.5 % complaints, and warns at half of that.
resource "aws_cloudwatch_metric_alarm" "reputation" {
  for_each = { BounceRate = 0.05, ComplaintRate = 0.001 }

  alarm_name          = "${var.prefix}-${each.key}"
  alarm_description   = "Our answers bounce or are complained about; SES may stop sending. ${local.runbooks}/bounces.md"
  namespace           = "AWS/SES"
  metric_name         = "Reputation.${each.key}"
  statistic           = "Maximum"
  period              = 3600
  evaluation_periods  = 1
  threshold           = each.value
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]
}

resource "aws_budgets_budget" "monthly" {
  count = var.monthly_budget_dollars == null || var.alarm_address == null ? 0 : 1

  name         = "${var.prefix}-monthly"
  budget_type  = "COST"
  limit_amount = tostring(var.monthly_budget_dollars)
  limit_unit   = "USD"
  time_unit    = "MONTHLY"

  cost_filter {
    name   = "TagKeyValue"
    values = [format("user:Application$%s", var.prefix)]
  }

  notification {
    comparison_operator        = "GREATER_THAN"
    threshold                  = 80
    threshold_type             = "PERCENTAGE"
    notification_type          = "FORECASTED"
    subscriber_email_addresses = [var.alarm_address]
  }
}

# Alarms for mails that may stay unanswered. Every alarm links to its runbook.

locals {
  runbooks = "docs/runbooks"
}

resource "aws_sns_topic" "alarms" {
  name = "${var.prefix}-alarms"
  # Never SNS's default key: CloudWatch alarms cannot publish to a topic encrypted with it.
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
  alarm_description   = "Messages are in a dead-letter queue. Inspect them, fix the cause, then redrive them. ${local.runbooks}/dead-letters.md"
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
    email     = { seconds = 300, meaning = "New mail is not processed: intake fails or is throttled. ${local.runbooks}/mail-not-taken.md" }
    unclaimed = { seconds = var.claim_wait_seconds, meaning = "Worker requests are not served: no worker can start, or all are busy. ${local.runbooks}/no-worker.md" }
    output    = { seconds = 300, meaning = "Workers' reports are not relayed, so replies are late. ${local.runbooks}/answer-missing.md" }
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
  alarm_description   = "An execution ended without a reply. ${local.runbooks}/answer-missing.md"
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
  alarm_description   = "The function ${each.key} fails repeatedly. ${local.runbooks}/function-errors.md"
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
  alarm_description   = "The sweep has not run for ten minutes: waiting jobs may time out, and lost messages are not recovered. ${local.runbooks}/sweep.md"
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
  alarm_description   = "Several worker requests for one pair found no worker: its jobs fail and their senders are notified. ${local.runbooks}/no-worker.md"
  evaluation_periods  = 1
  threshold           = 0
  comparison_operator = "GreaterThanThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarms.arn]

  metric_query {
    id          = "refused"
    expression  = "SUM(METRICS())"
    label       = "Worker requests rejected by an open circuit breaker"
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

# Custom metrics of functions and workers, for problems of single projects that AWS metrics do not show.
locals {
  counted = {
    "Sweep.not_done"            = { service = "sweep", periods = 2, runbook = "sweep", meaning = "The sweep fails repeatedly on a job and skips it." }
    "Sweep.unreadable"          = { service = "sweep", periods = 2, runbook = "sweep", meaning = "A job record cannot be read; its sender gets a reply when the job times out." }
    "Sweep.incomplete"          = { service = "sweep", periods = 3, runbook = "sweep", meaning = "The sweep does not finish all open jobs within its time limit." }
    "Sweep.dead_letters"        = { service = "sweep", periods = 1, runbook = "dead-letters", meaning = "The sweep has processed dead letters and notified their senders; the queue may be empty again." }
    "Sweep.given_up"            = { service = "sweep", periods = 1, runbook = "no-worker", meaning = "Jobs failed because no worker claimed them." }
    "Fleet.not_started"         = { service = "fleet", periods = 3, runbook = "no-worker", meaning = "ECS does not start workers: no capacity, a quota, or a missing image." }
    ForeignReports              = { service = "relay_callback", periods = 1, runbook = "foreign-reports", meaning = "A report was not sent by the owner of its pair." }
    RepositoryRefused           = { service = "worker", periods = 1, runbook = "repository-refused", meaning = "A repository rejects its credential." }
    ModelBusy                   = { service = "worker", periods = 3, runbook = "model", meaning = "The model's provider is overloaded or throttles; jobs are tried again once, half an hour later." }
    ModelUnavailable            = { service = "worker", periods = 1, runbook = "model", meaning = "The model's provider rejects the model, its key or its permission." }
    MailsNotStarted             = { service = "intake", periods = 1, runbook = "mail-not-taken", meaning = "Executions could not be started; the notifications are retried." }
    "Budget.nearly_spent"       = { service = "parse_email", periods = 1, runbook = "budgets", meaning = "A project or a sender has used 80 % of its daily budget." }
    "Budget.month_nearly_spent" = { service = "parse_email", periods = 1, runbook = "budgets", meaning = "A project has used 80 % of its monthly budget." }
    "Broker.strangers"          = { service = "broker", periods = 1, runbook = "foreign-reports", meaning = "A caller that is not a registered worker called the broker." }
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
  alarm_description   = "Functions are throttled: the account's concurrency limit is reached. ${local.runbooks}/function-errors.md"
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

# SES pauses an account at 10 % bounces or 0.5 % complaints, and warns at half of these rates.
resource "aws_cloudwatch_metric_alarm" "reputation" {
  for_each = { BounceRate = 0.05, ComplaintRate = 0.001 }

  alarm_name          = "${var.prefix}-${each.key}"
  alarm_description   = "Replies bounce or cause complaints; SES may pause sending. ${local.runbooks}/bounces.md"
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

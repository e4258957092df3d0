# The dashboard: queues, executions, workers and errors.

locals {
  rows = [
    {
      title = "Queued: mails, worker requests, reports"
      metrics = [for key in ["email", "unclaimed", "output"] :
        ["AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName", var.queue_names[key], { stat = "Maximum" }]
      ]
    },
    {
      title = "Oldest message, seconds"
      metrics = [for key in ["email", "unclaimed", "output"] :
        ["AWS/SQS", "ApproximateAgeOfOldestMessage", "QueueName", var.queue_names[key], { stat = "Maximum" }]
      ]
    },
    {
      title = "Dead letters"
      metrics = [for name in var.dead_letter_queue_names :
        ["AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName", name, { stat = "Maximum" }]
      ]
    },
    {
      title = "Mails: started, answered, failed"
      metrics = [for name in ["ExecutionsStarted", "ExecutionsSucceeded", "ExecutionsFailed", "ExecutionsTimedOut"] :
        ["AWS/States", name, "StateMachineArn", var.state_machine_arn, { stat = "Sum" }]
      ]
    },
    {
      title = "Time from mail to reply, milliseconds"
      metrics = [for stat in ["p50", "p90", "Maximum"] :
        ["AWS/States", "ExecutionTime", "StateMachineArn", var.state_machine_arn, { stat = stat, label = stat }]
      ]
    },
    {
      title = "Worker requests: sent, rate limited, rejected"
      metrics = [for name in ["sent", "rate_limited", "breaker_open"] :
        [{ expression = "SUM(SEARCH('{${var.metrics_namespace},service} MetricName=\"Claims.${name}\"', 'Sum', 60))", label = name }]
      ]
    },
    {
      title = "Claims: won, lost, dropped"
      metrics = [for name in ["won", "lost", "dropped"] :
        [var.metrics_namespace, "Claims.${name}", "service", "broker", { stat = "Sum", label = name }]
      ]
    },
    {
      title = "Time from worker request to claim, seconds"
      metrics = [for stat in ["p50", "p90", "Maximum"] :
        [var.metrics_namespace, "Claims.seconds_waited", "service", "broker", { stat = stat, label = stat }]
      ]
    },
    {
      title   = "Worker metrics"
      metrics = [[{ expression = "SEARCH('{${var.metrics_namespace},service} service=\"worker\"', 'Average', 60)" }]]
    },
    {
      title = "Workers: total, busy, requested, without a slot"
      metrics = [for name in ["workers", "busy", "waiting", "missing"] :
        [var.metrics_namespace, "Fleet.${name}", "service", "fleet", { stat = "Maximum", label = name }]
      ]
    },
    {
      title   = "Function errors"
      metrics = [for name in values(var.function_names) : ["AWS/Lambda", "Errors", "FunctionName", name, { stat = "Sum" }]]
    },
    {
      title   = "Stale, late, duplicate and unreadable messages; sweep actions"
      metrics = [[{ expression = "SEARCH('{${var.metrics_namespace},service} NOT service=\"worker\" NOT \"Claims\"', 'Sum', 60)" }]]
    },
  ]
}

resource "aws_cloudwatch_dashboard" "this" {
  dashboard_name = var.prefix

  dashboard_body = jsonencode({
    widgets = [for index, row in [for row in local.rows : row if length(row.metrics) > 0] : {
      type   = "metric"
      x      = 12 * (index % 2)
      y      = 6 * floor(index / 2)
      width  = 12
      height = 6
      properties = {
        title   = row.title
        region  = var.location.region
        period  = 60
        view    = "timeSeries"
        stacked = false
        metrics = row.metrics
      }
    }]
  })
}

# From zero to as many workers as claims wait for, and back, one idle worker at a time.

locals {
  # An idle worker polls the unclaimed queue; a busy one does not. So empty receives count the idle workers.
  empty_receives_per_idle_worker = 60 / var.timing.long_poll_seconds
}

resource "aws_appautoscaling_target" "this" {
  count = var.create_service ? 1 : 0

  service_namespace  = "ecs"
  scalable_dimension = "ecs:service:DesiredCount"
  resource_id        = "service/${aws_ecs_cluster.this.name}/${aws_ecs_service.this[0].name}"
  min_capacity       = var.warm_workers
  max_capacity       = var.max_workers
}

resource "aws_appautoscaling_policy" "out" {
  count = var.create_service ? 1 : 0

  name               = "${local.name}-out"
  policy_type        = "StepScaling"
  service_namespace  = aws_appautoscaling_target.this[0].service_namespace
  scalable_dimension = aws_appautoscaling_target.this[0].scalable_dimension
  resource_id        = aws_appautoscaling_target.this[0].resource_id

  step_scaling_policy_configuration {
    adjustment_type         = "ChangeInCapacity"
    metric_aggregation_type = "Maximum"
    cooldown                = 60

    step_adjustment {
      metric_interval_lower_bound = 0
      metric_interval_upper_bound = 2
      scaling_adjustment          = 1
    }

    step_adjustment {
      metric_interval_lower_bound = 2
      metric_interval_upper_bound = 9
      scaling_adjustment          = 3
    }

    step_adjustment {
      metric_interval_lower_bound = 9
      scaling_adjustment          = 10
    }
  }
}

resource "aws_cloudwatch_metric_alarm" "claims_wait" {
  count = var.create_service ? 1 : 0

  alarm_name          = "${local.name}-claims-wait"
  alarm_description   = "Somebody waits for a worker: start one."
  namespace           = "AWS/SQS"
  metric_name         = "ApproximateNumberOfMessagesVisible"
  dimensions          = { QueueName = var.queue_names.unclaimed }
  statistic           = "Maximum"
  period              = 60
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_appautoscaling_policy.out[0].arn]
}

resource "aws_appautoscaling_policy" "in" {
  count = var.create_service ? 1 : 0

  name               = "${local.name}-in"
  policy_type        = "StepScaling"
  service_namespace  = aws_appautoscaling_target.this[0].service_namespace
  scalable_dimension = aws_appautoscaling_target.this[0].scalable_dimension
  resource_id        = aws_appautoscaling_target.this[0].resource_id

  step_scaling_policy_configuration {
    adjustment_type         = "ChangeInCapacity"
    metric_aggregation_type = "Maximum"
    cooldown                = 60 * var.scale_in_minutes

    step_adjustment {
      metric_interval_lower_bound = 0
      scaling_adjustment          = -1
    }
  }
}

# Only an idle worker is taken away. Otherwise the desired count would fall below the number of
# protected, busy workers, and the next worker that is asked for would not be started.
resource "aws_cloudwatch_metric_alarm" "workers_idle" {
  count = var.create_service ? 1 : 0

  alarm_name          = "${local.name}-idle"
  alarm_description   = "More workers are idle than are kept warm: stop one."
  evaluation_periods  = var.scale_in_minutes
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_appautoscaling_policy.in[0].arn]

  metric_query {
    id          = "spare"
    expression  = "IF(FILL(waiting, 0) == 0 AND FILL(polls, 0) > ${var.warm_workers * local.empty_receives_per_idle_worker}, 1, 0)"
    label       = "An idle worker can go"
    return_data = true
  }

  metric_query {
    id = "waiting"

    metric {
      namespace   = "AWS/SQS"
      metric_name = "ApproximateNumberOfMessagesVisible"
      dimensions  = { QueueName = var.queue_names.unclaimed }
      stat        = "Maximum"
      period      = 60
    }
  }

  metric_query {
    id = "polls"

    metric {
      namespace   = "AWS/SQS"
      metric_name = "NumberOfEmptyReceives"
      dimensions  = { QueueName = var.queue_names.unclaimed }
      stat        = "Sum"
      period      = 60
    }
  }
}

output "topic_arn" {
  description = "ARN of the topic that alarms are sent to."
  value       = aws_sns_topic.alarms.arn
}

output "dashboard_name" {
  description = "Name of the dashboard."
  value       = aws_cloudwatch_dashboard.this.dashboard_name
}

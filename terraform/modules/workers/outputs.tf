output "cluster_name" {
  description = "Name of the ECS cluster."
  value       = aws_ecs_cluster.this.name
}

output "service_name" {
  description = "Name of the ECS service, or null where workers are started otherwise."
  value       = one(aws_ecs_service.this[*].name)
}

output "task_definition_arn" {
  description = "ARN of the task definition."
  value       = aws_ecs_task_definition.this.arn
}

output "task_role_arn" {
  description = "ARN of the role that a worker starts with."
  value       = aws_iam_role.task.arn
}

output "access_role_arn" {
  description = "ARN of the role that a worker assumes for the pair it has claimed."
  value       = aws_iam_role.access.arn
}

output "access_role_id" {
  description = "Unique id of that role, by which SQS names who sent a message."
  value       = aws_iam_role.access.unique_id
}

output "log_group" {
  description = "Log group of the workers."
  value       = aws_cloudwatch_log_group.this.name
}

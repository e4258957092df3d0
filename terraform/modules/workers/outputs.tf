output "cluster_name" {
  description = "Name of the ECS cluster."
  value       = aws_ecs_cluster.this.name
}

output "task_definition_arn" {
  description = "ARN of the task definition."
  value       = aws_ecs_task_definition.this.arn
}

output "task_role_arn" {
  description = "ARN of the task role of workers."
  value       = aws_iam_role.task.arn
}

output "access_role_arn" {
  description = "ARN of the role that workers use for their pair."
  value       = aws_iam_role.access.arn
}

output "access_role_id" {
  description = "Unique id of that role, which SQS reports as the sender of messages."
  value       = aws_iam_role.access.unique_id
}

output "log_group" {
  description = "Log group of the workers."
  value       = aws_cloudwatch_log_group.this.name
}

output "fleet" {
  description = "Settings to start workers: cluster, task definition, roles to pass, network."
  value = {
    cluster             = aws_ecs_cluster.this.name
    cluster_arn         = aws_ecs_cluster.this.arn
    task_definition_arn = aws_ecs_task_definition.this.arn
    family              = aws_ecs_task_definition.this.family
    role_arns           = [aws_iam_role.task.arn, aws_iam_role.execution.arn]
    subnet_ids          = var.create_network ? aws_subnet.this[*].id : var.subnet_ids
    security_group_ids  = var.create_network ? aws_security_group.this[*].id : var.security_group_ids
    public_addresses    = var.create_network # the network has no NAT gateway, which would cost more than the workers
  }

  # Workers must not start before their permissions exist.
  depends_on = [aws_ecs_cluster_capacity_providers.this, aws_iam_role_policy.task, aws_iam_role_policy.execution]
}

output "network" {
  description = "Subnets for a load balancer and the workers' security groups; null without live previews."
  value = var.live_port == null ? null : {
    vpc_id             = var.create_network ? one(aws_vpc.this[*].id) : one(data.aws_subnet.given[*].vpc_id)
    subnet_ids         = var.create_network ? aws_subnet.load_balancer[*].id : var.subnet_ids
    security_group_ids = var.create_network ? aws_security_group.this[*].id : var.security_group_ids
  }
}

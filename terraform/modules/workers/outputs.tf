output "cluster_name" {
  description = "Name of the ECS cluster."
  value       = aws_ecs_cluster.this.name
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
  description = "ARN of the role in which a worker acts for its pair."
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

output "fleet" {
  description = "What the fleet function needs to start workers: cluster, task definition, the roles it passes on, network."
  value = {
    cluster             = aws_ecs_cluster.this.name
    cluster_arn         = aws_ecs_cluster.this.arn
    task_definition_arn = aws_ecs_task_definition.this.arn
    family              = aws_ecs_task_definition.this.family
    role_arns           = [aws_iam_role.task.arn, aws_iam_role.execution.arn]
    subnet_ids          = var.create_network ? aws_subnet.this[*].id : var.subnet_ids
    security_group_ids  = var.create_network ? aws_security_group.this[*].id : var.security_group_ids
    public_addresses    = var.create_network # the small network has no NAT gateway: it would cost more than the workers
  }

  # A worker must not be started before it may do anything.
  depends_on = [aws_ecs_cluster_capacity_providers.this, aws_iam_role_policy.task, aws_iam_role_policy.execution]
}

output "network" {
  description = "Where a load balancer in front of the workers belongs, and their security groups; null unless they have a port for it."
  value = var.live_port == null ? null : {
    vpc_id             = var.create_network ? one(aws_vpc.this[*].id) : one(data.aws_subnet.given[*].vpc_id)
    subnet_ids         = var.create_network ? aws_subnet.load_balancer[*].id : var.subnet_ids
    security_group_ids = var.create_network ? aws_security_group.this[*].id : var.security_group_ids
  }
}

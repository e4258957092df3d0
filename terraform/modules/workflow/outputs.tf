output "arn" {
  description = "ARN of the state machine."
  value       = aws_sfn_state_machine.this.arn
}

output "version" {
  description = "Live version after an apply."
  value       = reverse(split(":", one(aws_sfn_alias.live.routing_configuration).state_machine_version_arn))[0]
}

output "name" {
  description = "Name of the state machine."
  value       = aws_sfn_state_machine.this.name
}

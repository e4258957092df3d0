output "arns" {
  description = "Function ARNs, by their key in the contract."
  value       = { for key, function in aws_lambda_function.this : key => function.arn }
}

output "names" {
  description = "Function names, known once the functions exist, by their key in the contract."
  value       = { for key, function in aws_lambda_function.this : key => function.function_name }
}

output "role_arns" {
  description = "ARNs of the functions' roles, by their key in the contract."
  value       = { for key, role in aws_iam_role.this : key => role.arn }
}

output "timeouts" {
  description = "Function timeouts in seconds, by their key in the contract."
  value       = { for key, function in local.functions : key => function.timeout }
}

output "thread_secret_parameter" {
  description = "Name of the parameter that holds the thread secret."
  value       = aws_ssm_parameter.thread_secret.name
}

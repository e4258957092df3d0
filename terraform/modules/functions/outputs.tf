output "arns" {
  description = "ARNs of the functions' live aliases by contract key."
  value       = { for key, alias in aws_lambda_alias.live : key => alias.arn }
}

output "versions" {
  description = "Live version of each function after an apply, by contract key."
  value       = { for key, alias in aws_lambda_alias.live : key => alias.function_version }
}

output "names" {
  description = "Function names by contract key, known once the functions exist."
  value       = { for key, function in aws_lambda_function.this : key => function.function_name }
}

output "role_arns" {
  description = "ARNs of the functions' roles by contract key."
  value       = { for key, role in aws_iam_role.this : key => role.arn }
}

output "timeouts" {
  description = "Function timeouts in seconds by contract key."
  value       = { for key, function in local.functions : key => function.timeout }
}

output "thread_secret_parameter" {
  description = "Name of the parameter with the thread secret."
  value       = aws_ssm_parameter.thread_secret.name
}

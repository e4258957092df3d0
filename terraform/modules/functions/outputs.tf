output "arns" {
  description = "ARNs under which the live version of each function is called, by their key in the contract."
  value       = { for key, alias in aws_lambda_alias.live : key => alias.arn }
}

output "versions" {
  description = "The version of each function that an apply makes the live one, by their key in the contract."
  value       = { for key, alias in aws_lambda_alias.live : key => alias.function_version }
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

output "arns" {
  description = "ARNs of the shared queues."
  value = {
    email     = module.email.arn
    unclaimed = module.unclaimed.arn
    output    = module.output.arn
  }
}

output "urls" {
  description = "URLs of the shared queues and their dead-letter queues by contract key."
  value = {
    email                  = module.email.url
    email_dead_letters     = module.email.dead_letter_url
    unclaimed              = module.unclaimed.url
    unclaimed_dead_letters = module.unclaimed.dead_letter_url
    output                 = module.output.url
    output_dead_letters    = module.output.dead_letter_url
    input_dead_letters     = module.input_dead_letters.url
  }
}

output "visibility_seconds" {
  description = "Visibility timeouts of the queues that functions read, in seconds."
  value       = { email = module.email.visibility_seconds, output = module.output.visibility_seconds }
}

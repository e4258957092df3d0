output "queue_urls" {
  description = "URLs of each user's queues."
  value = {
    for user in keys(var.users) : user => {
      input              = module.input[user].url
      input_dead_letters = module.input[user].dead_letter_url
      interrupts         = module.interrupts[user].url
    }
  }
}

output "queue_names" {
  description = "Names of each user's queues."
  value       = local.queue_names
}

output "dead_letter_queue_names" {
  description = "Names of the dead-letter queues of all pairs of this project."
  value       = [for names in values(local.queue_names) : names.input_dead_letters]
}

output "configuration" {
  description = "The project's entry in the table of project configurations."
  value       = jsondecode(aws_dynamodb_table_item.project.item)
}

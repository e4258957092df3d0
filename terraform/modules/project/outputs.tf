output "edit_bucket" {
  description = "Name of the bucket that holds the edit site."
  value       = module.edit_site.name
}

output "production_bucket" {
  description = "Name of the bucket that holds the production site."
  value       = module.production_site.name
}

output "configuration" {
  description = "The project's entry in the table of project configurations."
  value       = jsondecode(aws_dynamodb_table_item.project.item)
}

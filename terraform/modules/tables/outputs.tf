output "names" {
  description = "Table names by contract key, known once the tables exist."
  value       = { for key, table in aws_dynamodb_table.this : key => table.name }
}

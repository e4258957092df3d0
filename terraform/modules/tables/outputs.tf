output "names" {
  description = "Table names, known once the tables exist, by their key in the contract."
  value       = { for key, table in aws_dynamodb_table.this : key => table.name }
}

output "name" {
  description = "Name of the queue."
  value       = aws_sqs_queue.this.name
}

output "arn" {
  description = "ARN of the queue."
  value       = aws_sqs_queue.this.arn
}

output "url" {
  description = "URL of the queue."
  value       = aws_sqs_queue.this.url
}

output "dead_letter_url" {
  description = "URL of the dead-letter queue, or null."
  value       = one(aws_sqs_queue.dead_letters[*].url)
}

output "visibility_seconds" {
  description = "Visibility timeout of a received message in seconds."
  value       = aws_sqs_queue.this.visibility_timeout_seconds
}

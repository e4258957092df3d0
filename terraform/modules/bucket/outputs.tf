output "name" {
  description = "Name of the bucket."
  value       = aws_s3_bucket.this.id
}

output "arn" {
  description = "ARN of the bucket."
  value       = aws_s3_bucket.this.arn
}

output "policy_id" {
  description = "Known once the bucket policy is in place; for those who need to be let in first."
  value       = aws_s3_bucket_policy.this.id
}

output "bucket_name" {
  description = "Name of the sites bucket."
  value       = module.bucket.name
}

output "dns_records" {
  description = "DNS records to add elsewhere: first those that validate the certificates, then those of the hosts. Empty if all are created here."
  value       = concat(var.zone_id == null ? local.validations : [], local.own_validations, [for record in local.addresses : record if var.zone_id == null || !startswith(record.name, "*.")])
}

output "distributions" {
  description = "CloudFront domain names: live, preview, and one for each project with a custom domain."
  value       = { for key, distribution in aws_cloudfront_distribution.this : key => distribution.domain_name }
}

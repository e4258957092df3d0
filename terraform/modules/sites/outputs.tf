output "bucket_name" {
  description = "Name of the bucket of all sites."
  value       = module.bucket.name
}

output "dns_records" {
  description = "Records that somebody else's zone needs: first those that prove the domains, then those of the hosts. Empty where all of them are made here."
  value       = concat(var.zone_id == null ? local.validations : [], local.own_validations, [for record in local.addresses : record if var.zone_id == null || !startswith(record.name, "*.")])
}

output "distributions" {
  description = "CloudFront's own names of the distributions: live, preview, and one for each project with a domain of its own."
  value       = { for key, distribution in aws_cloudfront_distribution.this : key => distribution.domain_name }
}

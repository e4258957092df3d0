output "bucket_names" {
  description = "Names of the buckets, known once they exist."
  value       = { raw_mail = module.raw_mail.name, media = module.media.name }
}

output "identity_arn" {
  description = "ARN of the sending identity."
  value       = aws_sesv2_email_identity.domain.arn
}

output "sandbox_identity_arns" {
  description = "ARNs of the identities that can receive replies while SES is in its sandbox. Known before the first apply."
  value       = [for address in sort(var.sandbox_addresses) : "arn:${var.location.partition}:ses:${var.location.region}:${var.location.account}:identity/${address}"]
}

output "configuration_set" {
  description = "Name of the configuration set for replies."
  value       = aws_sesv2_configuration_set.replies.configuration_set_name
}

output "configuration_set_arn" {
  description = "ARN of the configuration set for replies."
  value       = aws_sesv2_configuration_set.replies.arn
}

output "receipt_rule_set" {
  description = "Name of the receipt rule set with our rule."
  value       = aws_ses_receipt_rule.store.rule_set_name
}

output "creates_rule_set" {
  description = "Whether this module creates the rule set."
  value       = length(aws_ses_receipt_rule_set.inbound) > 0
}

output "activates_rule_set" {
  description = "Whether this module activates the rule set."
  value       = length(aws_ses_active_receipt_rule_set.inbound) > 0
}

output "policy_records" {
  description = "DNS records for MX, SPF, DMARC and MAIL FROM, known before the first apply."
  value       = local.policy_records
}

output "dns_records" {
  description = "DNS records to add to the mail domain's zone: DKIM, MX, SPF and DMARC."
  value = concat(
    [for token in aws_sesv2_email_identity.domain.dkim_signing_attributes[0].tokens : {
      name  = "${token}._domainkey.${var.mail_domain}"
      type  = "CNAME"
      value = "${token}.dkim.amazonses.com"
    }],
    local.policy_records,
  )
}

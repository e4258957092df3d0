output "bucket_names" {
  description = "Names of the buckets, known once they exist."
  value       = { raw_mail = module.raw_mail.name, media = module.media.name }
}

output "identity_arn" {
  description = "ARN of the sending identity."
  value       = aws_sesv2_email_identity.domain.arn
}

output "configuration_set" {
  description = "Name of the configuration set that answers are sent with."
  value       = aws_sesv2_configuration_set.replies.configuration_set_name
}

output "configuration_set_arn" {
  description = "ARN of the configuration set that answers are sent with."
  value       = aws_sesv2_configuration_set.replies.arn
}

output "receipt_rule_set" {
  description = "Name of the receipt rule set that has our rule."
  value       = aws_ses_receipt_rule.store.rule_set_name
}

output "makes_a_rule_set" {
  description = "Whether the rule set is one of our own."
  value       = length(aws_ses_receipt_rule_set.inbound) > 0
}

output "activates" {
  description = "Whether the rule set is made the active one."
  value       = length(aws_ses_active_receipt_rule_set.inbound) > 0
}

output "policy_records" {
  description = "Records that say where our mail comes in and who may send it, known before anything is made."
  value       = local.policy_records
}

output "dns_records" {
  description = "Records to add to the mail domain's zone: DKIM keys, mail exchangers, SPF and DMARC."
  value = concat(
    [for token in aws_sesv2_email_identity.domain.dkim_signing_attributes[0].tokens : {
      name  = "${token}._domainkey.${var.mail_domain}"
      type  = "CNAME"
      value = "${token}.dkim.amazonses.com"
    }],
    local.policy_records,
  )
}

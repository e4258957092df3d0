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

output "dns_records" {
  description = "Records to add to the mail domain's zone: DKIM keys, mail exchangers, SPF and DMARC."
  value = concat(
    [for token in aws_sesv2_email_identity.domain.dkim_signing_attributes[0].tokens : {
      name  = "${token}._domainkey.${var.mail_domain}"
      type  = "CNAME"
      value = "${token}.dkim.amazonses.com"
    }],
    [{
      name  = var.mail_domain
      type  = "MX"
      value = "10 inbound-smtp.${var.location.region}.amazonaws.com"
      }, {
      name  = var.mail_domain
      type  = "TXT"
      value = "v=spf1 include:amazonses.com -all"
      }, {
      name  = "_dmarc.${var.mail_domain}"
      type  = "TXT"
      value = "v=DMARC1; p=reject; adkim=r; aspf=r"
      }, {
      name  = local.mail_from
      type  = "MX"
      value = "10 feedback-smtp.${var.location.region}.amazonses.com"
      }, {
      name  = local.mail_from
      type  = "TXT"
      value = "v=spf1 include:amazonses.com -all"
    }],
  )
}

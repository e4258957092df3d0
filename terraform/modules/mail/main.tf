# SES receives mail into a bucket and sends the replies; a second bucket holds attachments and pictures.

locals {
  rule_set_name = coalesce(var.receipt_rule_set, "${var.prefix}-inbound")
  rule_name     = "${var.prefix}-store"
  mail_from     = "bounce.${var.mail_domain}"
  spf           = "v=spf1 include:amazonses.com -all"

  policy_records = [
    { name = var.mail_domain, type = "MX", value = "10 inbound-smtp.${var.location.region}.amazonaws.com" },
    { name = var.mail_domain, type = "TXT", value = local.spf },
    { name = "_dmarc.${var.mail_domain}", type = "TXT", value = "v=DMARC1; p=reject; adkim=r; aspf=r" },
    { name = local.mail_from, type = "MX", value = "10 feedback-smtp.${var.location.region}.amazonses.com" },
    { name = local.mail_from, type = "TXT", value = local.spf },
  ]

  rule_arn = join(":", [
    "arn", var.location.partition, "ses", var.location.region, var.location.account,
    "receipt-rule-set/${local.rule_set_name}:receipt-rule/${local.rule_name}",
  ])
}

module "raw_mail" {
  source = "../bucket"

  name             = var.bucket_names.raw_mail
  partition        = var.location.partition
  force_destroy    = var.force_destroy
  kms_key_arn      = var.kms_key_arn
  expiration_days  = { (var.raw_mail_folder) = var.raw_mail_days, (var.attachment_parts_folder) = var.raw_mail_days }
  policy_documents = [data.aws_iam_policy_document.ses_stores_mail.json]
}

data "aws_iam_policy_document" "ses_stores_mail" {
  statement {
    sid       = "SesStoresMail"
    actions   = ["s3:PutObject"]
    resources = ["arn:${var.location.partition}:s3:::${var.bucket_names.raw_mail}/${var.raw_mail_folder}*"]

    principals {
      type        = "Service"
      identifiers = ["ses.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceAccount"
      values   = [var.location.account]
    }

    condition {
      test     = "ArnEquals"
      variable = "aws:SourceArn"
      values   = [local.rule_arn]
    }
  }
}

resource "aws_s3_bucket_notification" "raw_mail" {
  bucket = module.raw_mail.name

  queue {
    queue_arn     = var.email_queue_arn
    events        = ["s3:ObjectCreated:*"]
    filter_prefix = var.raw_mail_folder
  }
}

module "media" {
  source = "../bucket"

  name            = var.bucket_names.media
  partition       = var.location.partition
  force_destroy   = var.force_destroy
  kms_key_arn     = var.kms_key_arn
  expiration_days = { (var.media_folder) = var.media_days, (var.pictures_folder) = 7, (var.sessions_folder) = var.session_days }
}

# SES has one active rule set per account and region. If another is in use, our rule is added to it.
resource "aws_ses_receipt_rule_set" "inbound" {
  count = var.receipt_rule_set == null ? 1 : 0

  rule_set_name = local.rule_set_name
}

resource "aws_ses_receipt_rule" "store" {
  name          = local.rule_name
  rule_set_name = try(aws_ses_receipt_rule_set.inbound[0].rule_set_name, local.rule_set_name)
  recipients    = var.inbound_recipients
  enabled       = true
  scan_enabled  = true
  tls_policy    = var.require_inbound_tls ? "Require" : "Optional"

  s3_action {
    position          = 1
    bucket_name       = module.raw_mail.name
    object_key_prefix = var.raw_mail_folder
  }

  # SES writes a test object to the bucket when the rule is created.
  depends_on = [module.raw_mail]
}

resource "aws_ses_active_receipt_rule_set" "inbound" {
  count = var.activate_rule_set ? 1 : 0

  rule_set_name = local.rule_set_name

  depends_on = [aws_ses_receipt_rule.store]
}

resource "aws_sesv2_configuration_set" "replies" {
  configuration_set_name = "${var.prefix}-replies"

  delivery_options {
    tls_policy = "REQUIRE"
  }

  reputation_options {
    reputation_metrics_enabled = true
  }

  sending_options {
    sending_enabled = true
  }

  # Addresses that bounced or complained are suppressed until an operator removes them.
  suppression_options {
    suppressed_reasons = ["BOUNCE", "COMPLAINT"]
  }
}

resource "aws_sesv2_email_identity" "domain" {
  email_identity = var.mail_domain

  dkim_signing_attributes {
    next_signing_key_length = "RSA_2048_BIT"
  }
}

# A custom MAIL FROM domain, so that SPF aligns with our domain.
resource "aws_ses_domain_mail_from" "domain" {
  domain                 = aws_sesv2_email_identity.domain.email_identity
  mail_from_domain       = local.mail_from
  behavior_on_mx_failure = "UseDefaultValue"
}

# In the sandbox, SES sends only to verified addresses.
resource "aws_sesv2_email_identity" "sandbox" {
  for_each = var.sandbox_addresses

  email_identity = each.key
}

# Statements for the policy of a customer-managed key: they allow AWS services that act on their own. Roles get their
# permissions in their own policies. The owner of the key attaches these statements; Terraform does not.

locals {
  encrypt_and_decrypt = ["kms:Decrypt", "kms:GenerateDataKey"]

  key_users = {
    StoreMail  = { principal = "ses.amazonaws.com", actions = local.encrypt_and_decrypt }
    NotifyMail = { principal = "s3.amazonaws.com", actions = local.encrypt_and_decrypt }
    Alarms     = { principal = "cloudwatch.amazonaws.com", actions = local.encrypt_and_decrypt }
  }
}

data "aws_iam_policy_document" "key" {
  dynamic "statement" {
    for_each = local.key_users

    content {
      sid       = statement.key
      actions   = statement.value.actions
      resources = ["*"] # in a key policy, the key itself

      principals {
        type        = "Service"
        identifiers = [statement.value.principal]
      }

      condition {
        test     = "StringEquals"
        variable = "aws:SourceAccount"
        values   = [local.location.account]
      }
    }
  }

  statement {
    sid       = "ShowSites"
    actions   = ["kms:Decrypt"]
    resources = ["*"]

    principals {
      type        = "Service"
      identifiers = ["cloudfront.amazonaws.com"]
    }

    condition {
      test     = "ArnLike"
      variable = "aws:SourceArn"
      values   = ["arn:${local.location.partition}:cloudfront::${local.location.account}:distribution/*"]
    }
  }

  statement {
    sid       = "Logs"
    actions   = ["kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:DescribeKey"]
    resources = ["*"]

    principals {
      type        = "Service"
      identifiers = ["logs.${local.location.region}.amazonaws.com"]
    }

    condition {
      test     = "ArnLike"
      variable = "kms:EncryptionContext:aws:logs:arn"
      values   = ["arn:${local.location.partition}:logs:${local.location.region}:${local.location.account}:log-group:*${var.prefix}*"]
    }
  }
}

# Permissions of roles: only through services they may use anyway. `files` is for roles that only serve sites.
data "aws_iam_policy_document" "key_use" {
  for_each = var.kms_key_arn == null ? {} : {
    all   = { actions = local.encrypt_and_decrypt, services = ["dynamodb", "s3", "sqs", "ssm"] }
    files = { actions = ["kms:Decrypt"], services = ["s3"] }
  }

  statement {
    sid       = "UseKey"
    actions   = each.value.actions
    resources = [var.kms_key_arn]

    condition {
      test     = "StringEquals"
      variable = "kms:ViaService"
      values   = [for service in each.value.services : "${service}.${local.location.region}.amazonaws.com"]
    }
  }
}

locals {
  key_use = { for users in ["all", "files"] : users => [for key, document in data.aws_iam_policy_document.key_use : document.json if key == users] }
}

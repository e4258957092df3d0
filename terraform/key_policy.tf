# What the policy of a key of one's own has to allow beside its account: services of AWS that act by themselves. Roles get
# their part in their own policies. Made here and attached by whoever owns the key, which is not this system.

locals {
  through_the_key = ["kms:Decrypt", "kms:GenerateDataKey"]

  key_users = {
    NewMail    = { principal = "ses.amazonaws.com", actions = local.through_the_key }
    TellOfMail = { principal = "s3.amazonaws.com", actions = local.through_the_key }
    Alarms     = { principal = "cloudwatch.amazonaws.com", actions = local.through_the_key }
  }
}

data "aws_iam_policy_document" "key" {
  dynamic "statement" {
    for_each = local.key_users

    content {
      sid       = statement.key
      actions   = statement.value.actions
      resources = ["*"] # in a key's policy: the key

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

# What roles may do with it: through what they may reach anyway, never by itself. `files` is for those who only show sites.
data "aws_iam_policy_document" "key_use" {
  for_each = var.kms_key_arn == null ? {} : {
    all   = { actions = local.through_the_key, services = ["dynamodb", "s3", "sqs", "ssm"] }
    files = { actions = ["kms:Decrypt"], services = ["s3"] }
  }

  statement {
    sid       = "UseTheKey"
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

# What a worker may do for the pair that the broker gave it. The session is tagged with project, user and role;
# IAM fills the tags in, so that one role gives every worker exactly its own pair.

locals {
  access_role_name = "${var.prefix}-worker-access"
  sqs              = "arn:${var.location.partition}:sqs:${local.account_scope}"
  media_bucket     = "arn:${var.location.partition}:s3:::${var.bucket_names.media}"
  sites_bucket     = "arn:${var.location.partition}:s3:::${var.bucket_names.sites}"
}

resource "aws_iam_role" "access" {
  name               = local.access_role_name
  description        = "Assumed by the broker for a worker and the pair that it has claimed for it."
  assume_role_policy = data.aws_iam_policy_document.broker_may_assume.json
}

resource "aws_iam_role_policy" "access" {
  name   = "one-pair"
  role   = aws_iam_role.access.id
  policy = data.aws_iam_policy_document.access.json
}

data "aws_iam_policy_document" "broker_may_assume" {
  statement {
    actions = ["sts:AssumeRole", "sts:TagSession"]

    principals {
      type        = "AWS"
      identifiers = [var.broker.role_arn]
    }

    # Without both tags the session would reach nothing; refuse it where the mistake is made.
    condition {
      test     = "StringLike"
      variable = "aws:RequestTag/project"
      values   = ["?*"]
    }

    condition {
      test     = "StringLike"
      variable = "aws:RequestTag/user"
      values   = ["?*"]
    }

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "aws:TagKeys"
      values   = ["project", "user", "role"]
    }
  }
}

data "aws_iam_policy_document" "access" {
  source_policy_documents = var.key_use

  statement {
    sid       = "ReadOwnQueues"
    actions   = ["sqs:ReceiveMessage", "sqs:DeleteMessage"]
    resources = ["${local.sqs}:${var.own.input}", "${local.sqs}:${var.own.interrupts}"]
  }

  statement {
    sid       = "Report"
    actions   = ["sqs:SendMessage"]
    resources = [local.queues.output]
  }

  # A message stays hidden while its job runs. An interrupted job is sent anew, behind the mail that interrupted it.
  statement {
    sid       = "KeepOwnJobsAndSendThemBehindANewerOne"
    actions   = ["sqs:ChangeMessageVisibility", "sqs:SendMessage"]
    resources = ["${local.sqs}:${var.own.input}"]
  }

  statement {
    sid       = "OwnJobs"
    actions   = ["dynamodb:Query", "dynamodb:UpdateItem"]
    resources = [local.tables.jobs]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = [var.own.pair_key]
    }
  }

  statement {
    sid       = "RenewAndReleaseOwnOwnership"
    actions   = ["dynamodb:UpdateItem"]
    resources = [local.tables.ownership]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = [var.own.pair_key]
    }
  }

  statement {
    sid       = "OwnProjectAndWhetherItIsPaused"
    actions   = ["dynamodb:GetItem"]
    resources = [local.tables.project_configs]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = concat([var.own.project_key], var.own.pause_keys)
    }
  }

  # Values that a site's build needs and that are secret.
  statement {
    sid       = "ReadOwnBuildEnvironment"
    actions   = ["ssm:GetParameter"]
    resources = ["arn:${var.location.partition}:ssm:${local.account_scope}:parameter${var.own.build_environment}"]
  }

  # Its default key lets in whoever may read the parameter.
  statement {
    sid       = "OpenTheOwnRepository"
    actions   = ["ssm:GetParameter"]
    resources = ["arn:${var.location.partition}:ssm:${local.account_scope}:parameter${var.own.git_credential}"]
  }

  statement {
    sid       = "ReadOwnAttachments"
    actions   = ["s3:GetObject"]
    resources = ["${local.media_bucket}/${var.own.media_prefix}*"]
  }

  statement {
    sid       = "KeepOwnSessions"
    actions   = ["s3:GetObject", "s3:PutObject"]
    resources = ["${local.media_bucket}/${var.own.sessions_prefix}*"]
  }

  # Nothing is listed. Without this right S3 says "denied" of what does not exist, here and for sites.
  statement {
    sid       = "TellMissingSessionsFromForbiddenOnes"
    actions   = ["s3:ListBucket"]
    resources = [local.media_bucket]

    condition {
      test     = "StringLike"
      variable = "s3:prefix"
      values   = ["${var.own.sessions_prefix}*"]
    }
  }

  statement {
    sid       = "ChangeOwnPreviews"
    actions   = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"]
    resources = ["${local.sites_bucket}/${var.own.site_prefixes.preview}*"]
  }

  statement {
    sid       = "RecordOwnPreviews"
    actions   = ["s3:PutObject"]
    resources = ["${local.sites_bucket}/${var.own.site_prefixes.preview_release}"]
  }

  statement {
    sid     = "SeeWhatIsLive"
    actions = ["s3:GetObject"]
    resources = [
      for key in ["live", "releases", "released_files"] : "${local.sites_bucket}/${var.own.site_prefixes[key]}*"
    ]
  }

  # An editor's worker changes nothing that everybody sees, whatever becomes of it. A session without a role is one that a
  # broker from before this tag has opened.
  statement {
    sid       = "ChangeWhatIsLive"
    actions   = ["s3:PutObject", "s3:DeleteObject"]
    resources = ["${local.sites_bucket}/${var.own.site_prefixes.live}*"]

    condition {
      test     = "StringNotEquals"
      variable = "aws:PrincipalTag/role"
      values   = ["editor"]
    }
  }

  # What was released can be added to and read, never removed.
  statement {
    sid       = "Release"
    actions   = ["s3:PutObject"]
    resources = [for key in ["releases", "released_files"] : "${local.sites_bucket}/${var.own.site_prefixes[key]}*"]

    condition {
      test     = "StringNotEquals"
      variable = "aws:PrincipalTag/role"
      values   = ["editor"]
    }
  }

  statement {
    sid       = "TellAFirstReleaseFromAForbiddenOne"
    actions   = ["s3:ListBucket"]
    resources = [local.sites_bucket]

    condition {
      test     = "StringLike"
      variable = "s3:prefix"
      values   = ["${var.own.site_prefixes.releases}*", "${var.own.site_prefixes.released_files}*"]
    }
  }
}

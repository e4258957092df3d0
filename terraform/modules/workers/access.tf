# The permissions of a worker for its pair. The session is tagged with project, user, role and the beginning of the pair's
# thread ids; IAM substitutes the tags, so that one role restricts every worker to its own pair.

locals {
  access_role_name = "${var.prefix}-worker-access"
  sqs              = "arn:${var.location.partition}:sqs:${local.account_scope}"
  media_bucket     = "arn:${var.location.partition}:s3:::${var.bucket_names.media}"
  sites_bucket     = "arn:${var.location.partition}:s3:::${var.bucket_names.sites}"
  releases         = [for record in var.own.release_records : "${local.sites_bucket}/${record}"]

  inference_profiles = [
    for id in var.bedrock_models :
    "arn:${var.location.partition}:bedrock:${local.account_scope}:inference-profile/${var.models.geography}.${id}"
  ]
  # Their ids are generated, so that tags say whose they are.
  project_profiles = var.project_profiles ? ["arn:${var.location.partition}:bedrock:${local.account_scope}:application-inference-profile/*"] : []
}

resource "aws_iam_role" "access" {
  name               = local.access_role_name
  description        = "Assumed by the broker for a worker and its claimed pair."
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

    # A session without both tags could access nothing; deny it early.
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
      values   = ["project", "user", "role", "threads"]
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

  # A worker extends the visibility of its job. It requeues an interrupted job after the newer one.
  statement {
    sid       = "ExtendAndRequeueOwnJobs"
    actions   = ["sqs:ChangeMessageVisibility", "sqs:SendMessage"]
    resources = ["${local.sqs}:${var.own.input}"]
  }

  statement {
    sid       = "ReadOwnJobs"
    actions   = ["dynamodb:GetItem", "dynamodb:Query"]
    resources = [local.tables.jobs]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = [var.own.pair_key]
    }
  }

  # It starts and requeues jobs. It cannot write a job, its outcome or its task token, nor add one to the open jobs.
  statement {
    sid       = "ChangeStatesOfOwnJobs"
    actions   = ["dynamodb:UpdateItem"]
    resources = [local.tables.jobs]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = [var.own.pair_key]
    }

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:Attributes"
      values   = var.own.attributes.jobs
    }
  }

  # It cannot write who got a fence: the relay compares that with the sender of a report.
  statement {
    sid       = "RenewAndReleaseOwnOwnership"
    actions   = ["dynamodb:UpdateItem"]
    resources = [local.tables.ownership]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = [var.own.pair_key]
    }

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:Attributes"
      values   = var.own.attributes.ownership
    }
  }

  statement {
    sid       = "ReadOwnProjectAndPauses"
    actions   = ["dynamodb:GetItem"]
    resources = [local.tables.project_configs]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = concat([var.own.project_key], var.own.pause_keys)
    }
  }

  # Secret build variables.
  statement {
    sid       = "ReadOwnBuildEnvironment"
    actions   = ["ssm:GetParameter"]
    resources = ["arn:${var.location.partition}:ssm:${local.account_scope}:parameter${var.own.build_environment}"]
  }

  # The default key allows every reader of the parameter.
  statement {
    sid       = "ReadOwnGitCredential"
    actions   = ["ssm:GetParameter"]
    resources = ["arn:${var.location.partition}:ssm:${local.account_scope}:parameter${var.own.git_credential}"]
  }

  statement {
    sid       = "ReadOwnAttachments"
    actions   = ["s3:GetObject"]
    resources = ["${local.media_bucket}/${var.own.media_prefix}*"]
  }

  statement {
    sid       = "StoreOwnSessions"
    actions   = ["s3:GetObject", "s3:PutObject"]
    resources = ["${local.media_bucket}/${var.own.sessions_prefix}*"]
  }

  # Never used to list: without it, S3 returns AccessDenied instead of NoSuchKey for missing objects. Same for sites.
  statement {
    sid       = "DetectMissingSessions"
    actions   = ["s3:ListBucket"]
    resources = [local.media_bucket]

    condition {
      test     = "StringLike"
      variable = "s3:prefix"
      values   = ["${var.own.sessions_prefix}*"]
    }
  }

  # Previews of the pair's own threads.
  statement {
    sid       = "ChangeOwnPreviews"
    actions   = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"]
    resources = ["${local.sites_bucket}/${var.own.site_prefixes.preview}*"]
  }

  statement {
    sid       = "RecordOwnPreviews"
    actions   = ["s3:GetObject", "s3:PutObject"]
    resources = ["${local.sites_bucket}/${var.own.site_prefixes.preview_release}"]
  }

  # Previews of all threads of the project: for sessions without the tag, which come from an older broker, and while
  # older threads are supported. No worker publishes a copy of such a preview.
  dynamic "statement" {
    for_each = {
      ChangeOlderPreviews = { prefix = "${var.own.older_prefixes.preview}*", actions = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"] }
      RecordOlderPreviews = { prefix = var.own.older_prefixes.preview_release, actions = ["s3:GetObject", "s3:PutObject"] }
    }

    content {
      sid       = statement.key
      actions   = statement.value.actions
      resources = ["${local.sites_bucket}/${statement.value.prefix}"]

      dynamic "condition" {
        for_each = var.older_threads ? [] : ["untagged"]

        content {
          test     = "Null"
          variable = "aws:PrincipalTag/threads"
          values   = ["true"]
        }
      }
    }
  }

  statement {
    sid       = "DetectOlderPreviews"
    actions   = ["s3:ListBucket"]
    resources = [local.sites_bucket]

    condition {
      test     = "StringLike"
      variable = "s3:prefix"
      values   = [var.own.older_record]
    }

    dynamic "condition" {
      for_each = var.older_threads ? [] : ["untagged"]

      content {
        test     = "Null"
        variable = "aws:PrincipalTag/threads"
        values   = ["true"]
      }
    }
  }

  statement {
    sid       = "ReadLiveSite"
    actions   = ["s3:GetObject"]
    resources = concat(local.releases, [for key in ["live", "released_files"] : "${local.sites_bucket}/${var.own.site_prefixes[key]}*"])
  }

  # An editor's worker cannot change the live site, even if it is compromised. A session without a role tag comes from an
  # older broker.
  statement {
    sid       = "ChangeLiveSite"
    actions   = ["s3:PutObject", "s3:DeleteObject"]
    resources = ["${local.sites_bucket}/${var.own.site_prefixes.live}*"]

    condition {
      test     = "StringNotEquals"
      variable = "aws:PrincipalTag/role"
      values   = ["editor"]
    }
  }

  # Releases can be added and read, but not deleted.
  statement {
    sid       = "AddReleases"
    actions   = ["s3:PutObject"]
    resources = concat(local.releases, ["${local.sites_bucket}/${var.own.site_prefixes.released_files}*"])

    condition {
      test     = "StringNotEquals"
      variable = "aws:PrincipalTag/role"
      values   = ["editor"]
    }
  }

  # For names that the worker knows: a list shows no thread of another pair.
  statement {
    sid       = "DetectFirstRelease"
    actions   = ["s3:ListBucket"]
    resources = [local.sites_bucket]

    condition {
      test     = "StringLike"
      variable = "s3:prefix"
      values   = concat(var.own.release_records, ["${var.own.site_prefixes.released_files}*", var.own.site_prefixes.preview_release])
    }
  }

  dynamic "statement" {
    for_each = length(var.bedrock_models) == 0 ? [] : [local.inference_profiles]

    content {
      sid       = "InvokeModels"
      actions   = ["bedrock:InvokeModelWithResponseStream"]
      resources = statement.value
    }
  }

  dynamic "statement" {
    for_each = length(local.project_profiles) == 0 ? [] : [local.project_profiles]

    content {
      sid       = "InvokeModelsOfProject"
      actions   = ["bedrock:InvokeModelWithResponseStream"]
      resources = statement.value

      condition {
        test     = "StringEquals"
        variable = "aws:ResourceTag/Application"
        values   = [var.prefix]
      }

      condition {
        test     = "StringEquals"
        variable = "aws:ResourceTag/Project"
        values   = [var.own.project]
      }
    }
  }

  # A profile invokes its model in any of its regions; a global one in no named region. Directly, no model is allowed.
  dynamic "statement" {
    for_each = length(var.bedrock_models) == 0 ? [] : [concat(local.inference_profiles, local.project_profiles)]

    content {
      sid       = "InvokeModelsByProfile"
      actions   = ["bedrock:InvokeModelWithResponseStream"]
      resources = [for id in var.bedrock_models : "arn:${var.location.partition}:bedrock:*::foundation-model/${id}"]

      condition {
        test     = "StringLike"
        variable = "bedrock:InferenceProfileArn"
        values   = statement.value
      }
    }
  }
}

# What each function may do, and nothing else.

locals {
  account_scope = "${var.location.region}:${var.location.account}"
  contract_file = "${path.module}/../../../layers/webordinary/python/webordinary/platform/contract.json"
  parts_folder  = jsondecode(file(local.contract_file)).prefixes.attachment_parts

  queues        = { for key, name in var.queue_names : key => "arn:${var.location.partition}:sqs:${local.account_scope}:${name}" }
  pair_queues   = { for key, name in var.pair_queue_patterns : key => "arn:${var.location.partition}:sqs:${local.account_scope}:${name}" }
  tables        = { for key, name in var.table_names : key => "arn:${var.location.partition}:dynamodb:${local.account_scope}:table/${name}" }
  open_jobs     = "${local.tables.jobs}/index/${var.index_names.open_jobs}"
  raw_mail      = "arn:${var.location.partition}:s3:::${var.bucket_names.raw_mail}/${var.raw_mail_folder}*"
  parts         = "arn:${var.location.partition}:s3:::${var.bucket_names.raw_mail}/${local.parts_folder}*"
  media         = "arn:${var.location.partition}:s3:::${var.bucket_names.media}/${var.media_folder}*"
  thread_secret = "arn:${var.location.partition}:ssm:${local.account_scope}:parameter${aws_ssm_parameter.thread_secret.name}"

  state_machine_arn = "arn:${var.location.partition}:states:${local.account_scope}:stateMachine:${var.state_machine_name}"

  read_table  = ["dynamodb:GetItem", "dynamodb:Query"]
  write_table = ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"]
  read_queue  = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility", "sqs:GetQueueAttributes"]
  send        = ["sqs:SendMessage"]
  end_tasks   = ["states:SendTaskSuccess", "states:SendTaskFailure", "states:SendTaskHeartbeat"]
}

data "aws_iam_policy_document" "intake" {
  statement {
    sid       = "ReadNewMail"
    actions   = local.read_queue
    resources = [local.queues.email]
  }

  statement {
    sid       = "StartExecutions"
    actions   = ["states:StartExecution"]
    resources = [local.state_machine_arn]
  }
}

data "aws_iam_policy_document" "parse_email" {
  statement {
    sid       = "ReadRawMail"
    actions   = ["s3:GetObject"]
    resources = [local.raw_mail]
  }

  statement {
    sid       = "StoreParts"
    actions   = ["s3:PutObject"]
    resources = [local.parts]
  }

  statement {
    sid       = "KnowProjects"
    actions   = local.read_table
    resources = [local.tables.project_configs]
  }

  statement {
    sid       = "KnowThreads"
    actions   = ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:UpdateItem"]
    resources = [local.tables.thread_mappings]
  }

  statement {
    sid       = "OnlyOnce"
    actions   = local.write_table
    resources = [local.tables.idempotency]
  }

  statement {
    sid       = "VerifyThreads"
    actions   = ["ssm:GetParameter"]
    resources = [local.thread_secret]
  }
}

data "aws_iam_policy_document" "process_attachment" {
  statement {
    sid       = "ReadParts"
    actions   = ["s3:GetObject"]
    resources = [local.parts]
  }

  statement {
    sid       = "RewriteAttachments"
    actions   = ["s3:GetObject", "s3:PutObject"]
    resources = [local.media]
  }
}

data "aws_iam_policy_document" "check_ownership" {
  statement {
    sid       = "KnowOwnersJobsAndProjects"
    actions   = local.read_table
    resources = [local.tables.ownership, local.tables.jobs, local.tables.project_configs]
  }

  statement {
    sid       = "Interrupt"
    actions   = local.send
    resources = [local.pair_queues.interrupts]
  }
}

data "aws_iam_policy_document" "claim" {
  statement {
    sid       = "KnowOwners"
    actions   = local.read_table
    resources = [local.tables.ownership]
  }

  statement {
    sid       = "LimitRequests"
    actions   = local.write_table
    resources = [local.tables.claim_requests]
  }

  statement {
    sid       = "AskForAnOwner"
    actions   = local.send
    resources = [local.queues.unclaimed]
  }
}

data "aws_iam_policy_document" "dispatch" {
  statement {
    sid       = "KnowOwners"
    actions   = local.read_table
    resources = [local.tables.ownership]
  }

  statement {
    sid       = "RecordJobsAndLimitRequests"
    actions   = local.write_table
    resources = [local.tables.jobs, local.tables.claim_requests]
  }

  statement {
    sid       = "HandOverAndAskForAnOwner"
    actions   = local.send
    resources = [local.pair_queues.input, local.queues.unclaimed]
  }

  statement {
    sid       = "EndTasks"
    actions   = ["states:SendTaskSuccess", "states:SendTaskFailure"]
    resources = [local.state_machine_arn]
  }
}

data "aws_iam_policy_document" "relay_callback" {
  statement {
    sid       = "ReadReports"
    actions   = local.read_queue
    resources = [local.queues.output]
  }

  statement {
    sid       = "KnowOwners"
    actions   = local.read_table
    resources = [local.tables.ownership]
  }

  statement {
    sid       = "MoveJobsOn"
    actions   = local.write_table
    resources = [local.tables.jobs]
  }

  statement {
    sid       = "EndTasks"
    actions   = local.end_tasks
    resources = [local.state_machine_arn]
  }
}

data "aws_iam_policy_document" "reply" {
  statement {
    sid       = "SendAnswers"
    actions   = ["ses:SendEmail", "ses:SendRawEmail"]
    resources = [var.identity_arn, var.configuration_set_arn]

    condition {
      test     = "StringEquals"
      variable = "ses:FromAddress"
      values   = [var.reply_from]
    }
  }

  statement {
    sid       = "OnlyOnceAndInTheThread"
    actions   = local.write_table
    resources = [local.tables.idempotency, local.tables.thread_mappings]
  }

  # A job that timed out is ended here, so that no worker goes on with it.
  statement {
    sid       = "KnowAndEndJobs"
    actions   = ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:UpdateItem"]
    resources = [local.tables.jobs]
  }

  statement {
    sid       = "SignThreads"
    actions   = ["ssm:GetParameter"]
    resources = [local.thread_secret]
  }
}

data "aws_iam_policy_document" "sweep" {
  statement {
    sid       = "FindOpenJobs"
    actions   = ["dynamodb:Query"]
    resources = [local.open_jobs]
  }

  statement {
    sid       = "KnowOwners"
    actions   = local.read_table
    resources = [local.tables.ownership]
  }

  statement {
    sid       = "FindDeadOwners"
    actions   = ["dynamodb:Scan"]
    resources = [local.tables.ownership]
  }

  statement {
    sid       = "ClearWhatTheyLeft"
    actions   = local.read_queue
    resources = [local.pair_queues.input]
  }

  # The bookmark of a sweep that ran out of time is in the idempotency table.
  statement {
    sid       = "MoveJobsOnLimitRequestsKeepABookmark"
    actions   = local.write_table
    resources = [local.tables.jobs, local.tables.claim_requests, local.tables.idempotency]
  }

  statement {
    sid       = "HandOverAgainAndAskForAnOwner"
    actions   = local.send
    resources = [local.pair_queues.input, local.queues.unclaimed]
  }

  statement {
    sid     = "ReadDeadLetters"
    actions = local.read_queue
    resources = [
      local.queues.unclaimed_dead_letters,
      local.queues.output_dead_letters,
      local.pair_queues.input_dead_letters,
    ]
  }

  statement {
    sid       = "KeepTasksAliveAndEndThem"
    actions   = local.end_tasks
    resources = [local.state_machine_arn]
  }
}

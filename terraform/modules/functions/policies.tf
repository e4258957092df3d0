# What each function may do, and nothing else: the calls that its code makes, counted out in
# tests/infrastructure/test_function_permissions.py.

locals {
  account_scope = "${var.location.region}:${var.location.account}"
  queues        = { for key, name in var.queue_names : key => "arn:${var.location.partition}:sqs:${local.account_scope}:${name}" }
  pair_queues   = { for key, name in var.pair_queue_patterns : key => "arn:${var.location.partition}:sqs:${local.account_scope}:${name}" }
  tables        = { for key, name in var.table_names : key => "arn:${var.location.partition}:dynamodb:${local.account_scope}:table/${name}" }
  open_jobs     = "${local.tables.jobs}/index/${var.index_names.open_jobs}"
  raw_mail      = "arn:${var.location.partition}:s3:::${var.bucket_names.raw_mail}/${var.raw_mail_folder}*"
  parts         = "arn:${var.location.partition}:s3:::${var.bucket_names.raw_mail}/${var.attachment_parts_folder}*"
  media         = "arn:${var.location.partition}:s3:::${var.bucket_names.media}/${var.media_folder}*"
  pictures      = "arn:${var.location.partition}:s3:::${var.bucket_names.media}/${var.pictures_folder}*"
  shown_sites   = [for folder in var.shown_folders : "arn:${var.location.partition}:s3:::${var.bucket_names.sites}/${folder}*"]
  releases      = "arn:${var.location.partition}:s3:::${var.bucket_names.sites}/${var.releases_folder}*"
  thread_secret = "arn:${var.location.partition}:ssm:${local.account_scope}:parameter${aws_ssm_parameter.thread_secret.name}"

  fleet_function = "arn:${var.location.partition}:lambda:${local.account_scope}:function:${var.function_names.fleet}:${var.alias}"

  state_machine_arn = "arn:${var.location.partition}:states:${local.account_scope}:stateMachine:${var.state_machine_name}"

  # What Lambda itself does for a function that a queue feeds; the function gets its messages handed over.
  feed = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"]

  # A pair's queues are made when its first mail comes, by whoever asks for a worker or hands a job over.
  make_queues = ["sqs:CreateQueue", "sqs:SetQueueAttributes", "sqs:TagQueue"]

  send      = ["sqs:SendMessage"]
  claim     = ["dynamodb:GetItem", "dynamodb:UpdateItem"]
  end_tasks = ["states:SendTaskSuccess", "states:SendTaskFailure", "states:SendTaskHeartbeat"]
}

data "aws_iam_policy_document" "intake" {
  statement {
    sid       = "ReadNewMail"
    actions   = local.feed
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
    actions   = ["dynamodb:GetItem"]
    resources = [local.tables.project_configs]
  }

  statement {
    sid       = "KnowThreads"
    actions   = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"]
    resources = [local.tables.thread_mappings]
  }

  statement {
    sid       = "CountMails"
    actions   = ["dynamodb:UpdateItem"]
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
    sid       = "StoreAttachments"
    actions   = ["s3:PutObject"]
    resources = [local.media]
  }
}

data "aws_iam_policy_document" "check_ownership" {
  statement {
    sid       = "KnowOwnersAndProjects"
    actions   = ["dynamodb:GetItem"]
    resources = [local.tables.ownership, local.tables.project_configs]
  }

  statement {
    sid       = "SeeWhatRuns"
    actions   = ["dynamodb:Query"]
    resources = [local.tables.jobs]
  }

  statement {
    sid       = "Interrupt"
    actions   = local.send
    resources = [local.pair_queues.interrupts]
  }
}

data "aws_iam_policy_document" "claim" {
  statement {
    sid       = "SeeWhatIsPaused"
    actions   = ["dynamodb:GetItem"]
    resources = [local.tables.project_configs]
  }

  statement {
    sid       = "MakeThePairsQueues"
    actions   = local.make_queues
    resources = values(local.pair_queues)
  }

  statement {
    sid       = "LimitRequests"
    actions   = local.claim
    resources = [local.tables.worker_requests]
  }

  statement {
    sid       = "AskForAnOwner"
    actions   = local.send
    resources = [local.queues.unclaimed]
  }

  statement {
    sid       = "CallTheFleet"
    actions   = ["lambda:InvokeFunction"]
    resources = [local.fleet_function]
  }
}

data "aws_iam_policy_document" "control" {
  statement {
    sid       = "KnowWhatIsLive"
    actions   = ["s3:GetObject"]
    resources = [local.releases]
  }

  statement {
    sid       = "KnowConversations"
    actions   = ["dynamodb:GetItem"]
    resources = [local.tables.thread_mappings]
  }

  statement {
    sid       = "SeeAndEndJobs"
    actions   = ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:UpdateItem"]
    resources = [local.tables.jobs]
  }

  statement {
    sid       = "Interrupt"
    actions   = local.send
    resources = [local.pair_queues.interrupts]
  }

  statement {
    sid       = "EndTasks"
    actions   = ["states:SendTaskSuccess", "states:SendTaskFailure"]
    resources = [local.state_machine_arn]
  }
}

data "aws_iam_policy_document" "dispatch" {
  statement {
    sid       = "SeeWhatIsPaused"
    actions   = ["dynamodb:GetItem"]
    resources = [local.tables.project_configs]
  }

  statement {
    sid       = "MakeThePairsQueues"
    actions   = local.make_queues
    resources = values(local.pair_queues)
  }

  statement {
    sid       = "KnowOwners"
    actions   = ["dynamodb:GetItem"]
    resources = [local.tables.ownership]
  }

  statement {
    sid       = "RecordJobs"
    actions   = ["dynamodb:UpdateItem"]
    resources = [local.tables.jobs]
  }

  statement {
    sid       = "LimitRequests"
    actions   = local.claim
    resources = [local.tables.worker_requests]
  }

  statement {
    sid       = "HandOverAndAskForAnOwner"
    actions   = local.send
    resources = [local.pair_queues.input, local.queues.unclaimed]
  }

  statement {
    sid       = "CallTheFleet"
    actions   = ["lambda:InvokeFunction"]
    resources = [local.fleet_function]
  }

  statement {
    sid       = "EndTasks"
    actions   = ["states:SendTaskSuccess", "states:SendTaskFailure"]
    resources = [local.state_machine_arn]
  }
}

data "aws_iam_policy_document" "fleet" {
  statement {
    sid       = "SeeWhatIsPaused"
    actions   = ["dynamodb:GetItem"]
    resources = [local.tables.project_configs]
  }

  statement {
    sid       = "KnowWorkers"
    actions   = ["dynamodb:Scan", "dynamodb:UpdateItem"]
    resources = [local.tables.workers]
  }

  statement {
    sid       = "ReleaseThePairsOfTheDead"
    actions   = ["dynamodb:GetItem", "dynamodb:UpdateItem"]
    resources = [local.tables.ownership]
  }

  statement {
    sid       = "SeeWhoWaitsAndAskAgainForTheDead"
    actions   = concat(local.claim, ["dynamodb:Scan"])
    resources = [local.tables.worker_requests]
  }

  statement {
    sid       = "AskForAnOwner"
    actions   = local.send
    resources = [local.queues.unclaimed]
  }

  statement {
    sid       = "StartWorkers"
    actions   = ["ecs:RunTask"]
    resources = ["arn:${var.location.partition}:ecs:${local.account_scope}:task-definition/${var.fleet.family}:*"]

    condition {
      test     = "StringEquals"
      variable = "ecs:cluster"
      values   = [var.fleet.cluster_arn]
    }
  }

  statement {
    sid       = "WithTheirRoles"
    actions   = ["iam:PassRole"]
    resources = var.fleet.role_arns

    condition {
      test     = "StringEquals"
      variable = "iam:PassedToService"
      values   = ["ecs-tasks.amazonaws.com"]
    }
  }

  statement {
    sid       = "LookAtWorkersAndStopThem"
    actions   = ["ecs:DescribeTasks", "ecs:StopTask"]
    resources = ["arn:${var.location.partition}:ecs:${local.account_scope}:task/${var.fleet.cluster}/*"]
  }
}

data "aws_iam_policy_document" "broker" {
  statement {
    sid       = "SeeWhatIsPausedAndWhoMayPublish"
    actions   = ["dynamodb:GetItem"]
    resources = [local.tables.project_configs]
  }

  statement {
    sid       = "KnowWorkers"
    actions   = ["dynamodb:GetItem", "dynamodb:UpdateItem"]
    resources = [local.tables.workers]
  }

  statement {
    sid       = "TakeClaimRequestsAndAskForSuccessors"
    actions   = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility", "sqs:SendMessage"]
    resources = [local.queues.unclaimed]
  }

  statement {
    sid       = "Claim"
    actions   = ["dynamodb:GetItem", "dynamodb:UpdateItem"]
    resources = [local.tables.ownership]
  }

  # Whether a request is still wanted. Of the jobs it sees their states, never what they ask for or their task tokens.
  statement {
    sid       = "SeeWhetherJobsWait"
    actions   = ["dynamodb:Query"]
    resources = [local.tables.jobs]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:Attributes"
      values   = ["projectKey", "jobId", "state"]
    }

    condition {
      test     = "StringEquals"
      variable = "dynamodb:Select"
      values   = ["SPECIFIC_ATTRIBUTES"]
    }
  }

  statement {
    sid       = "LimitAndForgetRequests"
    actions   = ["dynamodb:GetItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"]
    resources = [local.tables.worker_requests]
  }

  statement {
    sid       = "CallTheFleet"
    actions   = ["lambda:InvokeFunction"]
    resources = [local.fleet_function]
  }

  statement {
    sid       = "OpenSessionsOfPairs"
    actions   = ["sts:AssumeRole", "sts:TagSession"]
    resources = [var.worker_roles.access]
  }

  # A worker gets the token that is made with it, never the key. Its default key lets in whoever may read the parameter.
  statement {
    sid       = "MakeTokensForRepositories"
    actions   = ["ssm:GetParameter"]
    resources = ["arn:${var.location.partition}:ssm:${local.account_scope}:parameter${var.github_app_parameters}"]
  }
}

# It opens pages that nobody vouches for: it may read what everybody may look at, and store two pictures.
data "aws_iam_policy_document" "picture" {
  statement {
    sid       = "LookAtSites"
    actions   = ["s3:GetObject"]
    resources = local.shown_sites
  }

  statement {
    sid       = "StorePictures"
    actions   = ["s3:PutObject"]
    resources = [local.pictures]
  }
}

data "aws_iam_policy_document" "relay_callback" {
  statement {
    sid       = "CountWhatJobsCost"
    actions   = ["dynamodb:UpdateItem"]
    resources = [local.tables.idempotency]
  }

  statement {
    sid       = "ReadReports"
    actions   = local.feed
    resources = [local.queues.output]
  }

  statement {
    sid       = "KnowOwners"
    actions   = ["dynamodb:GetItem"]
    resources = [local.tables.ownership]
  }

  statement {
    sid       = "MoveJobsOn"
    actions   = ["dynamodb:GetItem", "dynamodb:UpdateItem"]
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
    actions   = ["ses:SendEmail", "ses:SendRawEmail"] # one call, but SES wants both where the mail is given as bytes
    resources = [var.identity_arn, var.configuration_set_arn]

    condition {
      test     = "StringEquals"
      variable = "ses:FromAddress"
      values   = [var.reply_from]
    }
  }

  statement {
    sid       = "OnlyOnce"
    actions   = ["dynamodb:UpdateItem"]
    resources = [local.tables.idempotency]
  }

  statement {
    sid       = "LinkToTheProject"
    actions   = ["dynamodb:GetItem"]
    resources = [local.tables.project_configs]
  }

  statement {
    sid       = "InTheThread"
    actions   = ["dynamodb:PutItem", "dynamodb:UpdateItem"]
    resources = [local.tables.thread_mappings]
  }

  # A job that timed out is ended here, so that no worker goes on with it.
  statement {
    sid       = "KnowAndEndJobs"
    actions   = ["dynamodb:GetItem", "dynamodb:UpdateItem"]
    resources = [local.tables.jobs]
  }

  statement {
    sid       = "SignThreads"
    actions   = ["ssm:GetParameter"]
    resources = [local.thread_secret]
  }

  statement {
    sid       = "ShowPictures"
    actions   = ["s3:GetObject"]
    resources = [local.pictures]
  }
}

data "aws_iam_policy_document" "sweep" {
  statement {
    sid       = "MakeThePairsQueues"
    actions   = local.make_queues
    resources = values(local.pair_queues)
  }

  statement {
    sid       = "DeleteQueuesOfQuietPairs"
    actions   = ["sqs:DeleteQueue"]
    resources = values(local.pair_queues)
  }

  statement {
    sid       = "FindQuietPairs"
    actions   = ["sqs:ListQueues"]
    resources = ["*"] # SQS knows no resources for it
  }

  statement {
    sid       = "FindOpenJobs"
    actions   = ["dynamodb:Query"]
    resources = [local.open_jobs]
  }

  statement {
    sid       = "KnowOwnersAndFindDeadOnes"
    actions   = ["dynamodb:GetItem", "dynamodb:Scan"]
    resources = [local.tables.ownership]
  }

  statement {
    sid       = "KnowProjects"
    actions   = ["dynamodb:GetItem"]
    resources = [local.tables.project_configs]
  }

  statement {
    sid       = "ClearWhatTheyLeftAndMissWhatGotLost"
    actions   = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility", "sqs:GetQueueAttributes"]
    resources = [local.pair_queues.input]
  }

  statement {
    sid       = "MoveJobsOn"
    actions   = ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:UpdateItem"]
    resources = [local.tables.jobs]
  }

  statement {
    sid       = "LimitRequests"
    actions   = local.claim
    resources = [local.tables.worker_requests]
  }

  # Where a sweep stopped whose time ran out; and what jobs cost whose report it found among the dead letters.
  statement {
    sid       = "KeepACheckpoint"
    actions   = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"]
    resources = [local.tables.idempotency]
  }

  statement {
    sid       = "HandOverAgainAndAskForAnOwner"
    actions   = local.send
    resources = [local.pair_queues.input, local.queues.unclaimed]
  }

  statement {
    sid       = "CallTheFleet"
    actions   = ["lambda:InvokeFunction"]
    resources = [local.fleet_function]
  }

  statement {
    sid     = "ReadDeadLetters"
    actions = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility"]
    resources = [
      local.queues.unclaimed_dead_letters,
      local.queues.output_dead_letters,
      local.queues.input_dead_letters,
    ]
  }

  statement {
    sid       = "KeepTasksAliveAndEndThem"
    actions   = local.end_tasks
    resources = [local.state_machine_arn]
  }
}

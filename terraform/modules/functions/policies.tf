# The permissions of each function: exactly the calls that its code makes.
# tests/infrastructure/test_function_permissions.py lists these calls and compares; tests/peers records them.

locals {
  account_scope = "${var.location.region}:${var.location.account}"
  s3            = "arn:${var.location.partition}:s3::"
  sqs           = "arn:${var.location.partition}:sqs:${local.account_scope}"
  dynamodb      = "arn:${var.location.partition}:dynamodb:${local.account_scope}"
  ecs           = "arn:${var.location.partition}:ecs:${local.account_scope}"
  parameters    = "arn:${var.location.partition}:ssm:${local.account_scope}:parameter"

  queues            = { for key, name in var.queue_names : key => "${local.sqs}:${name}" }
  pair_queues       = { for key, name in var.pair_queue_patterns : key => "${local.sqs}:${name}" }
  tables            = { for key, name in var.table_names : key => "${local.dynamodb}:table/${name}" }
  raw_mail          = "${local.s3}:${var.bucket_names.raw_mail}/${var.raw_mail_folder}*"
  parts             = "${local.s3}:${var.bucket_names.raw_mail}/${var.attachment_parts_folder}*"
  media             = "${local.s3}:${var.bucket_names.media}/${var.media_folder}*"
  pictures          = "${local.s3}:${var.bucket_names.media}/${var.pictures_folder}*"
  public_sites      = [for folder in var.shown_folders : "${local.s3}:${var.bucket_names.sites}/${folder}*"]
  releases          = "${local.s3}:${var.bucket_names.sites}/${var.releases_folder}*"
  thread_secret     = "${local.parameters}${aws_ssm_parameter.thread_secret.name}"
  fleet_function    = "arn:${var.location.partition}:lambda:${local.account_scope}:function:${var.function_names.fleet}:${var.alias}"
  state_machine_arn = "arn:${var.location.partition}:states:${local.account_scope}:stateMachine:${var.state_machine_name}"

  # Lambda itself polls the queue of a function; the function receives the messages in its event.
  poll = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"]

  # Statements that several functions share.
  read_projects        = { sid = "ReadProjects", actions = ["dynamodb:GetItem"], resources = [local.tables.project_configs] }
  read_ownership       = { sid = "ReadOwnership", actions = ["dynamodb:GetItem"], resources = [local.tables.ownership] }
  change_ownership     = { sid = "ChangeOwnership", actions = ["dynamodb:GetItem", "dynamodb:UpdateItem"], resources = [local.tables.ownership] }
  change_jobs          = { sid = "ChangeJobs", actions = ["dynamodb:GetItem", "dynamodb:UpdateItem"], resources = [local.tables.jobs] }
  list_jobs            = { sid = "ListUnfinishedJobs", actions = ["dynamodb:Query", "dynamodb:PutItem", "dynamodb:DeleteItem"], resources = [local.tables.unfinished_jobs] }
  unlist_jobs          = { sid = "UnlistFinishedJobs", actions = ["dynamodb:DeleteItem"], resources = [local.tables.unfinished_jobs] }
  update_counters      = { sid = "UpdateCounters", actions = ["dynamodb:UpdateItem"], resources = [local.tables.idempotency] }
  start_executions     = { sid = "StartExecutions", actions = ["states:StartExecution"], resources = [local.state_machine_arn] }
  find_due_attempts    = { sid = "FindSecondAttempts", actions = ["dynamodb:Query"], resources = ["${local.tables.jobs}/index/${var.index_names.open_jobs}"] }
  settle_costs         = { sid = "SettleCosts", actions = ["dynamodb:UpdateItem"], resources = [local.tables.spending] }
  limit_requests       = { sid = "LimitWorkerRequests", actions = ["dynamodb:GetItem", "dynamodb:UpdateItem"], resources = [local.tables.worker_requests] }
  note_conversations   = { sid = "NoteConversations", actions = ["dynamodb:UpdateItem"], resources = [local.tables.conversations] } # for the console
  request_worker       = { sid = "RequestWorker", actions = ["sqs:SendMessage"], resources = [local.queues.unclaimed] }
  send_job             = { sid = "SendJobAndRequestWorker", actions = ["sqs:SendMessage"], resources = [local.pair_queues.input, local.queues.unclaimed] }
  send_interrupt       = { sid = "SendInterrupt", actions = ["sqs:SendMessage"], resources = [local.pair_queues.interrupts] }
  create_pair_queues   = { sid = "CreatePairQueues", actions = ["sqs:GetQueueAttributes", "sqs:CreateQueue", "sqs:SetQueueAttributes", "sqs:TagQueue"], resources = values(local.pair_queues) }
  read_shortage        = { sid = "ReadShortage", actions = ["dynamodb:GetItem"], resources = [local.tables.workers] }
  invoke_fleet         = { sid = "InvokeFleet", actions = ["lambda:InvokeFunction"], resources = [local.fleet_function] }
  end_tasks            = { sid = "EndTasks", actions = ["states:SendTaskSuccess", "states:SendTaskFailure"], resources = ["*"] } # IAM knows no resources for it: the task token decides
  extend_and_end_tasks = { sid = "ExtendAndEndTasks", actions = ["states:SendTaskSuccess", "states:SendTaskFailure", "states:SendTaskHeartbeat"], resources = ["*"] }
  read_thread_secret   = { sid = "ReadThreadSecret", actions = ["ssm:GetParameter"], resources = [local.thread_secret] }

  permissions = {
    intake = [
      { sid = "ReceiveMail", actions = local.poll, resources = [local.queues.email] },
      local.start_executions,
    ]

    parse_email = [
      { sid = "ReadRawMail", actions = ["s3:GetObject"], resources = [local.raw_mail] },
      { sid = "StoreParts", actions = ["s3:PutObject"], resources = [local.parts] },
      local.read_projects,
      { sid = "ChangeThreads", actions = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"], resources = [local.tables.thread_mappings] },
      local.update_counters,
      { sid = "ReserveCosts", actions = ["dynamodb:Query", "dynamodb:UpdateItem"], resources = [local.tables.spending] },
      local.read_thread_secret,
    ]

    process_attachment = [
      { sid = "ReadParts", actions = ["s3:GetObject"], resources = [local.parts] },
      { sid = "StoreAttachments", actions = ["s3:PutObject"], resources = [local.media] },
    ]

    check_ownership = [local.read_ownership]

    claim = [
      local.read_projects,
      local.create_pair_queues,
      local.limit_requests,
      local.read_shortage,
      local.request_worker,
      local.invoke_fleet,
    ]

    control = [
      { sid = "ReadReleases", actions = ["s3:GetObject"], resources = [local.releases] },
      { sid = "ReadThreads", actions = ["dynamodb:GetItem"], resources = [local.tables.thread_mappings] },
      local.find_due_attempts,
      { sid = "FindAndEndJobs", actions = ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:UpdateItem"], resources = [local.tables.jobs] },
      { sid = "FindAndUnlistJobs", actions = ["dynamodb:Query", "dynamodb:DeleteItem"], resources = [local.tables.unfinished_jobs] },
      local.send_interrupt,
      local.end_tasks,
    ]

    dispatch = [
      local.read_projects,
      local.create_pair_queues,
      local.read_ownership,
      local.find_due_attempts,
      { sid = "RecordJobs", actions = ["dynamodb:BatchGetItem", "dynamodb:UpdateItem"], resources = [local.tables.jobs] },
      local.list_jobs,
      local.limit_requests,
      local.read_shortage,
      local.note_conversations,
      local.send_job,
      local.send_interrupt,
      local.invoke_fleet,
      local.end_tasks,
    ]

    fleet = [
      local.read_projects,
      { sid = "ChangeWorkers", actions = ["dynamodb:GetItem", "dynamodb:Scan", "dynamodb:UpdateItem"], resources = [local.tables.workers] },
      local.change_ownership,
      { sid = "ScanWorkerRequests", actions = ["dynamodb:GetItem", "dynamodb:UpdateItem", "dynamodb:Scan"], resources = [local.tables.worker_requests] },
      local.request_worker,
      {
        sid        = "StartWorkers"
        actions    = ["ecs:RunTask"]
        resources  = ["${local.ecs}:task-definition/${var.fleet.family}:*"]
        conditions = [{ test = "StringEquals", variable = "ecs:cluster", values = [var.fleet.cluster_arn] }]
      },
      {
        sid        = "PassWorkerRoles"
        actions    = ["iam:PassRole"]
        resources  = var.fleet.role_arns
        conditions = [{ test = "StringEquals", variable = "iam:PassedToService", values = ["ecs-tasks.amazonaws.com"] }]
      },
      { sid = "DescribeAndStopWorkers", actions = ["ecs:DescribeTasks", "ecs:StopTask"], resources = ["${local.ecs}:task/${var.fleet.cluster}/*"] },
    ]

    broker = [
      local.read_projects,
      { sid = "ChangeWorkers", actions = ["dynamodb:GetItem", "dynamodb:UpdateItem"], resources = [local.tables.workers] },
      {
        sid       = "ReceiveAndSendWorkerRequests"
        actions   = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility", "sqs:SendMessage"]
        resources = [local.queues.unclaimed]
      },
      local.change_ownership,
      {
        # Only whether jobs are waiting: it may read their states, but not their instructions or task tokens.
        sid       = "FindWaitingJobs"
        actions   = ["dynamodb:Query"]
        resources = [local.tables.jobs]
        conditions = [
          { test = "ForAllValues:StringEquals", variable = "dynamodb:Attributes", values = ["projectKey", "jobId", "state", "open"] },
          { test = "StringEquals", variable = "dynamodb:Select", values = ["SPECIFIC_ATTRIBUTES"] },
        ]
      },
      { sid = "ReadUnfinishedJobs", actions = ["dynamodb:Query"], resources = [local.tables.unfinished_jobs] },
      { sid = "ChangeWorkerRequests", actions = ["dynamodb:GetItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"], resources = [local.tables.worker_requests] },
      local.invoke_fleet,
      { sid = "AssumePairRole", actions = ["sts:AssumeRole", "sts:TagSession"], resources = [var.worker_roles.access] },
      # Workers get tokens that are created with the App's key, never the key itself.
      { sid = "ReadGithubAppKeys", actions = ["ssm:GetParameter"], resources = ["${local.parameters}${var.github_app_parameters}"] },
    ]

    # It opens untrusted pages, so it can only read what is public and store pictures.
    picture = [
      { sid = "ReadPublicSites", actions = ["s3:GetObject"], resources = local.public_sites },
      { sid = "StorePictures", actions = ["s3:PutObject"], resources = [local.pictures] },
    ]

    relay_callback = [
      local.update_counters,
      local.settle_costs,
      { sid = "ReceiveReports", actions = local.poll, resources = [local.queues.output] },
      { sid = "KeepUnreadableReports", actions = ["sqs:SendMessage"], resources = [local.queues.output_dead_letters] },
      local.read_ownership,
      local.change_jobs,
      local.unlist_jobs,
      local.extend_and_end_tasks,
    ]

    reply = [
      {
        sid        = "SendReplies"
        actions    = ["ses:SendEmail", "ses:SendRawEmail"] # SES checks both for a raw message
        resources  = concat([var.identity_arn, var.configuration_set_arn], var.recipient_identity_arns)
        conditions = [{ test = "StringEquals", variable = "ses:FromAddress", values = [var.reply_from] }]
      },
      local.update_counters,
      local.read_projects,
      { sid = "WriteThreads", actions = ["dynamodb:PutItem", "dynamodb:UpdateItem"], resources = [local.tables.thread_mappings] },
      local.note_conversations,
      local.change_jobs, # ends a job that timed out, so that no worker continues it
      local.unlist_jobs,
      local.read_thread_secret,
      { sid = "ReadPictures", actions = ["s3:GetObject"], resources = [local.pictures] },
    ]

    sweep = [
      local.start_executions,
      local.create_pair_queues,
      { sid = "DeletePairQueues", actions = ["sqs:DeleteQueue"], resources = values(local.pair_queues) },
      { sid = "ListQueues", actions = ["sqs:ListQueues"], resources = ["*"] }, # SQS supports no resources for it
      { sid = "FindOpenJobs", actions = ["dynamodb:Query"], resources = ["${local.tables.jobs}/index/${var.index_names.open_jobs}"] },
      local.read_ownership,
      { sid = "FindLapsedOwners", actions = ["dynamodb:Scan"], resources = ["${local.tables.ownership}/index/${var.index_names.by_container}"] },
      local.read_projects,
      {
        sid       = "ReceiveOrphanedJobs"
        actions   = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility"]
        resources = [local.pair_queues.input]
      },
      { sid = "FindAndChangeJobs", actions = ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:UpdateItem"], resources = [local.tables.jobs] },
      local.list_jobs,
      local.limit_requests,
      local.read_shortage,
      {
        # The checkpoint of a sweep that ran out of time, and the costs in dead reports.
        sid       = "StoreCheckpointsAndCounters"
        actions   = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"]
        resources = [local.tables.idempotency]
      },
      local.settle_costs,
      local.send_job,
      local.invoke_fleet,
      {
        sid       = "ReceiveDeadLetters"
        actions   = ["sqs:ReceiveMessage", "sqs:DeleteMessage"]
        resources = [local.queues.unclaimed_dead_letters, local.queues.output_dead_letters, local.queues.input_dead_letters]
      },
      { sid = "KeepUnreadableReports", actions = ["sqs:ChangeMessageVisibility"], resources = [local.queues.output_dead_letters] },
      local.extend_and_end_tasks,
    ]
  }
}

data "aws_iam_policy_document" "permissions" {
  for_each = local.permissions

  dynamic "statement" {
    for_each = each.value

    content {
      sid       = statement.value.sid
      actions   = statement.value.actions
      resources = statement.value.resources

      dynamic "condition" {
        for_each = lookup(statement.value, "conditions", [])

        content {
          test     = condition.value.test
          variable = condition.value.variable
          values   = condition.value.values
        }
      }
    }
  }
}

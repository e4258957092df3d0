variable "package_dir" {
  description = "Folder with the zips of make package."
  type        = string
  default     = "../build/lambda"
}

variable "thread_secret" {
  description = "At least 32 random characters."
  type        = string
  sensitive   = true
  ephemeral   = true
}

module "functions" {
  source = "../.."

  prefix               = "webordinary"
  alias                = "live"
  location             = { partition = "aws", region = "eu-west-1", account = "123456789012" }
  package_dir          = var.package_dir
  architecture         = "arm64"
  architectures        = { picture = "x86_64" }
  log_level            = "INFO"
  log_retention_days   = 30
  tracing              = true
  reserved_concurrency = { process_attachment = 5 }
  timing               = { sweep_seconds = 60, picture_seconds = 15 }
  metrics_namespace    = "webordinary"
  state_machine_name   = "webordinary-email-processor"

  mail_domain           = "mail.example.com"
  reply_from            = "edit@mail.example.com"
  thread_secret         = var.thread_secret
  worker_role_id        = "AROAEXAMPLEEXAMPLE"
  identity_arn          = "arn:aws:ses:eu-west-1:123456789012:identity/mail.example.com"
  configuration_set     = "webordinary-replies"
  configuration_set_arn = "arn:aws:ses:eu-west-1:123456789012:configuration-set/webordinary-replies"

  bucket_names            = { for key in ["raw_mail", "media", "sites"] : key => "webordinary-${replace(key, "_", "-")}-123456789012" }
  raw_mail_folder         = "mail/"
  attachment_parts_folder = "parts/"
  media_folder            = "media/"
  pictures_folder         = "pictures/"
  shown_folders           = ["*/live/", "*/preview/*/"]
  releases_folder         = "*/releases/"
  index_names             = { open_jobs = "open-jobs", by_container = "by-container" }

  worker_roles = {
    task   = "arn:aws:iam::123456789012:role/webordinary-worker-task"
    access = "arn:aws:iam::123456789012:role/webordinary-worker-access"
  }

  fleet_size = { maximum = 10, spare = 0, spare_policy = "adaptive", on_demand = 0, spot_weight = 3 }

  fleet = {
    cluster             = "webordinary-workers"
    cluster_arn         = "arn:aws:ecs:eu-west-1:123456789012:cluster/webordinary-workers"
    task_definition_arn = "arn:aws:ecs:eu-west-1:123456789012:task-definition/webordinary-workers:1"
    family              = "webordinary-workers"
    role_arns           = ["arn:aws:iam::123456789012:role/webordinary-worker-task"]
    subnet_ids          = ["subnet-0123456789abcdef0"]
    security_group_ids  = ["sg-0123456789abcdef0"]
    public_addresses    = true
  }

  queue_arns = {
    email  = "arn:aws:sqs:eu-west-1:123456789012:webordinary-email"
    output = "arn:aws:sqs:eu-west-1:123456789012:webordinary-output.fifo"
  }

  pair_queue_patterns = {
    input      = "webordinary-input-*-*.fifo"
    interrupts = "webordinary-interrupts-*-*"
  }

  github_app_parameters = "/webordinary/projects/*/github-app"

  # Here and below: a name for every key in the contract.
  function_names = {
    for key in ["intake", "parse_email", "process_attachment", "check_ownership", "claim", "control", "dispatch", "fleet", "broker", "picture", "relay_callback", "reply", "sweep"] :
    key => "webordinary-${replace(key, "_", "-")}"
  }
  queue_names = {
    for key in ["email", "unclaimed", "unclaimed_dead_letters", "output", "output_dead_letters", "input_dead_letters"] :
    key => "webordinary-${replace(key, "_", "-")}"
  }
  table_names = {
    for key in ["ownership", "jobs", "unfinished_jobs", "thread_mappings", "worker_requests", "project_configs", "idempotency", "workers", "spending", "conversations"] :
    key => "webordinary-${replace(key, "_", "-")}"
  }
}

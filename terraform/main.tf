# webordinary: receives mail, runs one job per mail, and sends a reply.

provider "aws" {
  region              = var.region
  allowed_account_ids = var.allowed_account_ids

  default_tags {
    tags = { Application = var.prefix, Environment = var.environment }
  }
}

# CloudFront requires its certificates and functions in us-east-1.
provider "aws" {
  alias               = "global"
  region              = "us-east-1"
  allowed_account_ids = var.allowed_account_ids

  default_tags {
    tags = { Application = var.prefix, Environment = var.environment }
  }
}

module "mail" {
  source = "./modules/mail"

  prefix                  = var.prefix
  location                = local.location
  bucket_names            = local.bucket_names
  raw_mail_folder         = local.contract.prefixes.raw_mail
  attachment_parts_folder = local.contract.prefixes.attachment_parts
  media_folder            = local.media_folder
  pictures_folder         = local.pictures_folder
  sessions_folder         = local.sessions_folder
  mail_domain             = var.mail_domain
  inbound_recipients      = coalesce(var.inbound_recipients, [var.mail_domain])
  require_inbound_tls     = var.require_inbound_tls
  receipt_rule_set        = var.receipt_rule_set
  activate_rule_set       = var.activate_rule_set
  sandbox_addresses       = var.sandbox_addresses
  email_queue_arn         = module.queues.arns.email
  raw_mail_days           = var.raw_mail_days
  media_days              = var.media_days
  session_days            = var.session_days
  force_destroy           = var.force_destroy
  kms_key_arn             = var.kms_key_arn
}

module "queues" {
  source = "./modules/queues"

  names             = local.queue_names
  location          = local.location
  timing            = local.timing
  function_timeouts = module.functions.timeouts
  raw_mail_bucket   = local.bucket_names.raw_mail
  attempts          = local.contract.limits.attempts_before_dead_letter
  kms_key_arn       = var.kms_key_arn
}

module "tables" {
  source = "./modules/tables"

  names                  = local.table_names
  keys                   = local.contract.keys
  index_names            = local.contract.indexes
  point_in_time_recovery = var.point_in_time_recovery
  deletion_protection    = var.deletion_protection
  kms_key_arn            = var.kms_key_arn
}

module "functions" {
  source = "./modules/functions"

  prefix                  = var.prefix
  location                = local.location
  function_names          = local.function_names
  alias                   = local.contract.alias
  queue_names             = local.queue_names
  pair_queue_patterns     = local.pair_queue_patterns
  github_app_parameters   = local.github_app_parameters
  table_names             = local.table_names
  index_names             = local.contract.indexes
  bucket_names            = local.bucket_names
  raw_mail_folder         = local.contract.prefixes.raw_mail
  attachment_parts_folder = local.contract.prefixes.attachment_parts
  media_folder            = local.media_folder
  pictures_folder         = local.pictures_folder
  shown_folders           = local.shown_folders
  releases_folder         = local.releases_folder
  state_machine_name      = local.state_machine_name
  queue_arns              = module.queues.arns
  timing                  = local.timing
  metrics_namespace       = local.metrics_namespace
  package_dir             = var.package_dir
  architecture            = var.architecture
  architectures           = local.contract.architectures
  pictures                = var.pictures
  log_level               = var.log_level
  log_retention_days      = var.log_retention_days
  tracing                 = var.tracing
  reserved_concurrency    = var.reserved_concurrency
  mail_domain             = var.mail_domain
  reply_from              = local.reply_from
  service_name            = var.service_name
  guide_url               = var.guide_url
  configuration_set       = module.mail.configuration_set
  configuration_set_arn   = module.mail.configuration_set_arn
  identity_arn            = module.mail.identity_arn
  recipient_identity_arns = module.mail.sandbox_identity_arns
  sites_online            = local.sites_online
  thread_secret           = var.thread_secret
  thread_secret_version   = var.thread_secret_version
  worker_role_id          = module.workers.access_role_id
  worker_roles            = { task = module.workers.task_role_arn, access = module.workers.access_role_arn }
  compare_report_senders  = var.compare_report_senders
  fleet                   = module.workers.fleet
  kms_key_arn             = var.kms_key_arn
  key_use                 = local.key_use.all

  live_previews = var.live_previews ? {
    listener_arn  = one(module.live_previews[*].listener_arn)
    load_balancer = templatestring(local.contract.live_previews.load_balancer, { prefix = var.prefix })
    target_groups = templatestring(local.contract.live_previews.target_group, { prefix = var.prefix, slot = "slot-*" })
  } : null

  fleet_size = {
    maximum      = var.max_workers
    spare        = var.spare_workers
    spare_policy = var.spare_policy
    on_demand    = var.on_demand_workers
    spot_weight  = var.spot_weight
  }
}

module "workflow" {
  source = "./modules/workflow"

  name               = local.state_machine_name
  location           = local.location
  definition_file    = var.state_machine_file
  alias              = local.contract.alias
  timing             = local.timing
  log_retention_days = var.log_retention_days
  tracing            = var.tracing
  kms_key_arn        = var.kms_key_arn

  # Without intake, relay_callback, sweep, fleet and broker, which the state machine does not invoke.
  function_arns = {
    for key in ["parse_email", "process_attachment", "check_ownership", "claim", "control", "dispatch", "picture", "reply"] :
    key => module.functions.arns[key]
  }
}

module "workers" {
  source = "./modules/workers"

  prefix                = var.prefix
  location              = local.location
  queue_names           = local.queue_names
  table_names           = local.table_names
  bucket_names          = local.bucket_names
  own                   = local.own
  older_threads         = var.older_threads
  broker                = { function_arn = local.broker_arn, role_arn = module.functions.role_arns.broker }
  timing                = local.timing
  metrics_namespace     = local.metrics_namespace
  image                 = var.worker_image
  cpu                   = var.worker_cpu
  memory                = var.worker_memory
  storage_gigabytes     = var.worker_storage_gigabytes
  architecture          = var.architecture
  environment           = var.worker_environment
  anthropic_api_key_arn = contains(local.models.providers, "anthropic") ? var.anthropic_api_key_arn : null
  bedrock_models        = local.bedrock_models
  project_profiles      = var.project_profiles
  models                = local.models
  log_retention_days    = var.log_retention_days
  container_insights    = var.container_insights
  create_network        = var.create_network
  network_cidr          = var.network_cidr
  subnet_ids            = var.subnet_ids
  security_group_ids    = var.security_group_ids
  live_port             = var.live_previews ? local.contract.live_previews.port : null
  kms_key_arn           = var.kms_key_arn
  key_use               = local.key_use.all
}

module "live_previews" {
  source = "./modules/live_previews"
  count  = var.live_previews ? 1 : 0

  prefix             = var.prefix
  location           = local.location
  contract           = local.contract.live_previews
  max_workers        = var.max_workers
  network            = module.workers.network
  bucket_name        = local.bucket_names.sites
  shown_folders      = local.shown_folders
  package_dir        = var.package_dir
  log_retention_days = var.log_retention_days
  kms_key_arn        = var.kms_key_arn
  key_use            = local.key_use.files
}

module "sites" {
  source    = "./modules/sites"
  providers = { aws = aws, aws.global = aws.global }

  prefix            = var.prefix
  location          = local.location
  bucket_name       = local.bucket_names.sites
  contract          = { for key in ["patterns", "prefixes", "hosts"] : key => local.contract[key] }
  sites_domain      = local.sites_domain
  preview_domain    = local.preview_domain
  create_cdn        = var.create_cdn
  zone_id           = var.sites_zone_id
  certificate_ready = var.sites_certificate_ready
  package_dir       = var.package_dir
  price_class       = var.sites_price_class
  force_destroy     = var.force_destroy
  kms_key_arn       = var.kms_key_arn
  key_use           = local.key_use.files

  live_previews = var.live_previews ? {
    domain_name   = one(module.live_previews[*].origin.domain_name)
    vpc_origin_id = one(module.live_previews[*].origin.vpc_origin_id)
    host_header   = local.contract.live_previews.host_header
    target_header = local.contract.live_previews.target_header
    changes_path  = local.contract.live_previews.changes_path
  } : null

  own_domains              = var.own_domains
  preview_password_digests = var.preview_password_digests
}

module "monitoring" {
  source = "./modules/monitoring"
  count  = var.create_monitoring ? 1 : 0

  prefix             = var.prefix
  location           = local.location
  queue_names        = local.queue_names
  function_names     = local.function_names
  state_machine_arn  = module.workflow.arn
  metrics_namespace  = local.metrics_namespace
  alarm_address      = var.alarm_address
  claim_wait_seconds = var.claim_wait_alarm_seconds
  kms_key_arn        = var.kms_key_arn

  monthly_budget_dollars = var.monthly_budget_dollars

  dead_letter_queue_names = [for key, name in local.queue_names : name if endswith(key, "_dead_letters")]
}

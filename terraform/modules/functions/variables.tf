variable "prefix" {
  description = "Prefix of all resource names."
  type        = string
}

variable "location" {
  description = "Partition, region and account, to build ARNs from names."
  type        = object({ partition = string, region = string, account = string })
}

variable "function_names" {
  description = "Function names by contract key."
  type        = map(string)
}

variable "alias" {
  description = "Alias of the live version of every function and the state machine."
  type        = string
}

variable "queue_names" {
  description = "Names of the shared queues by contract key."
  type        = map(string)
}

variable "pair_queue_patterns" {
  description = "Name patterns of the pair queues, with * for project and user."
  type        = object({ input = string, interrupts = string })
}

variable "github_app_parameters" {
  description = "Name pattern of the parameters with GitHub App keys, with * for the project."
  type        = string
}

variable "table_names" {
  description = "Table names by contract key."
  type        = map(string)
}

variable "index_names" {
  description = "Index names by contract key."
  type        = object({ open_jobs = string, by_container = string })
}

variable "bucket_names" {
  description = "Names of the buckets for raw mail, media and sites."
  type        = object({ raw_mail = string, media = string, sites = string })
}

variable "attachment_parts_folder" {
  description = "Key prefix of extracted attachments in the raw-mail bucket."
  type        = string
}

variable "raw_mail_folder" {
  description = "Key prefix of raw mail stored by SES."
  type        = string
}

variable "media_folder" {
  description = "Key prefix of all attachments."
  type        = string
}

variable "pictures_folder" {
  description = "Key prefix of all pictures for replies, in the media bucket."
  type        = string
}

variable "shown_folders" {
  description = "Key prefixes of the public folders in the sites bucket, with * for project and thread."
  type        = list(string)
}

variable "releases_folder" {
  description = "Key prefix of release records in the sites bucket, with * for the project."
  type        = string
}

variable "state_machine_name" {
  description = "Name of the state machine, to build its ARN: it is created after the functions."
  type        = string
}

variable "queue_arns" {
  description = "ARNs of the queues that functions read, known once the queues exist."
  type        = object({ email = string, output = string })
}

variable "timing" {
  description = "Timing of the contract with this environment's overrides, in seconds."
  type        = map(number)
}

variable "metrics_namespace" {
  description = "Namespace of the functions' metrics."
  type        = string
}

variable "package_dir" {
  description = "Folder with functions/<name>.zip and layers/<name>.zip."
  type        = string
}

variable "architecture" {
  description = "Processor architecture of the functions."
  type        = string
}

variable "architectures" {
  description = "Architectures of functions that require a certain one, by contract key."
  type        = map(string)
}

variable "log_level" {
  description = "Log level of the functions."
  type        = string
}

variable "log_retention_days" {
  description = "Retention of logs in days."
  type        = number
}

variable "tracing" {
  description = "Whether invocations are traced with X-Ray."
  type        = bool
}

variable "reserved_concurrency" {
  description = "Reserved concurrency by function. Nothing is reserved by default: a new account has 10 concurrent executions, of which none can be reserved."
  type        = map(number)

  validation {
    condition     = length(setsubtract(keys(var.reserved_concurrency), keys(var.function_names))) == 0
    error_message = "reserved_concurrency names a function that does not exist: ${join(", ", setsubtract(keys(var.reserved_concurrency), keys(var.function_names)))}."
  }
}

variable "pictures" {
  description = "Whether replies show pictures of changes; a project can turn them off."
  type        = bool
  default     = true
}

variable "mail_domain" {
  description = "Domain that receives mail and sends replies."
  type        = string
}

variable "reply_from" {
  description = "Sender address of replies."
  type        = string
}

variable "service_name" {
  description = "Name of the sender of replies, for a project without a title."
  type        = string
  default     = "webordinary"
}

variable "guide_url" {
  description = "Address of a page for site owners, which the reply to help links to; null: no link."
  type        = string
  default     = null
}

variable "configuration_set" {
  description = "Name of the SES configuration set for replies."
  type        = string
}

variable "identity_arn" {
  description = "ARN of the SES identity that sends replies."
  type        = string
}

variable "recipient_identity_arns" {
  description = "ARNs of SES identities of recipients: in the SES sandbox, sending needs a permission for the recipient's identity too."
  type        = list(string)
  default     = []
}

variable "sites_online" {
  description = "Whether the hosts of sites resolve. Until then, replies contain no links to them."
  type        = bool
  default     = true
}

variable "configuration_set_arn" {
  description = "ARN of the SES configuration set for replies."
  type        = string
}

variable "thread_secret" {
  description = "Key that signs the thread ids in reply addresses."
  type        = string
  sensitive   = true
  ephemeral   = true
}

variable "thread_secret_version" {
  description = "Increased by one for every new thread_secret."
  type        = number
  default     = 1
}

variable "worker_role_id" {
  description = "Unique id of the role that workers use to send reports."
  type        = string
}

variable "worker_roles" {
  description = "ARNs of the workers' task role and of the role they use for their pair."
  type        = object({ task = string, access = string })
}

variable "compare_report_senders" {
  description = "Whether to accept a report only if its SQS sender is the owner of the pair."
  type        = bool
  default     = true
}

variable "fleet" {
  description = "Settings to start workers: cluster, task definition, roles to pass, network."
  type = object({
    cluster             = string
    cluster_arn         = string
    task_definition_arn = string
    family              = string
    role_arns           = list(string)
    subnet_ids          = list(string)
    security_group_ids  = list(string)
    public_addresses    = bool
  })
}

variable "fleet_size" {
  description = "Maximum number of workers, idle spare workers and their policy, on-demand workers before Spot is used, and Spot workers for each further on-demand worker."
  type        = object({ maximum = number, spare = number, spare_policy = string, on_demand = number, spot_weight = number })
}

variable "live_previews" {
  description = "The load balancer of live previews: listener ARN, name, and name pattern of the target groups. Null without live previews."
  type        = object({ listener_arn = string, load_balancer = string, target_groups = string })
  default     = null
}

variable "kms_key_arn" {
  description = "KMS key that encrypts logs, packages, secrets and the functions' data; AWS's default key if null."
  type        = string
  default     = null
}

variable "key_use" {
  description = "Policy documents that allow a role to use the KMS key, if one is set."
  type        = list(string)
  default     = []
}

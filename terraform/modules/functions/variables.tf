variable "prefix" {
  description = "What the names of resources start with."
  type        = string
}

variable "location" {
  description = "Partition, region and account, for ARNs that are built from names."
  type        = object({ partition = string, region = string, account = string })
}

variable "function_names" {
  description = "Function names, by their key in the contract."
  type        = map(string)
}

variable "alias" {
  description = "Name under which the live version of every function and of the state machine is called."
  type        = string
}

variable "queue_names" {
  description = "Names of the shared queues, by their key in the contract."
  type        = map(string)
}

variable "pair_queue_patterns" {
  description = "Names of all pairs' queues with * for project and user: input and interrupts."
  type        = object({ input = string, interrupts = string })
}

variable "github_app_parameters" {
  description = "Name of all projects' parameters with the key of a GitHub App, with * for the project."
  type        = string
}

variable "table_names" {
  description = "Table names, by their key in the contract."
  type        = map(string)
}

variable "index_names" {
  description = "Index names, by their key in the contract."
  type        = object({ open_jobs = string })
}

variable "bucket_names" {
  description = "Names of the buckets for raw mail, for media and of all sites."
  type        = object({ raw_mail = string, media = string, sites = string })
}

variable "attachment_parts_folder" {
  description = "The folder in the raw-mail bucket for the attachments of mails, each on its own."
  type        = string
}

variable "raw_mail_folder" {
  description = "Key prefix under which SES stores mail."
  type        = string
}

variable "media_folder" {
  description = "Key prefix of all attachments."
  type        = string
}

variable "pictures_folder" {
  description = "Key prefix of all pictures for answers, in the bucket for media."
  type        = string
}

variable "shown_folders" {
  description = "Key prefixes of what the bucket of all sites shows to everybody, with * for project and thread."
  type        = list(string)
}

variable "releases_folder" {
  description = "Key prefix of the records of releases in the bucket of all sites, with * for project."
  type        = string
}

variable "state_machine_name" {
  description = "Name of the state machine; its ARN is built from it, because the machine needs the functions first."
  type        = string
}

variable "queue_arns" {
  description = "ARNs of the queues that functions read, known once the queues exist."
  type        = object({ email = string, output = string })
}

variable "timing" {
  description = "The contract's times, with this environment's overrides."
  type        = map(number)
}

variable "metrics_namespace" {
  description = "Namespace of the functions' metrics."
  type        = string
}

variable "package_dir" {
  description = "Folder that holds functions/<name>.zip and layers/<name>.zip."
  type        = string
}

variable "architecture" {
  description = "Processor architecture of the functions."
  type        = string
}

variable "architectures" {
  description = "Processor architecture of functions that need a certain one, by their key in the contract."
  type        = map(string)
}

variable "log_level" {
  description = "Log level of the functions."
  type        = string
}

variable "log_retention_days" {
  description = "Days for which logs are kept."
  type        = number
}

variable "tracing" {
  description = "Whether invocations are traced with X-Ray."
  type        = bool
}

variable "reserved_concurrency" {
  description = "Highest number of concurrent executions, by function; functions that are not named have no limit of their own, except fleet (1)."
  type        = map(number)

  validation {
    condition     = length(setsubtract(keys(var.reserved_concurrency), keys(var.function_names))) == 0
    error_message = "reserved_concurrency names a function that does not exist: ${join(", ", setsubtract(keys(var.reserved_concurrency), keys(var.function_names)))}."
  }
}

variable "pictures" {
  description = "Whether answers show pictures of what changed; a project may go without."
  type        = bool
  default     = true
}

variable "mail_domain" {
  description = "Domain that mail is received for and answered from."
  type        = string
}

variable "reply_from" {
  description = "Address that answers are sent from."
  type        = string
}

variable "configuration_set" {
  description = "Name of the SES configuration set that answers are sent with."
  type        = string
}

variable "identity_arn" {
  description = "ARN of the SES identity that answers are sent from."
  type        = string
}

variable "configuration_set_arn" {
  description = "ARN of the SES configuration set that answers are sent with."
  type        = string
}

variable "thread_secret" {
  description = "Key that signs the thread ids in reply addresses."
  type        = string
  sensitive   = true
  ephemeral   = true
}

variable "thread_secret_version" {
  description = "Raised by one whenever thread_secret is a new key."
  type        = number
  default     = 1
}

variable "worker_role_id" {
  description = "Unique id of the role that workers report with."
  type        = string
}

variable "worker_roles" {
  description = "ARNs of the role that workers start with, and of the one in which they act for a pair."
  type        = object({ task = string, access = string })
}

variable "compare_report_senders" {
  description = "Whether a report counts only if SQS says that the owner of its pair sent it."
  type        = bool
  default     = true
}

variable "fleet" {
  description = "What workers are started from: cluster, task definition, the roles that are passed on, network."
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
  description = "Highest number of workers, how many are kept spare, how many run on demand before spot is used, and how many on spot for each further one on demand."
  type        = object({ maximum = number, spare = number, on_demand = number, spot_weight = number })
}

variable "live_previews" {
  description = "The load balancer that leads people to workers: its listener's ARN, its name, and the names of its target groups with a place for the number. Null where there is none."
  type        = object({ listener_arn = string, load_balancer = string, target_groups = string })
  default     = null
}

variable "kms_key_arn" {
  description = "KMS key that encrypts logs, packages, secrets and what the functions read and write; AWS's own if null."
  type        = string
  default     = null
}

variable "key_use" {
  description = "Policy documents that let a role use the KMS key, where there is one."
  type        = list(string)
  default     = []
}

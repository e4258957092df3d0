variable "prefix" {
  description = "What the names of resources start with."
  type        = string
}

variable "location" {
  description = "Partition, region and account, for ARNs that are built from names."
  type        = object({ partition = string, region = string, account = string })
}

variable "queue_names" {
  description = "Names of the shared queues, by their key in the contract."
  type        = map(string)
}

variable "table_names" {
  description = "Table names, by their key in the contract."
  type        = map(string)
}

variable "bucket_names" {
  description = "Names of the buckets for media and for all sites."
  type        = object({ media = string, sites = string })
}

variable "own" {
  description = "Names, prefixes and keys of one pair, with the session's tags in place of project and user."
  type = object({
    input             = string
    interrupts        = string
    site_prefixes     = map(string)
    media_prefix      = string
    sessions_prefix   = string
    build_environment = string
    git_credential    = string
    pair_key          = string
    project_key       = string
    pause_keys        = list(string)
  })
}

variable "broker" {
  description = "The function that gives workers their pairs: its ARN, and its role, which alone may act for pairs."
  type        = object({ function_arn = string, role_arn = string })
}

variable "timing" {
  description = "The contract's times, with this environment's overrides."
  type        = map(number)
}

variable "metrics_namespace" {
  description = "Namespace of the workers' metrics."
  type        = string
}

variable "image" {
  description = "Container image of the worker."
  type        = string
}

variable "cpu" {
  description = "CPU units of a worker."
  type        = number
}

variable "memory" {
  description = "Memory of a worker in MiB."
  type        = number
}

variable "storage_gigabytes" {
  description = "Local disk of a worker in GiB."
  type        = number
}

variable "architecture" {
  description = "Processor architecture of the image: arm64 or x86_64."
  type        = string
}

variable "environment" {
  description = "Further environment variables of the worker."
  type        = map(string)
}

variable "anthropic_api_key_arn" {
  description = "ARN of the SSM parameter or secret that holds the model's API key, or null."
  type        = string
}

variable "log_retention_days" {
  description = "Days for which logs are kept."
  type        = number
}

variable "container_insights" {
  description = "Whether CloudWatch Container Insights watches the cluster."
  type        = bool
}

variable "create_network" {
  description = "Whether the workers get a small network of their own."
  type        = bool
}

variable "network_cidr" {
  description = "Address range of the workers' own network."
  type        = string
}

variable "subnet_ids" {
  description = "Subnets of the workers if they get no network of their own."
  type        = list(string)
}

variable "security_group_ids" {
  description = "Security groups of the workers if they get no network of their own."
  type        = list(string)
}

variable "live_port" {
  description = "Port at which a worker shows the site that it edits, to a load balancer in the same network; null where there is none."
  type        = number
  default     = null
}

variable "kms_key_arn" {
  description = "KMS key that encrypts logs and what workers read and write; AWS's own if null."
  type        = string
  default     = null
}

variable "key_use" {
  description = "Policy documents that let a role use the KMS key, where there is one."
  type        = list(string)
  default     = []
}

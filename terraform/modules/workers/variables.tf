variable "prefix" {
  description = "Prefix of all resource names."
  type        = string
}

variable "location" {
  description = "Partition, region and account, to build ARNs from names."
  type        = object({ partition = string, region = string, account = string })
}

variable "queue_names" {
  description = "Names of the shared queues by contract key."
  type        = map(string)
}

variable "table_names" {
  description = "Table names by contract key."
  type        = map(string)
}

variable "bucket_names" {
  description = "Names of the buckets for media and sites."
  type        = object({ media = string, sites = string })
}

variable "own" {
  description = "Names, prefixes and keys of a pair, with session tags instead of project and user."
  type = object({
    input             = string
    interrupts        = string
    site_prefixes     = map(string)
    older_prefixes    = map(string)
    older_record      = string
    release_records   = list(string)
    attributes        = object({ jobs = list(string), ownership = list(string) })
    media_prefix      = string
    sessions_prefix   = string
    build_environment = string
    git_credential    = string
    project           = string
    pair_key          = string
    project_key       = string
    pause_keys        = list(string)
  })
}

variable "older_threads" {
  description = "Whether workers may change previews of threads whose ids do not begin with their pair."
  type        = bool
  default     = false
}

variable "broker" {
  description = "The broker: ARN of the function, and of its role, which alone may assume the role for pairs."
  type        = object({ function_arn = string, role_arn = string })
}

variable "timing" {
  description = "Timing of the contract with this environment's overrides, in seconds."
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
  description = "Additional environment variables of the worker."
  type        = map(string)
}

variable "anthropic_api_key_arn" {
  description = "ARN of the SSM parameter or secret with the Anthropic API key, or null."
  type        = string
}

variable "models" {
  description = "Providers of the model (the first is the default), geography of Bedrock's profiles, default and small model."
  type        = object({ providers = list(string), geography = string, default = string, small = string })
}

variable "bedrock_models" {
  description = "Ids of the foundation models on Bedrock that workers may invoke; empty without Bedrock."
  type        = list(string)
  default     = []
}

variable "project_profiles" {
  description = "Whether workers may invoke models by their project's own inference profiles too."
  type        = bool
  default     = false
}

variable "log_retention_days" {
  description = "Retention of logs in days."
  type        = number
}

variable "container_insights" {
  description = "Whether to enable CloudWatch Container Insights."
  type        = bool
}

variable "create_network" {
  description = "Whether to create a network for the workers."
  type        = bool
}

variable "network_cidr" {
  description = "Address range of the created network."
  type        = string
}

variable "subnet_ids" {
  description = "Subnets of the workers if create_network is false."
  type        = list(string)
}

variable "security_group_ids" {
  description = "Security groups of the workers if create_network is false."
  type        = list(string)
}

variable "live_port" {
  description = "Port of the workers' preview proxies; null without live previews."
  type        = number
  default     = null
}

variable "kms_key_arn" {
  description = "KMS key that encrypts logs and the workers' data; AWS's default key if null."
  type        = string
  default     = null
}

variable "key_use" {
  description = "Policy documents that allow a role to use the KMS key, if one is set."
  type        = list(string)
  default     = []
}

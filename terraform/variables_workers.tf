# Settings of the worker pool.

variable "worker_image" {
  description = "Container image of the worker."
  type        = string
}

variable "worker_cpu" {
  description = "CPU units of a worker."
  type        = number
  default     = 1024
}

variable "worker_memory" {
  description = "Memory of a worker in MiB."
  type        = number
  default     = 4096
}

variable "worker_storage_gigabytes" {
  description = "Local disk of a worker in GiB."
  type        = number
  default     = 30

  validation {
    condition     = var.worker_storage_gigabytes >= 21 && var.worker_storage_gigabytes <= 200
    error_message = "Fargate gives between 21 and 200 GiB."
  }
}

variable "worker_environment" {
  description = "Further environment variables of the worker."
  type        = map(string)
  default     = {}
}

variable "anthropic_api_key_arn" {
  description = "ARN of the SSM parameter or secret that holds the model's API key, or null."
  type        = string
  default     = null

  validation {
    condition     = can(regex("^arn:[a-z-]+:(ssm|secretsmanager):", coalesce(var.anthropic_api_key_arn, "arn:aws:ssm:")))
    error_message = "anthropic_api_key_arn must be the ARN of an SSM parameter or of a secret, never the key itself."
  }
}

variable "container_insights" {
  description = "Whether CloudWatch Container Insights watches the cluster."
  type        = bool
  default     = false
}

variable "create_network" {
  description = "Whether the workers get a small network of their own."
  type        = bool
  default     = true
}

variable "network_cidr" {
  description = "Address range of the workers' own network."
  type        = string
  default     = "10.20.0.0/24"

  validation {
    condition     = can(cidrsubnet(var.network_cidr, 4, 1))
    error_message = "network_cidr must be an address range such as 10.20.0.0/24, no smaller than a /24."
  }
}

variable "subnet_ids" {
  description = "Subnets of the workers if they get no network of their own."
  type        = list(string)
  default     = []
}

variable "security_group_ids" {
  description = "Security groups of the workers if they get no network of their own."
  type        = list(string)
  default     = []
}

variable "max_workers" {
  description = "Highest number of workers."
  type        = number
  default     = 10

  # Two subnets of a sixteenth of the range each; AWS keeps five addresses of every subnet for itself.
  validation {
    condition     = !var.create_network || var.max_workers <= 2 * (pow(2, 28 - tonumber(split("/", var.network_cidr)[1])) - 5)
    error_message = "The workers' network ${var.network_cidr} has no room for max_workers = ${var.max_workers}: each worker needs an address in one of two subnets of a sixteenth of the range. Give a larger network_cidr (a /24 has room for 22, a /22 for 118), or lower max_workers."
  }
}

variable "spare_workers" {
  description = "Number of idle workers that are kept beside those that are waited for. Zero costs nothing while nobody writes."
  type        = number
  default     = 0

  validation {
    condition     = var.spare_workers >= 0 && var.spare_workers <= var.max_workers
    error_message = "spare_workers must be between 0 and max_workers."
  }
}

variable "on_demand_workers" {
  description = "How many workers run on demand before spot capacity is used."
  type        = number
  default     = 0
}

variable "spot_weight" {
  description = "Share of spot workers beyond those: this many for each worker on demand."
  type        = number
  default     = 3
}

variable "compare_report_senders" {
  description = "Whether a report counts only if SQS says that the owner of its pair sent it. An emulator cannot say so."
  type        = bool
  default     = true
}

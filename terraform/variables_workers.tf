# Workers

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
    error_message = "worker_storage_gigabytes must be between 21 and 200, the limits of Fargate."
  }
}

variable "worker_environment" {
  description = "Additional environment variables of the worker."
  type        = map(string)
  default     = {}
}

variable "model_provider" {
  description = "Provider of the model, unless a project chooses the second one: anthropic (with a key) or bedrock (without)."
  type        = string
  default     = "anthropic"

  validation {
    condition     = contains(local.contract.models.providers, var.model_provider)
    error_message = "model_provider must be one of: ${join(", ", local.contract.models.providers)}."
  }
}

variable "second_model_provider" {
  description = "Another provider that projects may choose, or null."
  type        = string
  default     = null

  validation {
    condition     = var.second_model_provider == null || contains(local.contract.models.providers, coalesce(var.second_model_provider, "none"))
    error_message = "second_model_provider must be null or one of: ${join(", ", local.contract.models.providers)}."
  }
}

variable "model" {
  description = "Model for projects that choose none; the default of the contract if null."
  type        = string
  default     = null

  validation {
    condition     = var.model == null || contains(keys(local.contract.models.known), coalesce(var.model, "none"))
    error_message = "model must be one of: ${join(", ", keys(local.contract.models.known))}."
  }
}

variable "small_model" {
  description = "Cheaper model for short requests without attachments, or null."
  type        = string
  default     = null

  validation {
    condition     = var.small_model == null || contains(keys(local.contract.models.known), coalesce(var.small_model, "none"))
    error_message = "small_model must be one of: ${join(", ", keys(local.contract.models.known))}."
  }
}

variable "project_models" {
  description = "Further models that projects may choose."
  type        = list(string)
  default     = []

  validation {
    condition     = length(setsubtract(var.project_models, keys(local.contract.models.known))) == 0
    error_message = "project_models may contain: ${join(", ", keys(local.contract.models.known))}."
  }
}

variable "model_geography" {
  description = "Geography of Bedrock's inference profiles, in which requests are processed: eu, us, jp and so on, or global. By default that of the region."
  type        = string
  default     = null

  validation {
    condition     = var.model_geography == null || contains(local.contract.models.geographies, coalesce(var.model_geography, "none"))
    error_message = "model_geography must be one of: ${join(", ", local.contract.models.geographies)}."
  }

  # No default for other regions: a global profile processes requests on any continent.
  validation {
    condition     = var.model_geography != null || contains(local.contract.models.geographies, local.model_area) || !contains([var.model_provider, coalesce(var.second_model_provider, "none")], "bedrock")
    error_message = "Set model_geography: this region has no geography of its own. It must be one of: ${join(", ", local.contract.models.geographies)}."
  }
}

variable "project_profiles" {
  description = "Whether projects may have their own inference profiles on Bedrock, by which AWS's bill shows the model's cost per project."
  type        = bool
  default     = false

  validation {
    condition     = !var.project_profiles || contains([var.model_provider, coalesce(var.second_model_provider, "none")], "bedrock")
    error_message = "project_profiles needs Bedrock: set model_provider or second_model_provider to bedrock."
  }
}

variable "anthropic_api_key_arn" {
  description = "ARN of the SSM parameter or secret with the Anthropic API key, or null."
  type        = string
  default     = null

  validation {
    condition     = can(regex("^arn:[a-z-]+:(ssm|secretsmanager):", coalesce(var.anthropic_api_key_arn, "arn:aws:ssm:")))
    error_message = "anthropic_api_key_arn must be the ARN of an SSM parameter or of a secret, never the key itself."
  }
}

variable "container_insights" {
  description = "Whether to enable CloudWatch Container Insights."
  type        = bool
  default     = false
}

variable "create_network" {
  description = "Whether to create a network for the workers."
  type        = bool
  default     = true
}

variable "network_cidr" {
  description = "Address range of the created network. Another range replaces the network."
  type        = string
  default     = "10.20.0.0/16"

  validation {
    condition     = can(cidrsubnet(var.network_cidr, 4, 1))
    error_message = "network_cidr must be an address range such as 10.20.0.0/16, no smaller than a /24."
  }
}

variable "subnet_ids" {
  description = "Subnets of the workers if create_network is false."
  type        = list(string)
  default     = []
}

variable "security_group_ids" {
  description = "Security groups of the workers if create_network is false."
  type        = list(string)
  default     = []
}

variable "max_workers" {
  description = "Maximum number of workers."
  type        = number
  default     = 10

  # Two subnets of a sixteenth of the range each; AWS reserves five addresses per subnet.
  validation {
    condition     = !var.create_network || var.max_workers <= 2 * (pow(2, 28 - tonumber(split("/", var.network_cidr)[1])) - 5)
    error_message = "The network ${var.network_cidr} is too small for max_workers = ${var.max_workers}: each worker needs an address in one of two subnets of a sixteenth of the range. Set a larger network_cidr (22 workers fit into a /24, 118 into a /22, 8182 into a /16), or a smaller max_workers."
  }
}

variable "spare_workers" {
  description = "Number of idle spare workers beyond the demand, at least. With zero, no worker runs while no mail arrives."
  type        = number
  default     = 0

  validation {
    condition     = var.spare_workers >= 0 && var.spare_workers <= var.max_workers
    error_message = "spare_workers must be between 0 and max_workers."
  }
}

variable "spare_policy" {
  description = "adaptive: as many spare workers as pairs are expected while a worker starts, none after a quiet hour, and never fewer than spare_workers. fixed: always spare_workers, which is faster below about 1,000 pairs."
  type        = string
  default     = "adaptive"

  validation {
    condition     = contains(["adaptive", "fixed"], var.spare_policy)
    error_message = "spare_policy must be adaptive or fixed."
  }
}

variable "on_demand_workers" {
  description = "Number of on-demand workers before Spot capacity is used."
  type        = number
  default     = 0
}

variable "spot_weight" {
  description = "Spot workers for each further on-demand worker."
  type        = number
  default     = 3
}

variable "compare_report_senders" {
  description = "Whether to accept a report only if its SQS sender is the owner of the pair. Emulators do not provide the sender."
  type        = bool
  default     = true
}

variable "older_threads" {
  description = "Whether workers may change previews of threads that began before thread ids named their pair. Every worker of a project can change those; set it to false once such threads have ended."
  type        = bool
  default     = true
}

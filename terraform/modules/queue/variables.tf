variable "name" {
  description = "Name of the queue; the suffix .fifo creates a FIFO queue."
  type        = string

  validation {
    condition     = length(var.name) <= 80 && can(regex("^[A-Za-z0-9_-]+(\\.fifo)?$", var.name))
    error_message = "A queue name has at most 80 characters: letters, digits and hyphens, with an optional .fifo. Shorten the prefix or the project id."
  }
}

variable "location" {
  description = "Partition, region and account, to build ARNs from names."
  type        = object({ partition = string, region = string, account = string })
}

variable "dead_letter_name" {
  description = "Name of the dead-letter queue, or null for none."
  type        = string
  default     = null

  validation {
    condition     = var.dead_letter_name == null || length(coalesce(var.dead_letter_name, "-")) <= 80
    error_message = "A queue name has at most 80 characters. Shorten the prefix or the project id."
  }
}

variable "attempts" {
  description = "Number of receives before a message becomes a dead letter."
  type        = number
  default     = 5
}

variable "visibility_seconds" {
  description = "Visibility timeout of a received message in seconds."
  type        = number
  default     = 30
}

variable "retention_seconds" {
  description = "Retention of messages in seconds."
  type        = number
  default     = 345600
}

variable "long_poll_seconds" {
  description = "Long-poll time of a receive in seconds."
  type        = number
  default     = 20
}

variable "policy_documents" {
  description = "Additional statements of the queue policy, as JSON policy documents."
  type        = list(string)
  default     = []
}

variable "kms_key_arn" {
  description = "KMS key that encrypts messages; SQS's default key if null."
  type        = string
  default     = null
}

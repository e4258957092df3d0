variable "name" {
  description = "Name of the queue; a name that ends in .fifo makes a FIFO queue."
  type        = string

  validation {
    condition     = length(var.name) <= 80 && can(regex("^[A-Za-z0-9_-]+(\\.fifo)?$", var.name))
    error_message = "A queue name has at most 80 characters: letters, digits, hyphens, and .fifo at the end; shorten the prefix or the project id."
  }
}

variable "location" {
  description = "Partition, region and account, for ARNs that are built from names."
  type        = object({ partition = string, region = string, account = string })
}

variable "dead_letter_name" {
  description = "Name of the dead-letter queue, or null for a queue without one."
  type        = string
  default     = null

  validation {
    condition     = var.dead_letter_name == null || length(coalesce(var.dead_letter_name, "-")) <= 80
    error_message = "A queue name has at most 80 characters; shorten the prefix or the project id."
  }
}

variable "attempts" {
  description = "How often a message is received before it becomes a dead letter."
  type        = number
  default     = 5
}

variable "visibility_seconds" {
  description = "How long a received message stays hidden from others."
  type        = number
  default     = 30
}

variable "retention_seconds" {
  description = "How long an unread message is kept."
  type        = number
  default     = 345600
}

variable "long_poll_seconds" {
  description = "How long a receive waits for a message."
  type        = number
  default     = 20
}

variable "policy_documents" {
  description = "Further statements of the queue policy, as JSON policy documents."
  type        = list(string)
  default     = []
}

variable "kms_key_arn" {
  description = "KMS key that encrypts messages; SQS's own if null."
  type        = string
  default     = null
}

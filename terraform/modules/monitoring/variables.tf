variable "prefix" {
  description = "What the names of resources start with."
  type        = string
}

variable "location" {
  description = "Partition, region and account."
  type        = object({ partition = string, region = string, account = string })
}

variable "queue_names" {
  description = "Names of the shared queues, by their key in the contract."
  type        = map(string)
}

variable "dead_letter_queue_names" {
  description = "Names of all dead-letter queues."
  type        = list(string)
}

variable "function_names" {
  description = "Function names, by their key in the contract."
  type        = map(string)
}

variable "state_machine_arn" {
  description = "ARN of the state machine."
  type        = string
}

variable "metrics_namespace" {
  description = "Namespace of the functions' and workers' metrics."
  type        = string
}

variable "alarm_address" {
  description = "Mail address that is told about alarms, or null."
  type        = string
}

variable "claim_wait_seconds" {
  description = "How long a worker request may wait for a worker before it is an alarm."
  type        = number
}

variable "monthly_budget_dollars" {
  description = "What a month may cost; somebody is told when it is forecast to pass 80 % of it. Null for no budget."
  type        = number
  default     = null
}

variable "kms_key_arn" {
  description = "KMS key that encrypts alarms on their way; none if null."
  type        = string
  default     = null
}

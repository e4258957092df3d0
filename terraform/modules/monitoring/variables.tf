variable "prefix" {
  description = "Prefix of all resource names."
  type        = string
}

variable "location" {
  description = "Partition, region and account."
  type        = object({ partition = string, region = string, account = string })
}

variable "queue_names" {
  description = "Names of the shared queues by contract key."
  type        = map(string)
}

variable "dead_letter_queue_names" {
  description = "Names of all dead-letter queues."
  type        = list(string)
}

variable "function_names" {
  description = "Function names by contract key."
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
  description = "Mail address that receives alarms, or null."
  type        = string
}

variable "claim_wait_seconds" {
  description = "Age of a worker request that raises an alarm, in seconds."
  type        = number
}

variable "monthly_budget_dollars" {
  description = "Monthly budget; alarm_address is notified when the forecast exceeds 80 %. Null for no budget."
  type        = number
  default     = null
}

variable "kms_key_arn" {
  description = "KMS key that encrypts the alarm topic; none if null."
  type        = string
  default     = null
}

variable "name" {
  description = "Name of the state machine."
  type        = string
}

variable "location" {
  description = "Partition, region and account."
  type        = object({ partition = string, region = string, account = string })
}

variable "definition_file" {
  description = "Template of the state machine's definition; it sees `functions` (ARNs) and `timing` (seconds)."
  type        = string
}

variable "function_arns" {
  description = "ARNs with the alias of the functions that the state machine invokes, by their key in the contract."
  type        = map(string)
}

variable "alias" {
  description = "Name under which the live version of every function and of the state machine is called."
  type        = string
}

variable "timing" {
  description = "The contract's times, with this environment's overrides."
  type        = map(number)
}

variable "log_retention_days" {
  description = "Days for which logs are kept."
  type        = number
}

variable "tracing" {
  description = "Whether executions are traced with X-Ray."
  type        = bool
}

variable "kms_key_arn" {
  description = "KMS key that encrypts the log; AWS's own if null."
  type        = string
  default     = null
}

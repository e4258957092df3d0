variable "name" {
  description = "Name of the state machine."
  type        = string
}

variable "location" {
  description = "Partition, region and account."
  type        = object({ partition = string, region = string, account = string })
}

variable "definition_file" {
  description = "Template of the state machine's definition, with the variables `functions` (ARNs) and `timing` (seconds)."
  type        = string
}

variable "function_arns" {
  description = "Alias ARNs of the functions that the state machine invokes, by contract key."
  type        = map(string)
}

variable "alias" {
  description = "Alias of the live version of every function and the state machine."
  type        = string
}

variable "timing" {
  description = "Timing of the contract with this environment's overrides, in seconds."
  type        = map(number)
}

variable "log_retention_days" {
  description = "Retention of logs in days."
  type        = number
}

variable "tracing" {
  description = "Whether executions are traced with X-Ray."
  type        = bool
}

variable "kms_key_arn" {
  description = "KMS key that encrypts the log; AWS's default key if null."
  type        = string
  default     = null
}

variable "environment" {
  description = "Name of the environment; a tag on every resource."
  type        = string
}

variable "prefix" {
  description = "What the names of all resources start with."
  type        = string
  default     = "webordinary"

  validation {
    condition     = can(regex(local.contract.patterns.prefix, var.prefix))
    error_message = "The prefix must match ${local.contract.patterns.prefix}."
  }
}

variable "region" {
  description = "AWS region; SES must receive mail there."
  type        = string
}

variable "allowed_account_ids" {
  description = "Accounts in which this environment may be made; null for any. A wrong profile then changes nothing."
  type        = list(string)
  default     = null
}

variable "timing" {
  description = "Overrides of the contract's times, by key."
  type        = map(number)
  default     = {}

  validation {
    condition     = length(setsubtract(keys(var.timing), keys(local.contract.timing))) == 0
    error_message = "Unknown times: ${join(", ", setsubtract(keys(var.timing), keys(local.contract.timing)))}. Known are: ${join(", ", keys(local.contract.timing))}."
  }

  validation {
    condition = (
      merge(local.contract.timing, var.timing).lease_seconds >=
      3 * merge(local.contract.timing, var.timing).renewal_seconds
    )
    error_message = "lease_seconds must be at least 3 x renewal_seconds, or one lost renewal costs a worker its pair."
  }

  validation {
    condition     = alltrue([for seconds in values(var.timing) : seconds > 0])
    error_message = "Times must be greater than zero."
  }
}

variable "kms_key_arn" {
  description = "KMS key of one's own for everything that is kept: mail, sites, tables, queues, logs, alarms and secrets. Its policy needs the statements of the output key_policy before it is used. AWS's own keys if null, which cost nothing."
  type        = string
  default     = null

  validation {
    condition     = var.kms_key_arn == null || can(regex("^arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:key/", var.kms_key_arn))
    error_message = "The key is given by its ARN (arn:aws:kms:...:key/...), not by an alias: policies name it."
  }
}

# Functions

variable "package_dir" {
  description = "Folder that holds functions/<name>.zip and layers/<name>.zip."
  type        = string
  default     = "../build/lambda"
}

variable "state_machine_file" {
  description = "Template of the state machine's definition."
  type        = string
  default     = "../statemachine/email_processor.asl.json"
}

variable "architecture" {
  description = "Processor architecture of functions and workers."
  type        = string
  default     = "arm64"

  validation {
    condition     = contains(["arm64", "x86_64"], var.architecture)
    error_message = "architecture must be arm64 or x86_64."
  }
}

variable "log_level" {
  description = "Log level of the functions."
  type        = string
  default     = "INFO"

  validation {
    condition     = contains(["DEBUG", "INFO", "WARNING", "ERROR"], var.log_level)
    error_message = "log_level must be DEBUG, INFO, WARNING or ERROR."
  }
}

variable "log_retention_days" {
  description = "Days for which logs are kept."
  type        = number
  default     = 30
}

variable "tracing" {
  description = "Whether functions and executions are traced with X-Ray."
  type        = bool
  default     = true
}

variable "reserved_concurrency" {
  description = "Highest number of concurrent executions, by function; functions that are not named have no limit of their own."
  type        = map(number)
  default     = {}
}

# Monitoring

variable "create_monitoring" {
  description = "Whether alarms and the dashboard are made."
  type        = bool
  default     = true
}

variable "alarm_address" {
  description = "Mail address that is told about alarms, or null."
  type        = string
  default     = null
}

variable "claim_wait_alarm_seconds" {
  description = "How long a worker request may wait for a worker before it is an alarm."
  type        = number
  default     = 600
}

# How careful to be

variable "point_in_time_recovery" {
  description = "Whether tables can be restored to any second of the last 35 days."
  type        = bool
  default     = false
}

variable "deletion_protection" {
  description = "Whether tables refuse to be deleted."
  type        = bool
  default     = false
}

variable "force_destroy" {
  description = "Whether destroying a bucket also deletes what is in it."
  type        = bool
  default     = false
}

variable "monthly_budget_dollars" {
  description = "What a month may cost; alarm_address is told when it is forecast to pass 80 % of it. Null for no budget. Needs Application as a cost allocation tag."
  type        = number
  default     = null
}

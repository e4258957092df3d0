variable "environment" {
  description = "Name of the environment; a tag on every resource."
  type        = string
}

variable "prefix" {
  description = "Prefix of all resource names."
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

  validation {
    condition     = contains(var.mail_regions, var.region)
    error_message = "SES is not known to receive mail in ${var.region}. Use one of: ${join(", ", sort(var.mail_regions))}. If AWS has added your region since (Amazon SES endpoints, \"Email receiving endpoints\"), add it to mail_regions."
  }
}

variable "mail_regions" {
  description = "Regions in which SES receives mail and Lambda has function URLs. AWS adds regions; `make preflight` asks the account."
  type        = set(string)
  default = [
    "ap-northeast-1",
    "ap-northeast-2",
    "ap-southeast-1",
    "ap-southeast-2",
    "ca-central-1",
    "eu-central-1",
    "eu-west-1",
    "eu-west-2",
    "us-east-1",
    "us-east-2",
    "us-west-2",
  ]
}

variable "allowed_account_ids" {
  description = "Accounts that this environment may be deployed to; null for any. Protects against a wrong profile."
  type        = list(string)
  default     = null
}

variable "timing" {
  description = "Overrides of the contract's timing, by key."
  type        = map(number)
  default     = {}

  validation {
    condition     = length(setsubtract(keys(var.timing), keys(local.contract.timing))) == 0
    error_message = "Unknown timing keys: ${join(", ", setsubtract(keys(var.timing), keys(local.contract.timing)))}. Use: ${join(", ", keys(local.contract.timing))}."
  }

  validation {
    condition = (
      merge(local.contract.timing, var.timing).lease_seconds >=
      3 * merge(local.contract.timing, var.timing).renewal_seconds
    )
    error_message = "lease_seconds must be at least 3 x renewal_seconds, so that a worker keeps its pair after one lost renewal."
  }

  validation {
    condition     = alltrue([for key, seconds in var.timing : seconds > 0 || (key == "idle_after_end_seconds" && seconds == 0)])
    error_message = "Timing values must be greater than zero; only idle_after_end_seconds may be zero."
  }
}

variable "kms_key_arn" {
  description = "Customer-managed KMS key that encrypts mail, sites, tables, queues, logs, alarms and secrets. Its policy needs the statements of the output key_policy first. Null for keys that AWS owns, which are free, and for the managed key of SSM parameters, whose first 20,000 requests a month are free."
  type        = string
  default     = null

  validation {
    condition     = var.kms_key_arn == null || can(regex("^arn:[a-z-]+:kms:[a-z0-9-]+:[0-9]{12}:key/", var.kms_key_arn))
    error_message = "kms_key_arn must be the ARN of a key (arn:aws:kms:...:key/...), not of an alias."
  }
}

# Functions

variable "package_dir" {
  description = "Folder with functions/<name>.zip and layers/<name>.zip."
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
  description = "Retention of logs in days."
  type        = number
  default     = 30
}

variable "tracing" {
  description = "Whether functions and executions are traced with X-Ray."
  type        = bool
  default     = true
}

variable "reserved_concurrency" {
  description = "Reserved concurrency by function. Nothing is reserved by default: a new account has 10 concurrent executions, of which none can be reserved."
  type        = map(number)
  default     = {}
}

# Monitoring

variable "create_monitoring" {
  description = "Whether to create alarms and the dashboard."
  type        = bool
  default     = true
}

variable "alarm_address" {
  description = "Mail address that receives alarms, or null."
  type        = string
  default     = null
}

variable "claim_wait_alarm_seconds" {
  description = "Age of a worker request that raises an alarm, in seconds."
  type        = number
  default     = 600
}

# Protection and cost

variable "point_in_time_recovery" {
  description = "Whether tables can be restored to any second of the last 35 days."
  type        = bool
  default     = false
}

variable "deletion_protection" {
  description = "Whether tables are protected against deletion."
  type        = bool
  default     = false
}

variable "force_destroy" {
  description = "Whether destroying a bucket also deletes its objects."
  type        = bool
  default     = false
}

variable "monthly_budget_dollars" {
  description = "Monthly budget; alarm_address is notified when the forecast exceeds 80 %. Null for no budget. Needs Application as a cost allocation tag."
  type        = number
  default     = null
}

variable "names" {
  description = "Queue names by contract key."
  type = object({
    email                  = string
    email_dead_letters     = string
    unclaimed              = string
    unclaimed_dead_letters = string
    output                 = string
    output_dead_letters    = string
    input_dead_letters     = string
  })
}

variable "location" {
  description = "Partition, region and account, to build ARNs from names."
  type        = object({ partition = string, region = string, account = string })
}

variable "timing" {
  description = "Timing of the contract with this environment's overrides, in seconds."
  type        = map(number)
}

variable "function_timeouts" {
  description = "Timeouts of the functions that read queues; the visibility timeout is six times as long."
  type        = object({ intake = number, relay_callback = number })
}

variable "raw_mail_bucket" {
  description = "Name of the bucket that notifies the email queue."
  type        = string
}

variable "attempts" {
  description = "Number of receives before a message becomes a dead letter."
  type        = number
}

variable "kms_key_arn" {
  description = "KMS key that encrypts messages; SQS's default key if null."
  type        = string
  default     = null
}

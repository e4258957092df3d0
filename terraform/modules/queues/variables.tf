variable "names" {
  description = "Queue names, by their key in the contract."
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
  description = "Partition, region and account, for ARNs that are built from names."
  type        = object({ partition = string, region = string, account = string })
}

variable "timing" {
  description = "The contract's times, with this environment's overrides."
  type        = map(number)
}

variable "function_timeouts" {
  description = "Timeouts of the functions that read queues; a message stays hidden six times as long."
  type        = object({ intake = number, relay_callback = number })
}

variable "raw_mail_bucket" {
  description = "Name of the bucket whose notifications go to the email queue."
  type        = string
}

variable "attempts" {
  description = "How often a message is received before it becomes a dead letter."
  type        = number
}

variable "kms_key_arn" {
  description = "KMS key that encrypts messages; SQS's own if null."
  type        = string
  default     = null
}

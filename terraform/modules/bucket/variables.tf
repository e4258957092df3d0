variable "name" {
  description = "Name of the bucket."
  type        = string

  validation {
    condition     = can(regex("^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$", var.name))
    error_message = "The bucket name must have 3 to 63 characters of a-z, 0-9 and hyphens. Shorten the prefix or the project id."
  }
}

variable "partition" {
  description = "AWS partition, for the bucket's ARN."
  type        = string
}

variable "force_destroy" {
  description = "Whether destroying the bucket also deletes its objects."
  type        = bool
  default     = false
}

variable "expiration_days" {
  description = "Days after which objects are deleted, by key prefix."
  type        = map(number)
  default     = {}
}

variable "policy_documents" {
  description = "Additional statements of the bucket policy, as JSON policy documents."
  type        = list(string)
  default     = []
}

variable "kms_key_arn" {
  description = "KMS key that encrypts the objects; S3's default key if null."
  type        = string
  default     = null
}

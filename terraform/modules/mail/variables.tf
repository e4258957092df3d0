variable "prefix" {
  description = "Prefix of all resource names."
  type        = string
}

variable "location" {
  description = "Partition, region and account, to build ARNs from names."
  type        = object({ partition = string, region = string, account = string })
}

variable "bucket_names" {
  description = "Names of the buckets for raw mail and media."
  type        = object({ raw_mail = string, media = string })
}

variable "attachment_parts_folder" {
  description = "Key prefix of extracted attachments in the raw-mail bucket."
  type        = string
}

variable "raw_mail_folder" {
  description = "Key prefix of raw mail stored by SES."
  type        = string
}

variable "media_folder" {
  description = "Key prefix of all attachments."
  type        = string
}

variable "pictures_folder" {
  description = "Key prefix of all pictures for replies, kept as long as a reply can be retried."
  type        = string
}

variable "sessions_folder" {
  description = "Key prefix of all stored sessions."
  type        = string
}

variable "mail_domain" {
  description = "Domain that receives mail and sends replies."
  type        = string
}

variable "inbound_recipients" {
  description = "Addresses or domains whose mail is accepted."
  type        = list(string)
}

variable "require_inbound_tls" {
  description = "Whether to reject mail servers that do not use TLS."
  type        = bool
}

variable "email_queue_arn" {
  description = "ARN of the queue that is notified of new mail."
  type        = string
}

variable "raw_mail_days" {
  description = "Retention of raw mail in days."
  type        = number
}

variable "media_days" {
  description = "Retention of attachments in days."
  type        = number
}

variable "session_days" {
  description = "Retention of a thread's session in days after its last use."
  type        = number
}

variable "force_destroy" {
  description = "Whether destroying a bucket also deletes its objects."
  type        = bool
}

variable "receipt_rule_set" {
  description = "Existing receipt rule set to add our rule to; null to create one."
  type        = string
  default     = null
}

variable "activate_rule_set" {
  description = "Whether to activate the rule set in this account and region."
  type        = bool
  default     = true
}

variable "sandbox_addresses" {
  description = "Addresses that can receive replies while SES is in its sandbox; AWS asks each for confirmation."
  type        = set(string)
  default     = []
}

variable "kms_key_arn" {
  description = "KMS key that encrypts mail and attachments; S3's default key if null."
  type        = string
  default     = null
}

variable "prefix" {
  description = "What the names of resources start with."
  type        = string
}

variable "location" {
  description = "Partition, region and account, for ARNs that are built from names."
  type        = object({ partition = string, region = string, account = string })
}

variable "bucket_names" {
  description = "Names of the buckets for raw mail and for media."
  type        = object({ raw_mail = string, media = string })
}

variable "attachment_parts_folder" {
  description = "The folder in the raw-mail bucket for the attachments of mails, each on its own."
  type        = string
}

variable "raw_mail_folder" {
  description = "Key prefix under which SES stores mail."
  type        = string
}

variable "media_folder" {
  description = "Key prefix of all attachments."
  type        = string
}

variable "pictures_folder" {
  description = "Key prefix of all pictures for answers, which are kept until their mail can no longer be sent anew."
  type        = string
}

variable "sessions_folder" {
  description = "Key prefix of all stored sessions."
  type        = string
}

variable "mail_domain" {
  description = "Domain that mail is received for and answered from."
  type        = string
}

variable "inbound_recipients" {
  description = "Addresses or domains whose mail is accepted."
  type        = list(string)
}

variable "require_inbound_tls" {
  description = "Whether mail servers that do not speak TLS are turned away."
  type        = bool
}

variable "email_queue_arn" {
  description = "Queue that is told about each stored mail."
  type        = string
}

variable "raw_mail_days" {
  description = "Days for which raw mail is kept."
  type        = number
}

variable "media_days" {
  description = "Days for which attachments are kept after they arrived."
  type        = number
}

variable "session_days" {
  description = "Days for which the session of a thread is kept after it was last stored."
  type        = number
}

variable "force_destroy" {
  description = "Whether destroying a bucket also deletes what is in it."
  type        = bool
}

variable "receipt_rule_set" {
  description = "Name of an existing receipt rule set that our rule goes into; null for one of our own."
  type        = string
  default     = null
}

variable "activate_rule_set" {
  description = "Whether the rule set is made the active one of this account and region."
  type        = bool
  default     = true
}

variable "sandbox_addresses" {
  description = "Addresses that may get answers while SES is in its sandbox; each gets a mail that asks for consent."
  type        = set(string)
  default     = []
}

variable "kms_key_arn" {
  description = "KMS key that encrypts mail and attachments; S3's own if null."
  type        = string
  default     = null
}

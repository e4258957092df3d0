# Mail

variable "mail_domain" {
  description = "Domain that receives mail and sends replies."
  type        = string

  validation {
    condition     = can(regex("^([a-z0-9-]+\\.)+[a-z]{2,}$", var.mail_domain))
    error_message = "mail_domain must be a domain name in lower case, such as mail.example.com."
  }
}

variable "inbound_recipients" {
  description = "Addresses or domains whose mail is accepted; the whole mail domain if null."
  type        = list(string)
  default     = null

  validation {
    condition     = var.inbound_recipients == null || length(coalesce(var.inbound_recipients, [])) > 0
    error_message = "An empty list would accept mail for every verified domain of the account. Set addresses or null."
  }

  validation {
    condition = alltrue([
      for recipient in coalesce(var.inbound_recipients, []) : recipient == var.mail_domain || endswith(recipient, "@${var.mail_domain}")
    ])
    error_message = "Every inbound recipient must be mail_domain or an address in it: mails without an address of mail_domain in To or Cc are not processed."
  }
}

variable "require_inbound_tls" {
  description = "Whether to reject mail servers that do not use TLS."
  type        = bool
  default     = false
}

variable "reply_from" {
  description = "Sender address of replies; edit@<mail domain> if null."
  type        = string
  default     = null

  validation {
    condition     = var.reply_from == null || endswith(coalesce(var.reply_from, "-"), "@${var.mail_domain}")
    error_message = "reply_from must be an address in mail_domain, because replies are signed for that domain."
  }
}

variable "service_name" {
  description = "Name of the sender of replies, for a project without a title."
  type        = string
  default     = "webordinary"

  validation {
    condition     = can(regex("^[^[:cntrl:]]{1,80}$", var.service_name))
    error_message = "service_name must have 1 to 80 characters and no line break."
  }
}

variable "guide_url" {
  description = "Address of a page for site owners, such as docs/for-site-owners.md where your people can read it. The reply to help links to it; null: no link."
  type        = string
  default     = null

  validation {
    condition     = can(regex("^https://[!-~]{1,300}$", coalesce(var.guide_url, "https://none")))
    error_message = "guide_url must be an https address of at most 300 characters."
  }
}

variable "thread_secret" {
  description = "Key that signs the thread ids in reply addresses, at least 32 characters. It is stored in no state and no plan."
  type        = string
  sensitive   = true
  ephemeral   = true

  validation {
    condition     = length(var.thread_secret) >= 32
    error_message = "thread_secret must have at least 32 characters. Set TF_VAR_thread_secret."
  }
}

variable "thread_secret_version" {
  description = "Increase it by one to rotate thread_secret; the new key is written only then. The previous key stays valid."
  type        = number
  default     = 1

  validation {
    condition     = var.thread_secret_version >= 1 && floor(var.thread_secret_version) == var.thread_secret_version
    error_message = "thread_secret_version must be a positive integer."
  }
}

variable "raw_mail_days" {
  description = "Retention of raw mail in days."
  type        = number
  default     = 30
}

variable "media_days" {
  description = "Retention of attachments in days."
  type        = number
  default     = 90
}

variable "session_days" {
  description = "Retention of a thread's session in days after its last use."
  type        = number
  default     = 90
}

variable "receipt_rule_set" {
  description = "Existing receipt rule set to add our rule to; null to create one. SES has one active set per account and region."
  type        = string
  default     = null
}

variable "activate_rule_set" {
  description = "Whether to activate the rule set, which deactivates the current one. Set it to false if another system receives mail in the same account and region."
  type        = bool
  default     = true
}

variable "sandbox_addresses" {
  description = "Addresses that can receive replies while SES is in its sandbox; AWS asks each for confirmation."
  type        = set(string)
  default     = []
}

variable "pictures" {
  description = "Whether replies show before and after pictures of the page that changed most. A project can turn them off (`pictures` in its entry)."
  type        = bool
  default     = true
}

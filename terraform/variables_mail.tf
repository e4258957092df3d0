# Settings of mail, in and out.

variable "mail_domain" {
  description = "Domain that mail is received for and answered from."
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
    error_message = "An empty list would accept mail for every verified domain of the account; give addresses or null."
  }

  validation {
    condition = alltrue([
      for recipient in coalesce(var.inbound_recipients, []) : recipient == var.mail_domain || endswith(recipient, "@${var.mail_domain}")
    ])
    error_message = "Every inbound recipient must be mail_domain or an address in it: a mail that names no address of mail_domain in To or Cc is not taken."
  }
}

variable "require_inbound_tls" {
  description = "Whether mail servers that do not speak TLS are turned away."
  type        = bool
  default     = false
}

variable "reply_from" {
  description = "Address that answers are sent from; edit@<mail domain> if null."
  type        = string
  default     = null

  validation {
    condition     = var.reply_from == null || endswith(coalesce(var.reply_from, "-"), "@${var.mail_domain}")
    error_message = "reply_from must be an address in mail_domain: answers can be signed for no other."
  }
}

variable "thread_secret" {
  description = "Key that signs the thread ids in reply addresses, at least 32 characters. It is kept in no state and no plan."
  type        = string
  sensitive   = true
  ephemeral   = true

  validation {
    condition     = length(var.thread_secret) >= 32
    error_message = "thread_secret must have at least 32 characters; give it as TF_VAR_thread_secret."
  }
}

variable "thread_secret_version" {
  description = "Raise it by one to rotate thread_secret; a new key is written only then. The key before it stays accepted."
  type        = number
  default     = 1

  validation {
    condition     = var.thread_secret_version >= 1 && floor(var.thread_secret_version) == var.thread_secret_version
    error_message = "thread_secret_version must be a whole number from 1 on."
  }
}

variable "raw_mail_days" {
  description = "Days for which raw mail is kept."
  type        = number
  default     = 30
}

variable "media_days" {
  description = "Days for which attachments are kept after they arrived."
  type        = number
  default     = 90
}

variable "session_days" {
  description = "Days for which the session of a thread is kept after it was last stored."
  type        = number
  default     = 90
}

variable "receipt_rule_set" {
  description = "Name of an existing receipt rule set that our rule goes into; null for one of our own. SES has one active set for each account and region."
  type        = string
  default     = null
}

variable "activate_rule_set" {
  description = "Whether the rule set is made the active one, which switches off the one before. Not where another environment receives mail in the same account and region."
  type        = bool
  default     = true
}

variable "sandbox_addresses" {
  description = "Addresses that may get answers while SES is in its sandbox; each gets a mail that asks for consent."
  type        = set(string)
  default     = []
}

variable "pictures" {
  description = "Whether answers show the page that changed most, before and after. A project may go without (`pictures` in its entry)."
  type        = bool
  default     = true
}

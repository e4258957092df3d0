# Where websites and previews are looked at.

variable "sites_domain" {
  description = "Domain whose subdomains are the projects' live sites. Null for `sites.` before the mail domain."
  type        = string
  default     = null
}

variable "preview_domain" {
  description = "Domain whose subdomains are the conversations' previews; not one above or below sites_domain, so that a preview can set no cookie for a live site. Null for `preview.` before the mail domain."
  type        = string
  default     = null

  validation {
    condition     = var.sites_domain == null || var.preview_domain == null || !var.create_cdn || !(endswith(".${coalesce(var.sites_domain, "-")}", ".${coalesce(var.preview_domain, "-")}") || endswith(".${coalesce(var.preview_domain, "-")}", ".${coalesce(var.sites_domain, "-")}"))
    error_message = "sites_domain and preview_domain must not be the same nor lie within one another."
  }
}

variable "sites_scheme" {
  description = "How sites are reached."
  type        = string
  default     = "https"
}

variable "create_cdn" {
  description = "Whether CloudFront shows the sites. Without it they are only stored."
  type        = bool
  default     = true
}

variable "sites_zone_id" {
  description = "Hosted zone in which the records of both domains are made. Null where it is somewhere else: the output dns_records says what to add."
  type        = string
  default     = null
}

variable "sites_certificate_ready" {
  description = "Without sites_zone_id: set it once the certificate's records were added. Until then no distribution is made."
  type        = bool
  default     = false
}

variable "sites_price_class" {
  description = "Which of CloudFront's locations are used."
  type        = string
  default     = "PriceClass_100"
}

variable "own_domains" {
  description = "Projects with a domain of their own: its name, and whether the records that its certificate wants have been added."
  type        = map(object({ domain = string, served = optional(bool, false) }))
  default     = {}

  validation {
    condition     = alltrue([for project in keys(var.own_domains) : can(regex(local.contract.patterns.project, project))])
    error_message = "own_domains is keyed by project id; every one must match ${local.contract.patterns.project}."
  }

  validation {
    condition     = alltrue([for own in values(var.own_domains) : can(regex("^([a-z0-9-]+\\.)+[a-z]{2,}$", own.domain))])
    error_message = "Every own domain must be a domain name in lower case, such as www.example.com."
  }
}

variable "preview_password_digests" {
  description = "Projects whose previews want a password: SHA-256 of `project:password`."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for digest in values(var.preview_password_digests) : can(regex("^[0-9a-f]{64}$", digest))])
    error_message = "A digest must be a SHA-256 in lower case: printf '%s' 'project:password' | sha256sum."
  }
}

variable "live_previews" {
  description = "Whether a preview shows a site while a worker edits it, with hot reload. It needs a load balancer, which costs about 17 to 20 dollars a month, whoever looks, and a little for each look."
  type        = bool
  default     = false

  validation {
    condition     = !var.live_previews || var.create_cdn
    error_message = "Live previews are shown by CloudFront: set create_cdn = true, or leave live_previews off."
  }

  validation {
    condition     = !var.live_previews || var.create_network || length(var.subnet_ids) >= 2
    error_message = "Live previews need a load balancer, and that needs subnets in two zones: give two subnet_ids or more, with eight free addresses each and an internet gateway in their network, or set create_network = true."
  }

  validation {
    condition     = !var.live_previews || var.max_workers <= 99
    error_message = "Live previews need a rule of the load balancer for each worker, and it takes 100, of which one is not a worker's: lower max_workers to 99 or less, or leave live_previews off."
  }
}

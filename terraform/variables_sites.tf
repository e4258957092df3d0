# Sites and previews

variable "sites_domain" {
  description = "Parent domain of the projects' live sites. Null for sites.<mail domain>."
  type        = string
  default     = null
}

variable "preview_domain" {
  description = "Parent domain of the threads' previews. It must not contain sites_domain or be part of it, so that a preview cannot set cookies for live sites. Null for preview.<mail domain>."
  type        = string
  default     = null

  validation {
    condition     = var.sites_domain == null || var.preview_domain == null || !var.create_cdn || !(endswith(".${coalesce(var.sites_domain, "-")}", ".${coalesce(var.preview_domain, "-")}") || endswith(".${coalesce(var.preview_domain, "-")}", ".${coalesce(var.sites_domain, "-")}"))
    error_message = "sites_domain and preview_domain must differ, and neither may be a subdomain of the other."
  }
}

variable "sites_scheme" {
  description = "URL scheme of the sites."
  type        = string
  default     = "https"
}

variable "create_cdn" {
  description = "Whether to create CloudFront distributions. Without them, sites are only stored."
  type        = bool
  default     = true
}

variable "sites_zone_id" {
  description = "Hosted zone for the records of both domains. Null if DNS is hosted elsewhere: add the records of the output site_dns_records."
  type        = string
  default     = null
}

variable "sites_certificate_ready" {
  description = "Without sites_zone_id: set it to true after adding the certificate's records. Until then no distribution is created, and replies contain no links."
  type        = bool
  default     = false
}

variable "sites_online" {
  description = "Whether replies link to sites. Null for the default: true with sites_zone_id, otherwise false. Without a zone, set it to true after adding the records of the hosts (`make doctor` checks them)."
  type        = bool
  default     = null

  validation {
    condition     = !coalesce(var.sites_online, false) || !var.create_cdn || var.sites_zone_id != null || var.sites_certificate_ready
    error_message = "sites_online = true needs distributions: set sites_certificate_ready = true first, or sites_zone_id."
  }
}

variable "sites_price_class" {
  description = "CloudFront price class."
  type        = string
  default     = "PriceClass_100"
}

variable "own_domains" {
  description = "Custom domains by project, and whether the records of their certificates have been added (served). At most 98."
  type        = map(object({ domain = string, served = optional(bool, false) }))
  default     = {}

  # Each has a distribution; two more serve all other sites and all previews.
  validation {
    condition     = length(var.own_domains) <= local.contract.limits.own_domains
    error_message = "own_domains has ${length(var.own_domains)} domains. CloudFront allows 100 distributions with one cache policy and one access control, so ${local.contract.limits.own_domains} custom domains. Serve the other projects below sites_domain."
  }

  validation {
    condition     = alltrue([for project in keys(var.own_domains) : can(regex(local.contract.patterns.project, project))])
    error_message = "The keys of own_domains are project ids and must match ${local.contract.patterns.project}."
  }

  validation {
    condition     = alltrue([for own in values(var.own_domains) : can(regex("^([a-z0-9-]+\\.)+[a-z]{2,}$", own.domain))])
    error_message = "Every custom domain must be in lower case, such as www.example.com."
  }
}

variable "preview_password_digests" {
  description = "SHA-256 of `project:password` for projects whose previews need a password."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for digest in values(var.preview_password_digests) : can(regex("^[0-9a-f]{64}$", digest))])
    error_message = "A digest must be a SHA-256 in lower case: printf '%s' 'project:password' | sha256sum."
  }
}

variable "live_previews" {
  description = "Whether previews show a site while a worker edits it, with hot reload. This needs a load balancer, which costs about 17 to 20 dollars a month plus a little per request."
  type        = bool
  default     = false

  validation {
    condition     = !var.live_previews || var.create_cdn
    error_message = "Live previews need CloudFront: set create_cdn = true, or live_previews = false."
  }

  validation {
    condition     = !var.live_previews || var.create_network || length(var.subnet_ids) >= 2
    error_message = "Live previews need a load balancer with subnets in two zones: set two or more subnet_ids, with eight free addresses each and an internet gateway in their network, or create_network = true."
  }
}

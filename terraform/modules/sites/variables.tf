variable "prefix" {
  description = "What the names of resources start with."
  type        = string
}

variable "location" {
  description = "Partition, region and account, for ARNs that are built from names."
  type        = object({ partition = string, region = string, account = string })
}

variable "bucket_name" {
  description = "Name of the bucket of all sites."
  type        = string
}

variable "contract" {
  description = "The contract's patterns, prefixes and hosts."
  type        = object({ patterns = map(string), prefixes = map(string), hosts = map(string) })
}

variable "sites_domain" {
  description = "Domain whose subdomains are the projects' live sites."
  type        = string
}

variable "preview_domain" {
  description = "Domain whose subdomains are the conversations' previews."
  type        = string
}

variable "create_cdn" {
  description = "Whether CloudFront and its certificates are made."
  type        = bool
  default     = true
}

variable "zone_id" {
  description = "Hosted zone in which the records of both domains are made; null to be told them instead."
  type        = string
  default     = null
}

variable "certificate_ready" {
  description = "Without a zone: whether the certificate's records have been added, so that the distributions can be made."
  type        = bool
  default     = false
}

variable "own_domains" {
  description = "Projects that have a domain of their own, and whether its certificate's records have been added."
  type        = map(object({ domain = string, served = bool }))
  default     = {}
}

variable "preview_password_digests" {
  description = "SHA-256 of `project:password`, by project, where previews want a password."
  type        = map(string)
  default     = {}
}

variable "live_previews" {
  description = "The load balancer that is asked first for previews, the headers that tell it what was asked, and the path on which pages hear of changes. Null where nothing is live."
  type = object({
    domain_name   = string
    vpc_origin_id = string
    host_header   = string
    target_header = string
    changes_path  = string
  })
  default = null
}

variable "package_dir" {
  description = "Folder of the packaged functions."
  type        = string
}

variable "price_class" {
  description = "Which of CloudFront's locations are used."
  type        = string
  default     = "PriceClass_100"
}

variable "force_destroy" {
  description = "Whether destroying the bucket also deletes what is in it."
  type        = bool
  default     = false
}

variable "kms_key_arn" {
  description = "KMS key that encrypts the sites; S3's own if null."
  type        = string
  default     = null
}

variable "key_use" {
  description = "Policy documents that let a role use the KMS key, where there is one."
  type        = list(string)
  default     = []
}

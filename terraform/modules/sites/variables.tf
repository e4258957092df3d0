variable "prefix" {
  description = "Prefix of all resource names."
  type        = string
}

variable "location" {
  description = "Partition, region and account, to build ARNs from names."
  type        = object({ partition = string, region = string, account = string })
}

variable "bucket_name" {
  description = "Name of the sites bucket."
  type        = string
}

variable "contract" {
  description = "The contract's patterns, prefixes and hosts."
  type        = object({ patterns = map(string), prefixes = map(string), hosts = map(string) })
}

variable "sites_domain" {
  description = "Parent domain of the projects' live sites."
  type        = string
}

variable "preview_domain" {
  description = "Parent domain of the threads' previews."
  type        = string
}

variable "create_cdn" {
  description = "Whether to create CloudFront distributions and certificates."
  type        = bool
  default     = true
}

variable "zone_id" {
  description = "Hosted zone for the records of both domains; null to get them as an output."
  type        = string
  default     = null
}

variable "certificate_ready" {
  description = "Without a zone: whether the certificate's records have been added. The distributions are created only then."
  type        = bool
  default     = false
}

variable "own_domains" {
  description = "Custom domains by project, and whether the records of their certificates have been added."
  type        = map(object({ domain = string, served = bool }))
  default     = {}
}

variable "preview_password_digests" {
  description = "SHA-256 of `project:password` for projects whose previews need a password."
  type        = map(string)
  default     = {}
}

variable "live_previews" {
  description = "The load balancer that serves previews first, the headers with the original request, and the web socket path of changes. Null without live previews."
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
  description = "Folder with the packaged functions."
  type        = string
}

variable "price_class" {
  description = "CloudFront price class."
  type        = string
  default     = "PriceClass_100"
}

variable "force_destroy" {
  description = "Whether destroying the bucket also deletes its objects."
  type        = bool
  default     = false
}

variable "kms_key_arn" {
  description = "KMS key that encrypts the sites; S3's default key if null."
  type        = string
  default     = null
}

variable "key_use" {
  description = "Policy documents that allow a role to use the KMS key, if one is set."
  type        = list(string)
  default     = []
}

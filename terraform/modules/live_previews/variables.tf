variable "prefix" {
  description = "Prefix of all resource names."
  type        = string
}

variable "location" {
  description = "Partition, region and account, to build ARNs from names."
  type        = object({ partition = string, region = string, account = string })
}

variable "contract" {
  description = "The contract's live_previews: names, the number of slots with a live preview, the workers' port and the web socket path of changes."
  type        = object({ load_balancer = string, target_group = string, changes_path = string, slots = number, port = number })

  validation {
    condition     = var.contract.slots <= 99
    error_message = "A load balancer has 100 target groups, one of which is not a worker's."
  }
}

variable "max_workers" {
  description = "Maximum number of workers. Each of the first slots of the fleet has a rule and a target group."
  type        = number
}

variable "network" {
  description = "The workers' network: subnets for the load balancer in two zones, in a network with an internet gateway (required by CloudFront, not used); and the workers' security groups, the first of which lets the load balancer in."
  type        = object({ vpc_id = string, subnet_ids = list(string), security_group_ids = list(string) })
}

variable "bucket_name" {
  description = "Name of the sites bucket."
  type        = string
}

variable "shown_folders" {
  description = "Public folders of that bucket."
  type        = list(string)
}

variable "package_dir" {
  description = "Folder with the packaged functions."
  type        = string
}

variable "log_retention_days" {
  description = "Retention of logs in days."
  type        = number
}

variable "kms_key_arn" {
  description = "KMS key that encrypts logs and sites; AWS's default key if null."
  type        = string
  default     = null
}

variable "key_use" {
  description = "Policy documents that allow a role to use the KMS key, if one is set."
  type        = list(string)
  default     = []
}

variable "prefix" {
  description = "What the names of resources start with."
  type        = string
}

variable "location" {
  description = "Partition, region and account, for ARNs that are built from names."
  type        = object({ partition = string, region = string, account = string })
}

variable "contract" {
  description = "The contract's part about live previews: names, the workers' port, and the path on which pages hear of changes."
  type        = object({ load_balancer = string, target_group = string, changes_path = string, port = number })
}

variable "max_workers" {
  description = "Highest number of workers. Each slot of the fleet has a rule and a target group."
  type        = number

  validation {
    condition     = var.max_workers <= 99
    error_message = "A load balancer takes 100 rules and 100 target groups, of which one is not a worker's: live previews need max_workers of 99 or less."
  }
}

variable "network" {
  description = "The workers' network: the load balancer's subnets in two zones, with an internet gateway in their network, which CloudFront wants to see and does not use; and the workers' security groups, the first of which lets the load balancer in."
  type        = object({ vpc_id = string, subnet_ids = list(string), security_group_ids = list(string) })
}

variable "bucket_name" {
  description = "Name of the bucket of all sites."
  type        = string
}

variable "shown_folders" {
  description = "Folders of that bucket that everybody may look at."
  type        = list(string)
}

variable "package_dir" {
  description = "Folder of the packaged functions."
  type        = string
}

variable "log_retention_days" {
  description = "Days for which logs are kept."
  type        = number
}

variable "kms_key_arn" {
  description = "KMS key that encrypts logs and sites; AWS's own if null."
  type        = string
  default     = null
}

variable "key_use" {
  description = "Policy documents that let a role use the KMS key, where there is one."
  type        = list(string)
  default     = []
}

variable "package_dir" {
  description = "Folder with the zips of make package."
  type        = string
  default     = "../build/lambda"
}

module "live_previews" {
  source = "../.."

  prefix             = "webordinary"
  location           = { partition = "aws", region = "eu-west-1", account = "123456789012" }
  max_workers        = 10
  bucket_name        = "webordinary-sites-123456789012"
  shown_folders      = ["*/live/", "*/preview/*/"]
  package_dir        = var.package_dir
  log_retention_days = 30

  network = {
    vpc_id             = "vpc-0123456789abcdef0"
    subnet_ids         = ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]
    security_group_ids = ["sg-0123456789abcdef0"]
  }

  # From the contract.
  contract = {
    load_balancer = "$${prefix}-live"
    target_group  = "$${prefix}-$${slot}"
    changes_path  = "webordinary-live-changes"
    slots         = 99
    port          = 8026
  }
}

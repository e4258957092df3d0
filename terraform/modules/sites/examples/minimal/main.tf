provider "aws" {
  region = "eu-west-1"
}

provider "aws" {
  alias  = "global"
  region = "us-east-1"
}

variable "package_dir" {
  description = "Folder with the zips of make package."
  type        = string
  default     = "../build/lambda"
}

module "sites" {
  source    = "../.."
  providers = { aws = aws, aws.global = aws.global }

  prefix         = "webordinary"
  location       = { partition = "aws", region = "eu-west-1", account = "123456789012" }
  bucket_name    = "webordinary-sites-123456789012"
  sites_domain   = "sites.example.com"
  preview_domain = "preview.example.com"
  zone_id        = "Z0123456789EXAMPLE"
  package_dir    = var.package_dir
  own_domains    = { bakery = { domain = "www.bakery.example", served = true } }

  # From the contract.
  contract = {
    patterns = { thread = "^[a-z2-7]{26}$", project = "^[a-z0-9-]+$" }
    hosts    = { live = "$${project}", preview = "$${thread}--$${project}" }
    prefixes = { live = "$${project}/live/", preview = "$${project}/preview/$${thread}/", old_previews = "session/" }
  }
}

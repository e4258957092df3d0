module "bakery" {
  source = "../.."

  project_id     = "bakery"
  domain         = "bakery.example.com"
  repository     = "https://git.example.com/bakery.git"
  default_branch = "main"
  interrupts     = "same-thread"
  users          = { ada = { addresses = ["ada@example.com"], name = "Ada" } }
  preview_url    = "https://edit.$${domain}"

  prefix                = "webordinary"
  location              = { partition = "aws", region = "eu-west-1", account = "123456789012" }
  project_configs_table = "webordinary-project-configs"
  force_destroy         = false

  bucket_templates = {
    edit_site       = "$${prefix}-edit-$${project}-$${account}"
    production_site = "$${prefix}-site-$${project}-$${account}"
  }
}

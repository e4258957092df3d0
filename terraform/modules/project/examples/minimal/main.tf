module "bakery" {
  source = "../.."

  project_id     = "bakery"
  domain         = "bakery.example.com"
  repository     = "https://git.example.com/bakery.git"
  default_branch = "main"
  interrupts     = "same-thread"
  users          = { ada = { addresses = ["ada@example.com"], name = "Ada" } }
  site_url       = "https://bakery.sites.example.com/"
  preview_url    = "https://$${thread}--bakery.preview.example.com/"

  prefix                = "webordinary"
  location              = { partition = "aws", region = "eu-west-1", account = "123456789012" }
  project_configs_table = "webordinary-project-configs"
  timing                = { input_visibility_seconds = 120, job_seconds = 3600, long_poll_seconds = 5 }
  attempts              = 5

  queue_templates = {
    input              = "$${prefix}-input-$${project}-$${user}.fifo"
    input_dead_letters = "$${prefix}-input-$${project}-$${user}-dlq.fifo"
    interrupts         = "$${prefix}-interrupts-$${project}-$${user}"
  }
}

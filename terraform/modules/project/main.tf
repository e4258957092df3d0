# Everything that belongs to one website.

locals {
  bucket_tokens = { prefix = var.prefix, project = var.project_id, account = var.location.account }

  queue_names = {
    for user in keys(var.users) : user => {
      for key in ["input", "input_dead_letters", "interrupts"] :
      key => templatestring(var.queue_templates[key], { prefix = var.prefix, project = var.project_id, user = user })
    }
  }
}

module "input" {
  source   = "../queue"
  for_each = var.users

  name               = local.queue_names[each.key].input
  dead_letter_name   = local.queue_names[each.key].input_dead_letters
  location           = var.location
  attempts           = var.attempts
  visibility_seconds = var.timing.input_visibility_seconds
  retention_seconds  = 14 * 24 * 3600 # longer than a job waits before it is given up and answered
  long_poll_seconds  = var.timing.long_poll_seconds
}

module "interrupts" {
  source   = "../queue"
  for_each = var.users

  name               = local.queue_names[each.key].interrupts
  location           = var.location
  visibility_seconds = 30
  retention_seconds  = var.timing.job_seconds # an interrupt is for the job that runs now
  long_poll_seconds  = var.timing.long_poll_seconds
}

module "edit_site" {
  source = "../bucket"

  name          = templatestring(var.bucket_templates.edit_site, local.bucket_tokens)
  partition     = var.location.partition
  force_destroy = var.force_destroy
}

module "production_site" {
  source = "../bucket"

  name          = templatestring(var.bucket_templates.production_site, local.bucket_tokens)
  partition     = var.location.partition
  force_destroy = var.force_destroy
}

resource "aws_dynamodb_table_item" "project" {
  table_name = var.project_configs_table
  hash_key   = "pk"

  item = jsonencode({
    pk               = { S = "project#${var.project_id}" }
    projectId        = { S = var.project_id }
    domain           = { S = var.domain }
    repository       = { S = var.repository }
    defaultBranch    = { S = var.default_branch }
    interrupts       = { S = var.interrupts }
    previewUrl       = { S = templatestring(var.preview_url, { project = var.project_id, domain = var.domain }) }
    folder           = { S = var.site.folder }
    buildHosts       = { L = [for host in var.site.hosts : { S = host }] }
    buildEnvironment = { M = { for name, value in var.site.environment : name => { S = value } } }
    buildSecrets     = { BOOL = var.site.secrets }
    users            = { L = [for user in sort(keys(var.users)) : { S = user }] }
    userNames        = { M = { for user, person in var.users : user => { S = person.name } if person.name != null } }
  })
}

# Everything that belongs to one website.

locals {
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

resource "aws_dynamodb_table_item" "project" {
  table_name = var.project_configs_table
  hash_key   = "pk"

  item = jsonencode(merge({
    pk            = { S = "project#${var.project_id}" }
    projectId     = { S = var.project_id }
    domain        = { S = var.domain }
    repository    = { S = var.repository }
    defaultBranch = { S = var.default_branch }
    interrupts    = { S = var.interrupts }
    developer     = { S = var.developer }
    tellsCost     = { BOOL = var.tells_cost }
    siteUrl       = { S = var.site_url }
    previewUrl    = { S = var.preview_url }
    users         = { L = [for user in sort(keys(var.users)) : { S = user }] }
    userNames     = { M = { for user, person in var.users : user => { S = person.name } if person.name != null } }
    editors       = { L = [for user in sort(keys(var.users)) : { S = user } if var.users[user].role == "editor"] }
    publishers    = { M = { for user, person in var.users : user => { S = person.addresses[0] } if person.role == "publisher" && length(person.addresses) > 0 } }
  }, var.preview_password == null ? {} : { previewPasswordDigest = { S = var.preview_password } }))
}

# What belongs to one website. The queues of its pairs are made when their first mail comes.

locals {
  bucket_tokens = { prefix = var.prefix, project = var.project_id, account = var.location.account }
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
    pk            = { S = "project#${var.project_id}" }
    projectId     = { S = var.project_id }
    domain        = { S = var.domain }
    repository    = { S = var.repository }
    defaultBranch = { S = var.default_branch }
    interrupts    = { S = var.interrupts }
    previewUrl    = { S = templatestring(var.preview_url, { project = var.project_id, domain = var.domain }) }
    users         = { L = [for user in sort(keys(var.users)) : { S = user }] }
    revision      = { N = "1" }
    people = { M = { for user, person in var.users : user => { M = {
      addresses = { L = [for address in person.addresses : { S = lower(address) }] }
      name      = { S = coalesce(person.name, user) }
    } } } }
    userNames = { M = { for user, person in var.users : user => { S = person.name } if person.name != null } }
  })
}

# Which pairs an address may write for. One address may edit several websites.

locals {
  sender_pairs = {
    for entry in flatten([
      for project, settings in var.projects : [
        for user, person in settings.users : [
          for address in person.addresses : { address = lower(address), pair = "${project}#${user}" }
        ]
      ]
    ]) : entry.address => entry.pair...
  }
}

resource "aws_dynamodb_table_item" "sender" {
  for_each = local.sender_pairs

  table_name = module.tables.names.project_configs
  hash_key   = "pk"

  item = jsonencode({
    pk    = { S = "sender#${each.key}" }
    pairs = { SS = sort(each.value) }
  })
}

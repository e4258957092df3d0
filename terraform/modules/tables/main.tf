# All DynamoDB tables: ownership, jobs, unfinished jobs, threads, worker requests, projects, idempotency, workers, spending, conversations.

locals {
  key_attributes = {
    for table, keys in var.keys : table => toset(concat(keys.table, values(keys.indexes)...))
  }
}

resource "aws_dynamodb_table" "this" {
  for_each = var.keys

  name                        = var.names[each.key]
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = each.value.table[0]
  range_key                   = try(each.value.table[1], null)
  deletion_protection_enabled = var.deletion_protection

  dynamic "attribute" {
    for_each = local.key_attributes[each.key]

    content {
      name = attribute.value
      type = "S"
    }
  }

  dynamic "global_secondary_index" {
    for_each = each.value.indexes

    content {
      name            = var.index_names[global_secondary_index.key]
      hash_key        = global_secondary_index.value[0]
      range_key       = try(global_secondary_index.value[1], null)
      projection_type = "ALL"
    }
  }

  ttl {
    attribute_name = "ttl"
    enabled        = true
  }

  point_in_time_recovery {
    enabled = var.point_in_time_recovery
  }

  # Disabled means AWS's own key, which is free. Enabled without a key would be the account's managed key, whose requests cost.
  server_side_encryption {
    enabled     = var.kms_key_arn != null
    kms_key_arn = var.kms_key_arn
  }
}

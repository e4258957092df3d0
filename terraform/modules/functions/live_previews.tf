# Who leads people to a worker, and away from it. Rights of their own, because without a load balancer nobody has them.

locals {
  led_by    = toset(var.live_previews == null ? [] : ["broker", "fleet"])
  balancers = "arn:${var.location.partition}:elasticloadbalancing:${local.account_scope}"
}

resource "aws_iam_role_policy" "live_previews" {
  for_each = local.led_by

  name   = "live-previews"
  role   = aws_iam_role.this[each.key].id
  policy = data.aws_iam_policy_document.live_previews[each.key].json
}

data "aws_iam_policy_document" "live_previews" {
  for_each = local.led_by

  statement {
    sid       = "SeeWhereItLeads"
    actions   = ["elasticloadbalancing:DescribeRules", "elasticloadbalancing:DescribeTargetGroups", "elasticloadbalancing:DescribeTargetHealth"]
    resources = ["*"] # load balancers know no resources for these
  }

  statement {
    sid       = "ChangeWhereItLeads"
    actions   = ["elasticloadbalancing:ModifyRule"]
    resources = ["${local.balancers}:listener-rule/app/${var.live_previews.load_balancer}/*"]
  }

  statement {
    sid       = "LeadToWorkers"
    actions   = concat(["elasticloadbalancing:DeregisterTargets"], each.key == "broker" ? ["elasticloadbalancing:RegisterTargets"] : [])
    resources = ["${local.balancers}:targetgroup/${var.live_previews.target_groups}/*"]
  }

  # Where a worker is by the word of ECS, and whose a thread is; of what was said in it nothing.
  dynamic "statement" {
    for_each = each.key == "broker" ? [1] : []

    content {
      sid       = "LookAtWorkers"
      actions   = ["ecs:DescribeTasks"]
      resources = ["arn:${var.location.partition}:ecs:${local.account_scope}:task/${var.fleet.cluster}/*"]
    }
  }

  dynamic "statement" {
    for_each = each.key == "broker" ? [1] : []

    content {
      sid       = "KnowWhoseAThreadIs"
      actions   = ["dynamodb:Query"]
      resources = [local.tables.thread_mappings]

      condition {
        test     = "ForAllValues:StringEquals"
        variable = "dynamodb:Attributes"
        values   = ["pk", "projectKey"]
      }

      condition {
        test     = "StringEquals"
        variable = "dynamodb:Select"
        values   = ["SPECIFIC_ATTRIBUTES"]
      }
    }
  }
}

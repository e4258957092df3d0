# Permissions to route viewers of live previews to workers. Separate policies, because they exist only with a load balancer.

locals {
  routing_functions = toset(var.live_previews == null ? [] : ["broker", "fleet"])
  balancers         = "arn:${var.location.partition}:elasticloadbalancing:${local.account_scope}"
}

resource "aws_iam_role_policy" "live_previews" {
  for_each = local.routing_functions

  name   = "live-previews"
  role   = aws_iam_role.this[each.key].id
  policy = data.aws_iam_policy_document.live_previews[each.key].json
}

data "aws_iam_policy_document" "live_previews" {
  for_each = local.routing_functions

  statement {
    sid       = "DescribeRouting"
    actions   = ["elasticloadbalancing:DescribeRules", "elasticloadbalancing:DescribeTargetGroups", "elasticloadbalancing:DescribeTargetHealth"]
    resources = ["*"] # load balancers support no resources for these
  }

  statement {
    sid       = "ChangeRules"
    actions   = ["elasticloadbalancing:ModifyRule"]
    resources = ["${local.balancers}:listener-rule/app/${var.live_previews.load_balancer}/*"]
  }

  statement {
    sid       = "ChangeTargets"
    actions   = concat(["elasticloadbalancing:DeregisterTargets"], each.key == "broker" ? ["elasticloadbalancing:RegisterTargets"] : [])
    resources = ["${local.balancers}:targetgroup/${var.live_previews.target_groups}/*"]
  }

  # The address of a worker, as ECS reports it, and the pair of a thread, without its content.
  dynamic "statement" {
    for_each = each.key == "broker" ? [1] : []

    content {
      sid       = "DescribeWorkers"
      actions   = ["ecs:DescribeTasks"]
      resources = ["arn:${var.location.partition}:ecs:${local.account_scope}:task/${var.fleet.cluster}/*"]
    }
  }

  dynamic "statement" {
    for_each = each.key == "broker" ? [1] : []

    content {
      sid       = "FindPairOfThread"
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

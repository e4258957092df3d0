# Routes viewers of a preview to the worker that edits it. CloudFront requests previews from an internal load balancer
# first, which has a rule and a target group for each of the fleet's first slots. The broker sets the thread and worker
# of each. Previews of workers in later slots are not live: a load balancer has 100 target groups.

locals {
  name       = templatestring(var.contract.load_balancer, { prefix = var.prefix })
  slots      = [for number in range(1, min(var.max_workers, var.contract.slots) + 1) : format("slot-%04d", number)] # as in tables/workers.py
  groups     = { for slot in local.slots : slot => templatestring(var.contract.target_group, { prefix = var.prefix, slot = slot }) }
  priorities = { for index, slot in local.slots : slot => index + 1 }
}

resource "aws_lb" "this" {
  name                       = local.name
  internal                   = true
  load_balancer_type         = "application"
  security_groups            = [aws_security_group.this.id]
  subnets                    = var.network.subnet_ids
  idle_timeout               = 3600 # no data is sent while an agent works
  drop_invalid_header_fields = true
  xff_header_processing_mode = "remove" # sites do not see the viewer's address

  lifecycle {
    precondition {
      condition     = length(var.network.subnet_ids) >= 2
      error_message = "A load balancer needs subnets in two zones, with eight free addresses each."
    }
  }
}

# Without TLS: CloudFront connects through a network interface inside this network, and a certificate would require a
# public name.
resource "aws_lb_listener" "this" {
  load_balancer_arn = aws_lb.this.arn
  port              = 80
  protocol          = "HTTP"

  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.not_live.arn
  }
}

resource "aws_lb_target_group" "slot" {
  for_each = local.groups

  name                 = each.value
  target_type          = "ip"
  protocol             = "HTTP"
  port                 = var.contract.port
  vpc_id               = var.network.vpc_id
  deregistration_delay = 0

  # A worker answers health checks for any host.
  health_check {
    path                = "/"
    matcher             = "200-499"
    interval            = 5
    timeout             = 4
    healthy_threshold   = 2
    unhealthy_threshold = 2
  }
}

resource "aws_lb_listener_rule" "slot" {
  for_each = local.groups

  listener_arn = aws_lb_listener.this.arn
  priority     = local.priorities[each.key]

  action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.slot[each.key].arn
  }

  # A path that the edge never requests.
  condition {
    path_pattern {
      values = ["/${each.value}"]
    }
  }

  lifecycle {
    ignore_changes = [condition] # the broker sets the thread
  }
}

# Open pages poll every second until their server is back.
resource "aws_lb_listener_rule" "changes" {
  listener_arn = aws_lb_listener.this.arn
  priority     = 1000

  action {
    type = "fixed-response"

    fixed_response {
      content_type = "text/plain"
      status_code  = "503"
    }
  }

  condition {
    path_pattern {
      values = ["*/${var.contract.changes_path}/*"]
    }
  }
}

resource "aws_cloudfront_vpc_origin" "this" {
  vpc_origin_endpoint_config {
    name                   = local.name
    arn                    = aws_lb.this.arn
    http_port              = aws_lb_listener.this.port
    https_port             = 443
    origin_protocol_policy = "http-only" # see the listener

    origin_ssl_protocols {
      items    = ["TLSv1.2"]
      quantity = 1
    }
  }
}

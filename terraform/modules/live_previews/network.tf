# CloudFront reaches the load balancer, and the load balancer reaches the workers' preview proxies.

data "aws_ec2_managed_prefix_list" "cloudfront" {
  name = "com.amazonaws.global.cloudfront.origin-facing"
}

resource "aws_security_group" "this" {
  name        = local.name
  description = "Live previews: from CloudFront, to workers."
  vpc_id      = var.network.vpc_id

  tags = { Name = local.name }
}

resource "aws_vpc_security_group_ingress_rule" "cloudfront" {
  security_group_id = aws_security_group.this.id
  description       = "CloudFront VPC origin: our distributions only."
  prefix_list_id    = data.aws_ec2_managed_prefix_list.cloudfront.id
  ip_protocol       = "tcp"
  from_port         = aws_lb_listener.this.port
  to_port           = aws_lb_listener.this.port
}

resource "aws_vpc_security_group_egress_rule" "workers" {
  security_group_id            = aws_security_group.this.id
  description                  = "Preview proxies of the workers."
  referenced_security_group_id = var.network.security_group_ids[0]
  ip_protocol                  = "tcp"
  from_port                    = var.contract.port
  to_port                      = var.contract.port
}

# Lets the load balancer reach the workers.
resource "aws_vpc_security_group_ingress_rule" "workers" {
  security_group_id            = var.network.security_group_ids[0]
  description                  = "Viewers of live previews, through the load balancer."
  referenced_security_group_id = aws_security_group.this.id
  ip_protocol                  = "tcp"
  from_port                    = var.contract.port
  to_port                      = var.contract.port
}

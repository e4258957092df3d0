# A small network for the workers: outbound connections only.

data "aws_availability_zones" "available" {
  count = var.create_network ? 1 : 0

  state = "available"
}

resource "aws_vpc" "this" {
  count = var.create_network ? 1 : 0

  cidr_block           = var.network_cidr
  enable_dns_hostnames = true
  enable_dns_support   = true

  tags = { Name = local.name }
}

resource "aws_internet_gateway" "this" {
  count = var.create_network ? 1 : 0

  vpc_id = aws_vpc.this[0].id

  tags = { Name = local.name }
}

resource "aws_subnet" "this" {
  count = var.create_network ? 2 : 0

  vpc_id            = aws_vpc.this[0].id
  availability_zone = data.aws_availability_zones.available[0].names[count.index]
  cidr_block        = cidrsubnet(var.network_cidr, 4, count.index)

  tags = { Name = "${local.name}-${count.index}" }
}

resource "aws_route_table" "this" {
  count = var.create_network ? 1 : 0

  vpc_id = aws_vpc.this[0].id

  route {
    cidr_block = "0.0.0.0/0"
    gateway_id = aws_internet_gateway.this[0].id
  }

  tags = { Name = local.name }
}

resource "aws_route_table_association" "this" {
  count = var.create_network ? 2 : 0

  subnet_id      = aws_subnet.this[count.index].id
  route_table_id = aws_route_table.this[0].id
}

# Subnets for the load balancer, which needs 32 addresses in each of two zones. They have no outbound route.
resource "aws_subnet" "load_balancer" {
  count = var.create_network && var.live_port != null ? 2 : 0

  vpc_id            = aws_vpc.this[0].id
  availability_zone = data.aws_availability_zones.available[0].names[count.index]
  cidr_block        = cidrsubnet(var.network_cidr, 3, count.index + 1)

  tags = { Name = "${local.name}-live-${count.index}" }
}

data "aws_subnet" "given" {
  count = !var.create_network && var.live_port != null ? 1 : 0

  id = var.subnet_ids[0]
}

# Gateway endpoints are free and keep S3 and DynamoDB traffic off the internet.
resource "aws_vpc_endpoint" "this" {
  for_each = toset(var.create_network ? ["s3", "dynamodb"] : [])

  vpc_id          = aws_vpc.this[0].id
  service_name    = "com.amazonaws.${var.location.region}.${each.key}"
  route_table_ids = aws_route_table.this[*].id

  tags = { Name = "${local.name}-${each.key}" }
}

resource "aws_security_group" "this" {
  count = var.create_network ? 1 : 0

  name        = local.name
  description = "Workers: HTTPS out, nothing in."
  vpc_id      = aws_vpc.this[0].id

  tags = { Name = local.name }
}

resource "aws_vpc_security_group_egress_rule" "https" {
  count = var.create_network ? 1 : 0

  security_group_id = aws_security_group.this[0].id
  description       = "HTTPS to AWS, the model API, git hosts and package registries."
  cidr_ipv4         = "0.0.0.0/0"
  ip_protocol       = "tcp"
  from_port         = 443
  to_port           = 443
}

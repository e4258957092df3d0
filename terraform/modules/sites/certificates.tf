# CloudFront requires certificates in us-east-1, one for each distribution.

resource "aws_acm_certificate" "sites" {
  provider = aws.global
  count    = var.create_cdn ? 1 : 0

  domain_name               = "*.${var.sites_domain}"
  subject_alternative_names = ["*.${var.preview_domain}"]
  validation_method         = "DNS"

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_acm_certificate" "own" {
  provider = aws.global
  for_each = var.create_cdn ? { for project, own in var.own_domains : project => own.domain } : {}

  domain_name       = each.value
  validation_method = "DNS"

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_acm_certificate_validation" "sites" {
  provider = aws.global
  count    = local.create_sites ? 1 : 0

  certificate_arn         = one(aws_acm_certificate.sites).arn
  validation_record_fqdns = var.zone_id == null ? null : [for record in aws_route53_record.validation : record.fqdn]
}

resource "aws_acm_certificate_validation" "own" {
  provider = aws.global
  for_each = local.served_domains

  certificate_arn = aws_acm_certificate.own[each.key].arn
}

# DNS records: created if the zone is given, otherwise listed in the output.

locals {
  validations = flatten([for certificate in aws_acm_certificate.sites : [
    for option in certificate.domain_validation_options :
    { name = option.resource_record_name, type = option.resource_record_type, value = option.resource_record_value }
  ]])

  own_validations = flatten([for certificate in aws_acm_certificate.own : [
    for option in certificate.domain_validation_options :
    { name = option.resource_record_name, type = option.resource_record_type, value = option.resource_record_value }
  ]])

  addresses = flatten([
    for key, distribution in aws_cloudfront_distribution.this : [
      for alias in distribution.aliases : { name = alias, type = "CNAME", value = distribution.domain_name }
    ]
  ])
}

resource "aws_route53_record" "validation" {
  for_each = var.create_cdn && var.zone_id != null ? toset(["*.${var.sites_domain}", "*.${var.preview_domain}"]) : toset([])

  zone_id         = var.zone_id
  name            = one([for option in one(aws_acm_certificate.sites).domain_validation_options : option.resource_record_name if option.domain_name == each.key])
  type            = one([for option in one(aws_acm_certificate.sites).domain_validation_options : option.resource_record_type if option.domain_name == each.key])
  records         = [one([for option in one(aws_acm_certificate.sites).domain_validation_options : option.resource_record_value if option.domain_name == each.key])]
  ttl             = 300
  allow_overwrite = true
}

resource "aws_route53_record" "hosts" {
  for_each = var.zone_id == null ? {} : {
    for entry in setproduct(keys(local.hosts), ["A", "AAAA"]) : "${entry[0]} ${entry[1]}" => { host = entry[0], type = entry[1] }
  }

  zone_id = var.zone_id
  name    = local.hosts[each.value.host]
  type    = each.value.type

  alias {
    name                   = aws_cloudfront_distribution.this[each.value.host].domain_name
    zone_id                = aws_cloudfront_distribution.this[each.value.host].hosted_zone_id
    evaluate_target_health = false
  }
}

locals {
  hosts = local.create_sites ? { live = "*.${var.sites_domain}", preview = "*.${var.preview_domain}" } : {}
}

# Live sites, previews, and one distribution for each project with a domain of its own. Live sites and previews are apart
# because their headers differ and because nothing of a preview may be kept where a live site is shown.

locals {
  # Without a zone of ours somebody has to add the records first; see the output `dns_records`.
  create_sites   = var.create_cdn && (var.zone_id != null || var.certificate_ready)
  served_domains = local.create_sites ? { for project, own in var.own_domains : project => own.domain if own.served } : {}
  origin         = "sites"

  distributions = merge(
    local.create_sites ? {
      live    = { aliases = ["*.${var.sites_domain}"], certificate = one(aws_acm_certificate_validation.sites).certificate_arn }
      preview = { aliases = ["*.${var.preview_domain}"], certificate = one(aws_acm_certificate_validation.sites).certificate_arn }
    } : {},
    {
      for project, domain in local.served_domains :
      "domain-${project}" => { aliases = [domain], certificate = aws_acm_certificate_validation.own[project].certificate_arn }
    },
  )
}

resource "aws_cloudfront_origin_access_control" "this" {
  count = local.create_sites ? 1 : 0

  name                              = "${var.prefix}-sites"
  description                       = "CloudFront signs what it asks of the bucket."
  origin_access_control_origin_type = "s3"
  signing_behavior                  = "always"
  signing_protocol                  = "sigv4"
}

# What a file says of itself decides how long it is kept. The key of a file is all that it depends on.
resource "aws_cloudfront_cache_policy" "this" {
  count = local.create_sites ? 1 : 0

  name        = "${var.prefix}-sites"
  min_ttl     = 0
  default_ttl = 0
  max_ttl     = 31536000

  parameters_in_cache_key_and_forwarded_to_origin {
    enable_accept_encoding_brotli = true
    enable_accept_encoding_gzip   = true

    cookies_config {
      cookie_behavior = "none"
    }

    headers_config {
      header_behavior = "none"
    }

    query_strings_config {
      query_string_behavior = "none"
    }
  }
}

resource "aws_cloudfront_distribution" "this" {
  for_each = local.distributions

  enabled         = true
  comment         = "${var.prefix} ${each.key}"
  aliases         = each.value.aliases
  is_ipv6_enabled = true
  http_version    = "http2and3"
  price_class     = var.price_class

  origin {
    origin_id                = local.origin
    domain_name              = "${var.bucket_name}.s3.${var.location.region}.amazonaws.com"
    origin_access_control_id = one(aws_cloudfront_origin_access_control.this).id
  }

  default_cache_behavior {
    target_origin_id           = local.origin
    allowed_methods            = ["GET", "HEAD"]
    cached_methods             = ["GET", "HEAD"]
    viewer_protocol_policy     = "redirect-to-https"
    compress                   = true
    cache_policy_id            = one(aws_cloudfront_cache_policy.this).id
    response_headers_policy_id = aws_cloudfront_response_headers_policy.this[each.key == "preview" ? "preview" : "live"].id

    function_association {
      event_type   = "viewer-request"
      function_arn = one(aws_cloudfront_function.viewer_request).arn
    }

    lambda_function_association {
      event_type = "origin-response"
      lambda_arn = one(aws_lambda_function.origin_response).qualified_arn
    }
  }

  viewer_certificate {
    acm_certificate_arn      = each.value.certificate
    ssl_support_method       = "sni-only"
    minimum_protocol_version = "TLSv1.2_2021"
  }

  restrictions {
    geo_restriction {
      restriction_type = "none"
    }
  }
}

# Distributions for live sites, for previews, and for each project with a custom domain. Live sites and previews are
# separate because their headers differ and because they must not share a cache.

locals {
  # Without a zone, the certificate's records have to be added first; see the output `dns_records`.
  create_sites   = var.create_cdn && (var.zone_id != null || var.certificate_ready)
  served_domains = local.create_sites ? { for project, own in var.own_domains : project => own.domain if own.served } : {}
  origin         = "sites"

  # With live previews, previews are requested from the load balancer first.
  asked_first = { for key, _ in local.distributions : key => key == "preview" && var.live_previews != null }

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
  description                       = "Signs CloudFront's requests to the bucket."
  origin_access_control_origin_type = "s3"
  signing_behavior                  = "always"
  signing_protocol                  = "sigv4"
}

# The Cache-Control of a file decides how long it is cached. The cache key is the path only.
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

  dynamic "origin" {
    for_each = local.asked_first[each.key] ? [var.live_previews] : []

    # Fail over to the bucket without delay.
    content {
      origin_id           = local.workers
      domain_name         = origin.value.domain_name
      connection_attempts = 1
      connection_timeout  = 3

      vpc_origin_config {
        vpc_origin_id       = origin.value.vpc_origin_id
        origin_read_timeout = 30
      }
    }
  }

  # CloudFront repeats GET and HEAD requests at the second origin.
  dynamic "origin_group" {
    for_each = local.asked_first[each.key] ? [1] : []

    content {
      origin_id = local.previews

      failover_criteria {
        status_codes = [502, 503, 504]
      }

      member {
        origin_id = local.workers
      }

      member {
        origin_id = local.origin
      }
    }
  }

  default_cache_behavior {
    target_origin_id           = local.asked_first[each.key] ? local.previews : local.origin
    allowed_methods            = ["GET", "HEAD"]
    cached_methods             = ["GET", "HEAD"]
    viewer_protocol_policy     = "redirect-to-https"
    compress                   = true
    cache_policy_id            = local.asked_first[each.key] ? one(aws_cloudfront_cache_policy.live).id : one(aws_cloudfront_cache_policy.this).id
    origin_request_policy_id   = local.asked_first[each.key] ? aws_cloudfront_origin_request_policy.live["pages"].id : null
    response_headers_policy_id = aws_cloudfront_response_headers_policy.this[each.key == "preview" ? "preview" : "live"].id

    function_association {
      event_type   = "viewer-request"
      function_arn = one(aws_cloudfront_function.viewer_request).arn
    }

    # CloudFront does not run it for VPC origins; there, the load balancer invokes such a function.
    dynamic "lambda_function_association" {
      for_each = local.asked_first[each.key] ? [] : [1]

      content {
        event_type = "origin-response"
        lambda_arn = one(aws_lambda_function.origin_response).qualified_arn
      }
    }
  }

  # The web socket for changes. Web sockets have no failover origin.
  dynamic "ordered_cache_behavior" {
    for_each = local.asked_first[each.key] ? [var.live_previews] : []

    content {
      path_pattern               = "*/${ordered_cache_behavior.value.changes_path}"
      target_origin_id           = local.workers
      allowed_methods            = ["GET", "HEAD"]
      cached_methods             = ["GET", "HEAD"]
      viewer_protocol_policy     = "https-only"
      cache_policy_id            = local.caching_disabled
      origin_request_policy_id   = aws_cloudfront_origin_request_policy.live["changes"].id
      response_headers_policy_id = aws_cloudfront_response_headers_policy.this["preview"].id

      function_association {
        event_type   = "viewer-request"
        function_arn = one(aws_cloudfront_function.viewer_request).arn
      }
    }
  }

  # CloudFront caches errors for ten seconds by default, which would hide a page that was just deployed.
  dynamic "custom_error_response" {
    for_each = local.asked_first[each.key] ? [403, 404, 500, 502, 503, 504] : []

    content {
      error_code            = custom_error_response.value
      error_caching_min_ttl = 0
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

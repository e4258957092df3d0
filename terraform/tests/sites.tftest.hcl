# Distributions, edge functions and headers of the sites.

mock_provider "aws" {
  source = "./tests/mocks"
}

mock_provider "aws" {
  alias  = "global"
  source = "./tests/mocks"
}

variables {
  prefix         = "acme"
  location       = { partition = "aws", region = "eu-west-1", account = "123456789012" }
  bucket_name    = "acme-sites-123456789012"
  sites_domain   = "sites.example.com"
  preview_domain = "preview.example.net"
  zone_id        = "Z0123456789EXAMPLE"

  own_domains = {
    bakery = { domain = "www.bakery.example", served = true }
    garden = { domain = "www.garden.example", served = false }
  }
  preview_password_digests = { garden = "00" }

  contract = {
    patterns = { thread = "^[a-z2-7]{26}$", project = "^[a-z0-9-]+$" }
    hosts    = { live = "$${project}", preview = "$${thread}--$${project}" }
    prefixes = { live = "$${project}/live/", preview = "$${project}/preview/$${thread}/", old_previews = "session/" }
  }
}

run "live_sites_previews_and_custom_domains_have_own_distributions" {
  command   = plan
  providers = { aws = aws, aws.global = aws.global }

  module {
    source = "./modules/sites"
  }

  assert {
    condition = { for key, one in aws_cloudfront_distribution.this : key => one.aliases } == {
      live            = toset(["*.sites.example.com"])
      preview         = toset(["*.preview.example.net"])
      "domain-bakery" = toset(["www.bakery.example"])
    }
    error_message = "Each kind of site must have its own distribution; a domain without certificate records must have none."
  }

  assert {
    condition     = alltrue([for one in aws_cloudfront_distribution.this : one.default_cache_behavior[0].viewer_protocol_policy == "redirect-to-https" && one.viewer_certificate[0].minimum_protocol_version == "TLSv1.2_2021"])
    error_message = "Sites must require TLS."
  }

  assert {
    condition     = alltrue([for one in aws_cloudfront_distribution.this : one.default_cache_behavior[0].allowed_methods == toset(["GET", "HEAD"])])
    error_message = "Sites must accept read requests only."
  }

  assert {
    condition     = one(one(aws_cloudfront_response_headers_policy.this["preview"].custom_headers_config).items).value == "noindex, nofollow, noarchive"
    error_message = "Previews must set X-Robots-Tag."
  }

  assert {
    condition     = length(aws_cloudfront_response_headers_policy.this["live"].custom_headers_config) == 0
    error_message = "Live sites must not set X-Robots-Tag."
  }

  assert {
    condition     = one(one(aws_cloudfront_response_headers_policy.this["preview"].security_headers_config).referrer_policy).referrer_policy == "no-referrer"
    error_message = "Previews must not send a Referer."
  }

  assert {
    condition     = data.aws_iam_policy_document.readers[0].statement[0].resources == toset(["arn:aws:s3:::acme-sites-123456789012/*/live/*", "arn:aws:s3:::acme-sites-123456789012/*/preview/*/*"])
    error_message = "Releases must not be readable through the CDN."
  }

  assert {
    condition     = data.aws_iam_policy_document.readers[0].statement[0].actions == toset(["s3:GetObject"]) && one(data.aws_iam_policy_document.readers[0].statement[0].condition).variable == "aws:SourceArn"
    error_message = "Only our distributions may read the bucket, and none may list it."
  }

  assert {
    condition     = data.aws_iam_policy_document.edge.statement[0].resources == data.aws_iam_policy_document.readers[0].statement[0].resources
    error_message = "The Lambda@Edge function must read the same folders as CloudFront."
  }

  assert {
    condition     = { for key, one in aws_cloudfrontkeyvaluestore_key.this : key => one.value } == { "domain/www.bakery.example" = "bakery", "password/garden" = "00" }
    error_message = "The key value store must hold served domains and password digests."
  }

  assert {
    condition     = length(aws_cloudfront_function.viewer_request[0].code) < 10240
    error_message = "A CloudFront function is limited to 10 KB."
  }

  assert {
    condition     = alltrue([for one in aws_cloudfront_distribution.this : length(one.origin) == 1 && length(one.origin_group) == 0 && length(one.ordered_cache_behavior) == 0 && length(one.custom_error_response) == 0 && length(one.default_cache_behavior[0].lambda_function_association) == 1])
    error_message = "Distributions must use the bucket, with a function for missing files."
  }

  assert {
    condition     = length(aws_cloudfront_cache_policy.live) == 0 && length(aws_cloudfront_origin_request_policy.live) == 0 && !strcontains(aws_cloudfront_function.viewer_request[0].code, "x-webordinary-host")
    error_message = "No DNS records must be left to add."
  }
}

run "without_zone_only_the_certificate_is_created" {
  command   = plan
  providers = { aws = aws, aws.global = aws.global }

  module {
    source = "./modules/sites"
  }

  variables {
    zone_id = null
  }

  assert {
    condition     = length(aws_acm_certificate.sites) == 1 && length(aws_cloudfront_distribution.this) == 0 && length(aws_route53_record.hosts) == 0
    error_message = "Distributions must not be created before the certificate's records are added."
  }
}

run "without_cdn_only_the_bucket_is_created" {
  command   = plan
  providers = { aws = aws, aws.global = aws.global }

  module {
    source = "./modules/sites"
  }

  variables {
    create_cdn = false
  }

  assert {
    condition     = length(aws_acm_certificate.sites) == 0 && length(aws_acm_certificate.own) == 0 && length(aws_cloudfront_function.viewer_request) == 0
    error_message = "No distribution must be created without the CDN."
  }
}

run "only_previews_use_the_load_balancer_first" {
  command   = plan
  providers = { aws = aws, aws.global = aws.global }

  module {
    source = "./modules/sites"
  }

  variables {
    live_previews = {
      domain_name   = "internal-acme-live-1.eu-west-1.elb.amazonaws.com"
      vpc_origin_id = "vo_0123456789"
      host_header   = "x-webordinary-host"
      target_header = "x-webordinary-target"
      changes_path  = "webordinary-live-changes"
    }
  }

  assert {
    condition     = [for key, one in aws_cloudfront_distribution.this : key if length(one.origin_group) > 0 || length(one.ordered_cache_behavior) > 0] == ["preview"]
    error_message = "Live sites must not use the load balancer."
  }

  assert {
    condition     = [for one in one(aws_cloudfront_distribution.this["preview"].origin_group).member : one.origin_id] == ["workers", "sites"] && one(one(aws_cloudfront_distribution.this["preview"].origin_group).failover_criteria).status_codes == toset([502, 503, 504])
    error_message = "Previews must fail over to the bucket on 503."
  }

  assert {
    condition     = aws_cloudfront_distribution.this["preview"].default_cache_behavior[0].target_origin_id == "previews" && length(aws_cloudfront_distribution.this["preview"].default_cache_behavior[0].lambda_function_association) == 0
    error_message = "CloudFront does not support Lambda@Edge for VPC origins."
  }

  assert {
    condition     = one(one(one(aws_cloudfront_cache_policy.live[0].parameters_in_cache_key_and_forwarded_to_origin).headers_config).headers).items == toset(["x-webordinary-host", "x-webordinary-target"])
    error_message = "The cache key must include the original request."
  }

  assert {
    condition     = alltrue([for one in concat(aws_cloudfront_distribution.this["preview"].default_cache_behavior, aws_cloudfront_distribution.this["preview"].ordered_cache_behavior) : one(one.function_association).event_type == "viewer-request"])
    error_message = "Every request to a worker must pass the viewer request function."
  }

  assert {
    condition     = one(aws_cloudfront_distribution.this["preview"].ordered_cache_behavior).target_origin_id == "workers" && one(aws_cloudfront_distribution.this["preview"].ordered_cache_behavior).path_pattern == "*/webordinary-live-changes" && one(aws_cloudfront_distribution.this["preview"].ordered_cache_behavior).cache_policy_id == "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
    error_message = "Web sockets must use the load balancer without caching."
  }

  assert {
    condition     = length(aws_cloudfront_function.viewer_request[0].code) < 10240 && strcontains(aws_cloudfront_function.viewer_request[0].code, "x-webordinary-host")
    error_message = "A CloudFront function is limited to 10 KB."
  }
}

# Cache and origin request policies for previews that a worker serves.

locals {
  workers          = "workers"
  previews         = "previews"
  caching_disabled = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad" # the managed policy CachingDisabled
  edge_headers     = var.live_previews == null ? [] : [var.live_previews.host_header, var.live_previews.target_header]

  # The dev server uses these to decide whether a style is requested as a style sheet or as a module.
  live_requests = {
    pages   = ["Accept", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site"]
    changes = concat(local.edge_headers, ["Origin", "Sec-WebSocket-Extensions", "Sec-WebSocket-Key", "Sec-WebSocket-Protocol", "Sec-WebSocket-Version"])
  }
}

# The cache key includes host and query, so no two requests share a response. Responses of workers are not cached; files
# of the bucket are cached by their Cache-Control.
resource "aws_cloudfront_cache_policy" "live" {
  count = local.create_sites && var.live_previews != null ? 1 : 0

  name        = "${var.prefix}-live-previews"
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
      header_behavior = "whitelist"

      headers {
        items = local.edge_headers
      }
    }

    query_strings_config {
      query_string_behavior = "none"
    }
  }
}

resource "aws_cloudfront_origin_request_policy" "live" {
  for_each = local.create_sites && var.live_previews != null ? local.live_requests : {}

  name    = "${var.prefix}-live-${each.key}"
  comment = "Forwarded to workers: ${each.key}."

  cookies_config {
    cookie_behavior = "none"
  }

  headers_config {
    header_behavior = "whitelist"

    headers {
      items = each.value
    }
  }

  query_strings_config {
    query_string_behavior = "none"
  }
}

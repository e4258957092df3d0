# Headers of all responses, including errors. local/page/web.py adds the same on the local stack.

locals {
  referrer_policies = { live = "strict-origin-when-cross-origin", preview = "no-referrer" }
}

resource "aws_cloudfront_response_headers_policy" "this" {
  for_each = local.create_sites ? local.referrer_policies : {}

  name    = "${var.prefix}-${each.key}"
  comment = "For ${each.key == "preview" ? "previews, which search engines must not index" : "live sites"}."

  security_headers_config {
    content_type_options {
      override = true
    }

    # The minimum; a site may set stricter policies in its pages.
    frame_options {
      frame_option = "SAMEORIGIN"
      override     = each.key == "preview"
    }

    referrer_policy {
      referrer_policy = each.value
      override        = each.key == "preview"
    }

    strict_transport_security {
      access_control_max_age_sec = 31536000
      include_subdomains         = false
      override                   = true
    }
  }

  dynamic "custom_headers_config" {
    for_each = each.key == "preview" ? [true] : []

    content {
      items {
        header   = "X-Robots-Tag"
        value    = "noindex, nofollow, noarchive"
        override = true
      }
    }
  }
}

# Invalid settings are rejected before anything is created.

mock_provider "aws" {
  source = "./tests/mocks"
}

mock_provider "aws" {
  alias  = "global"
  source = "./tests/mocks"
}

variables {
  environment   = "test"
  region        = "eu-west-1"
  mail_domain   = "mail.example.com"
  thread_secret = "made-up-secret-of-more-than-32-characters"
  worker_image  = "worker:test"

}

# Each setting is rejected on its own, so few plans cover them all: every plan takes seconds.
run "invalid_settings_are_rejected" {
  command = plan

  variables {
    timing                = { lease_seconds = 8, renewal_seconds = 3 } # one lost renewal would end the lease
    region                = "eu-west-3"                                # receives no mail
    prefix                = "web-ordinary"                             # hyphens separate the parts of a name
    reply_from            = "edit@example.org"                         # another domain
    guide_url             = "http://example.com/guide"                 # not https
    anthropic_api_key_arn = "made-up-key"                              # a key instead of its ARN
    inbound_recipients    = ["mail.example.com", "edit@example.org"]   # not in mail_domain
    max_workers           = 23                                         # more workers than addresses
    network_cidr          = "10.20.0.0/24"
    model_provider        = "openai"
    model                 = "claude-unheard-of"
    small_model           = "claude-unheard-of"
    project_models        = ["claude-opus-5-5", "claude-unheard-of"]
  }

  expect_failures = [
    var.timing,
    var.region,
    var.prefix,
    var.reply_from,
    var.guide_url,
    var.anthropic_api_key_arn,
    var.inbound_recipients,
    var.max_workers,
    var.model_provider,
    var.model,
    var.small_model,
    var.project_models,
  ]
}

run "other_invalid_settings_are_rejected" {
  command = plan

  variables {
    timing         = { leese_seconds = 60 } # unknown
    region         = "ca-central-1"         # without a geography, requests could be processed on any continent
    model_provider = "bedrock"
    live_previews  = true # without CloudFront
    create_cdn     = false
  }

  expect_failures = [var.timing, var.model_geography, var.live_previews]
}

run "settings_that_need_others_are_rejected" {
  command = plan

  variables {
    live_previews      = true # in one subnet
    create_network     = false
    subnet_ids         = ["subnet-1"]
    security_group_ids = ["sg-1"]
    sites_online       = true # without distributions
    project_profiles   = true # without Bedrock
  }

  expect_failures = [var.live_previews, var.sites_online, var.project_profiles]
}

run "default_network_fits_thousands_of_workers" {
  command = plan

  variables {
    max_workers = 8000
  }
}

run "more_own_domains_than_distributions_are_rejected" {
  command = plan

  variables {
    own_domains = { for number in range(99) : "site-${number}" => { domain = "www.site-${number}.com" } }
  }

  expect_failures = [var.own_domains]
}

run "larger_network_and_a_region_that_aws_has_added_are_planned" {
  command = plan

  variables {
    max_workers  = 118
    network_cidr = "10.20.0.0/22"
    region       = "eu-west-3"
    mail_regions = ["eu-west-3"]
  }
}

run "live_previews_in_given_subnets_are_planned" {
  command = plan

  variables {
    live_previews      = true
    create_network     = false
    subnet_ids         = ["subnet-1", "subnet-2"]
    security_group_ids = ["sg-1", "sg-2"]
    sites_zone_id      = "Z0123456789EXAMPLE"
  }
}

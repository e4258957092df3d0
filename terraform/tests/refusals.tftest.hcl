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

# Each setting is rejected on its own, so one plan covers them all.
run "invalid_settings_are_rejected" {
  command = plan

  variables {
    timing                = { lease_seconds = 8, renewal_seconds = 3 } # one lost renewal would end the lease
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

# A global profile processes requests on any continent, so it must be chosen.
run "bedrock_needs_a_geography" {
  command = plan

  variables {
    region         = "ca-central-1"
    model_provider = "bedrock"
  }

  expect_failures = [var.model_geography]
}

run "profiles_of_projects_need_bedrock" {
  command = plan

  variables {
    project_profiles = true
  }

  expect_failures = [var.project_profiles]
}

run "unknown_timing_is_rejected" {
  command = plan

  variables {
    timing = { leese_seconds = 60 }
  }

  expect_failures = [var.timing]
}

run "larger_network_fits_more_workers" {
  command = plan

  variables {
    max_workers  = 118
    network_cidr = "10.20.0.0/22"
  }
}

run "live_previews_without_cdn_are_rejected" {
  command = plan

  variables {
    live_previews = true
    create_cdn    = false
  }

  expect_failures = [var.live_previews]
}

run "live_previews_in_one_subnet_are_rejected" {
  command = plan

  variables {
    live_previews      = true
    create_network     = false
    subnet_ids         = ["subnet-1"]
    security_group_ids = ["sg-1"]
  }

  expect_failures = [var.live_previews]
}

run "live_previews_with_too_many_workers_are_rejected" {
  command = plan

  variables {
    live_previews = true
    max_workers   = 100
    network_cidr  = "10.20.0.0/22"
  }

  expect_failures = [var.live_previews]
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

run "region_without_inbound_mail_is_rejected" {
  command = plan

  variables {
    region = "eu-west-3"
  }

  expect_failures = [var.region]
}

run "region_that_aws_has_added_is_planned" {
  command = plan

  variables {
    region       = "eu-west-3"
    mail_regions = ["eu-west-3"]
  }
}

run "links_without_distributions_are_rejected" {
  command = plan

  variables {
    sites_online = true
  }

  expect_failures = [var.sites_online]
}

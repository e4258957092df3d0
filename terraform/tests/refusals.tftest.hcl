# What a typo would break is refused before anything is made.

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

# Each of these is refused by itself, so one plan shows them all; one that is let through fails the test.
run "what_cannot_work_is_refused" {
  command = plan

  variables {
    timing                = { lease_seconds = 8, renewal_seconds = 3 } # one lost renewal would end the lease
    prefix                = "web-ordinary"                             # hyphens separate the parts of a name
    reply_from            = "edit@example.org"                         # an answer from another domain
    anthropic_api_key_arn = "made-up-key"                              # a key in place of its ARN
    inbound_recipients    = ["mail.example.com", "edit@example.org"]   # SES would turn the second's mail away
    max_workers           = 23                                         # more than this network has addresses
    network_cidr          = "10.20.0.0/24"
  }

  expect_failures = [
    var.timing,
    var.prefix,
    var.reply_from,
    var.anthropic_api_key_arn,
    var.inbound_recipients,
    var.max_workers,
  ]
}

run "a_time_that_nobody_reads_is_refused" {
  command = plan

  variables {
    timing = { leese_seconds = 60 }
  }

  expect_failures = [var.timing]
}

run "a_larger_network_has_room_for_more_workers" {
  command = plan

  variables {
    max_workers  = 118
    network_cidr = "10.20.0.0/22"
  }
}

run "live_previews_without_the_cdn_are_refused" {
  command = plan

  variables {
    live_previews = true
    create_cdn    = false
  }

  expect_failures = [var.live_previews]
}

run "live_previews_in_one_subnet_are_refused" {
  command = plan

  variables {
    live_previews      = true
    create_network     = false
    subnet_ids         = ["subnet-1"]
    security_group_ids = ["sg-1"]
  }

  expect_failures = [var.live_previews]
}

run "more_workers_than_a_load_balancer_has_rules_are_refused_with_live_previews" {
  command = plan

  variables {
    live_previews = true
    max_workers   = 100
    network_cidr  = "10.20.0.0/22"
  }

  expect_failures = [var.live_previews]
}

run "live_previews_work_in_subnets_of_ones_own" {
  command = plan

  variables {
    live_previews      = true
    create_network     = false
    subnet_ids         = ["subnet-1", "subnet-2"]
    security_group_ids = ["sg-1", "sg-2"]
    sites_zone_id      = "Z0123456789EXAMPLE"
  }
}

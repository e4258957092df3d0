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

run "a_lease_that_one_lost_renewal_ends_is_refused" {
  command = plan

  variables {
    timing = { lease_seconds = 8, renewal_seconds = 3 }
  }

  expect_failures = [var.timing]
}

run "a_time_that_nobody_reads_is_refused" {
  command = plan

  variables {
    timing = { leese_seconds = 60 }
  }

  expect_failures = [var.timing]
}

run "a_prefix_with_a_hyphen_is_refused" {
  command = plan

  variables {
    prefix = "web-ordinary"
  }

  expect_failures = [var.prefix]
}

run "an_answer_from_another_domain_is_refused" {
  command = plan

  variables {
    reply_from = "edit@example.org"
  }

  expect_failures = [var.reply_from]
}

run "a_key_in_place_of_its_arn_is_refused" {
  command = plan

  variables {
    anthropic_api_key_arn = "made-up-key"
  }

  expect_failures = [var.anthropic_api_key_arn]
}

run "a_recipient_outside_of_the_mail_domain_is_refused_because_its_mail_would_be" {
  command = plan

  variables {
    inbound_recipients = ["mail.example.com", "edit@example.org"]
  }

  expect_failures = [var.inbound_recipients]
}

run "more_workers_than_their_network_has_addresses_are_refused" {
  command = plan

  variables {
    max_workers  = 23
    network_cidr = "10.20.0.0/24"
  }

  expect_failures = [var.max_workers]
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

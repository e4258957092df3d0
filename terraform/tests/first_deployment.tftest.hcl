# What a first deployment says and makes, with and without a hosted zone.

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
  prefix        = "acme"
  mail_domain   = "mail.example.com"
  thread_secret = "made-up-secret-of-more-than-32-characters"
  worker_image  = "worker:test"
}

run "with_a_zone_one_apply_is_enough" {
  command = plan

  variables {
    sites_zone_id = "Z0123456789EXAMPLE"
  }

  assert {
    condition     = local.sites_online && output.next_step == null
    error_message = "With a zone, replies link to sites after one apply."
  }
}

run "without_a_zone_the_certificate_comes_first" {
  command = plan

  assert {
    condition     = !local.sites_online && strcontains(output.next_step, "sites_certificate_ready = true in terraform/environments/test.tfvars")
    error_message = "Without a zone, the first apply must say how to validate the certificate."
  }
}

run "without_a_zone_the_hosts_come_second" {
  command = plan

  variables {
    sites_certificate_ready = true
  }

  assert {
    condition     = !local.sites_online && strcontains(output.next_step, "sites_online = true in terraform/environments/test.tfvars")
    error_message = "Without a zone, the second apply must say how to make the hosts resolve."
  }
}

run "with_all_records_replies_link_to_sites" {
  command = plan

  variables {
    sites_certificate_ready = true
    sites_online            = true
  }

  assert {
    condition     = local.sites_online && output.next_step == null
    error_message = "Nothing may be left to do."
  }
}

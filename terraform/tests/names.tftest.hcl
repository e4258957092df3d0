# Names come from the contract, with the same templates as in Python.

mock_provider "aws" {
  source = "./tests/mocks"
}

mock_provider "aws" {
  alias  = "global"
  source = "./tests/mocks"
}

variables {
  environment    = "test"
  region         = "eu-west-1"
  prefix         = "acme"
  mail_domain    = "mail.example.com"
  thread_secret  = "made-up-secret-of-more-than-32-characters"
  worker_image   = "worker:test"
  create_network = true

}

run "names_and_timeouts_match_the_contract" {
  command = plan

  assert {
    condition     = local.pair_queue_patterns == { input = "acme-input-*-*.fifo", interrupts = "acme-interrupts-*-*" }
    error_message = "The functions' permissions do not match the names of pair queues."
  }

  assert {
    condition     = local.queue_names.input_dead_letters == "acme-input-dlq.fifo"
    error_message = "The dead-letter queue of the pairs does not have the contract's name."
  }

  assert {
    condition     = local.bucket_names == { raw_mail = "acme-raw-mail-123456789012", media = "acme-media-123456789012", sites = "acme-sites-123456789012" }
    error_message = "A bucket does not have the contract's name."
  }

  assert {
    condition     = module.queues.visibility_seconds.email == 6 * module.functions.timeouts.intake
    error_message = "The visibility timeout of the email queue must be six times the timeout of intake."
  }

  assert {
    condition     = module.queues.visibility_seconds.output == 6 * module.functions.timeouts.relay_callback
    error_message = "The visibility timeout of the output queue must be six times the timeout of relay_callback."
  }
}

run "existing_rule_set_is_extended_and_not_activated" {
  command = plan

  variables {
    receipt_rule_set       = "shared"
    activate_rule_set      = false
    alarm_address          = "platform@example.com"
    monthly_budget_dollars = 50
  }

  assert {
    condition     = module.mail.receipt_rule_set == "shared" && module.mail.creates_rule_set == false && module.mail.activates_rule_set == false
    error_message = "A new rule set would be created or activated, which would disable the existing one."
  }

  assert {
    condition = length(setintersection(
      [for record in module.mail.policy_records : "${record.type} ${record.name}"],
      ["TXT mail.example.com", "TXT _dmarc.mail.example.com", "MX bounce.mail.example.com", "TXT bounce.mail.example.com", "MX mail.example.com"],
    )) == 5
    error_message = "A required DNS record is missing from the output."
  }
}

# Names come from the contract: the same templates that Python fills in.

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

run "names_and_times_are_what_the_contract_says" {
  command = plan

  assert {
    condition     = local.pair_queue_patterns == { input = "acme-input-*-*.fifo", interrupts = "acme-interrupts-*-*" }
    error_message = "Functions may make queues of other names than workers will look for."
  }

  assert {
    condition     = local.queue_names.input_dead_letters == "acme-input-dlq.fifo"
    error_message = "The dead letters of all pairs have another name than their queues will name."
  }

  assert {
    condition     = local.bucket_names == { raw_mail = "acme-raw-mail-123456789012", media = "acme-media-123456789012", sites = "acme-sites-123456789012" }
    error_message = "A shared bucket has another name than the contract gives it."
  }

  assert {
    condition     = module.queues.visibility_seconds.email == 6 * module.functions.timeouts.intake
    error_message = "Lambda wants the email queue's visibility at six times the timeout of intake."
  }

  assert {
    condition     = module.queues.visibility_seconds.output == 6 * module.functions.timeouts.relay_callback
    error_message = "Lambda wants the output queue's visibility at six times the timeout of relay_callback."
  }
}

run "our_rule_goes_into_a_rule_set_of_somebody_else_and_switches_nothing_off" {
  command = plan

  variables {
    receipt_rule_set       = "shared"
    activate_rule_set      = false
    alarm_address          = "platform@example.com"
    monthly_budget_dollars = 50
  }

  assert {
    condition     = module.mail.receipt_rule_set == "shared" && module.mail.makes_a_rule_set == false && module.mail.activates == false
    error_message = "A rule set of our own would be made or activated, which turns somebody else's mail away."
  }

  assert {
    condition = length(setintersection(
      [for record in module.mail.policy_records : "${record.type} ${record.name}"],
      ["TXT mail.example.com", "TXT _dmarc.mail.example.com", "MX bounce.mail.example.com", "TXT bounce.mail.example.com", "MX mail.example.com"],
    )) == 5
    error_message = "A record that mail needs is not told."
  }
}

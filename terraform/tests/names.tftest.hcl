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

  projects = {
    bakery = {
      domain     = "bakery.example.com"
      repository = "https://git.example.com/bakery.git"
      users = {
        ada = { addresses = ["Ada@example.com", "ada@example.org"], name = "Ada" }
        bob = { addresses = ["bob@example.com"] }
      }
    }
    garden = {
      domain         = "garden.example.org"
      repository     = "https://git.example.com/garden.git"
      default_branch = "trunk"
      interrupts     = "never"
      users          = { ada = { addresses = ["ada@example.com"] } }
    }
  }
}

run "a_pairs_queues_are_named_as_the_contract_says" {
  command = plan

  assert {
    condition     = module.project["bakery"].queue_names["ada"].input == "acme-input-bakery-ada.fifo"
    error_message = "The input queue has another name than workers will look for."
  }

  assert {
    condition     = module.project["bakery"].dead_letter_queue_names == ["acme-input-bakery-ada-dlq.fifo", "acme-input-bakery-bob-dlq.fifo"]
    error_message = "The dead-letter queues have other names than the sweeper will look for."
  }

  assert {
    condition     = module.project["garden"].queue_names["ada"].interrupts == "acme-interrupts-garden-ada"
    error_message = "The interrupts queue has another name than check_ownership will send to."
  }
}

run "buckets_carry_the_account" {
  command = plan

  assert {
    condition     = local.bucket_names == { raw_mail = "acme-raw-mail-123456789012", media = "acme-media-123456789012", sites = "acme-sites-123456789012" }
    error_message = "A shared bucket has another name than the contract gives it."
  }
}

run "an_address_that_edits_two_websites_has_one_entry_with_both_pairs" {
  command = plan

  assert {
    condition     = jsondecode(aws_dynamodb_table_item.sender["ada@example.com"].item).pairs.L == [{ S = "bakery#ada" }, { S = "garden#ada" }]
    error_message = "The sender must be found in lower case, with every pair it may edit."
  }
}

run "a_projects_entry_has_what_the_functions_read" {
  command = plan

  variables {
    sites_domain   = "sites.example.net"
    preview_domain = "preview.example.net"
  }

  assert {
    condition = module.project["garden"].configuration == {
      pk            = { S = "project#garden" }
      projectId     = { S = "garden" }
      domain        = { S = "garden.example.org" }
      repository    = { S = "https://git.example.com/garden.git" }
      defaultBranch = { S = "trunk" }
      interrupts    = { S = "never" }
      siteUrl       = { S = "https://garden.sites.example.net/" }
      previewUrl    = { S = "https://$${thread}--garden.preview.example.net/" }
      users         = { L = [{ S = "ada" }] }
      userNames     = { M = {} }
      editors       = { L = [] }
      publishers    = { M = { ada = { S = "ada@example.com" } } }
    }
    error_message = "The project's entry is not what ProjectConfig reads."
  }
}

run "a_message_stays_hidden_six_times_as_long_as_its_function_may_run" {
  command = plan

  assert {
    condition     = module.queues.visibility_seconds.email == 6 * module.functions.timeouts.intake
    error_message = "Lambda wants the email queue's visibility at six times the timeout of intake."
  }

  assert {
    condition     = module.queues.visibility_seconds.output == 6 * module.functions.timeouts.relay_callback
    error_message = "Lambda wants the output queue's visibility at six times the timeout of relay_callback."
  }
}

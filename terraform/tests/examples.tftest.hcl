# The example of each module's README can be planned.

mock_provider "aws" {
  source = "./tests/mocks"
}

mock_provider "aws" {
  alias  = "global"
  source = "./tests/mocks"
}

variables {
  thread_secret = "made-up-secret-of-more-than-32-characters"
}

run "bucket" {
  command   = plan
  providers = { aws = aws }

  module {
    source = "./modules/bucket/examples/minimal"
  }
}

run "functions" {
  command   = plan
  providers = { aws = aws }

  module {
    source = "./modules/functions/examples/minimal"
  }
}

run "live_previews" {
  command   = plan
  providers = { aws = aws }

  module {
    source = "./modules/live_previews/examples/minimal"
  }
}

run "mail" {
  command   = plan
  providers = { aws = aws }

  module {
    source = "./modules/mail/examples/minimal"
  }
}

run "monitoring" {
  command   = plan
  providers = { aws = aws }

  module {
    source = "./modules/monitoring/examples/minimal"
  }
}

run "queue" {
  command   = plan
  providers = { aws = aws }

  module {
    source = "./modules/queue/examples/minimal"
  }
}

run "queues" {
  command   = plan
  providers = { aws = aws }

  module {
    source = "./modules/queues/examples/minimal"
  }
}

run "sites" {
  command   = plan
  providers = { aws = aws, aws.global = aws.global }

  module {
    source = "./modules/sites/examples/minimal"
  }
}

run "tables" {
  command   = plan
  providers = { aws = aws }

  module {
    source = "./modules/tables/examples/minimal"
  }
}

run "workers" {
  command   = plan
  providers = { aws = aws }

  module {
    source = "./modules/workers/examples/minimal"
  }
}

run "workflow" {
  command   = plan
  providers = { aws = aws }

  module {
    source = "./modules/workflow/examples/minimal"
  }
}

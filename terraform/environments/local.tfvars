# The local stack: an emulator instead of AWS, short intervals, workers as processes.

environment = "local"
region      = "us-east-1"

mail_domain = "mail.example.com"
reply_from  = "edit@mail.example.com"

# The recipient of the tests, whom a new account's SES sandbox would let receive replies.
sandbox_addresses = ["ada@example.com"]

thread_secret = "not-a-secret-only-for-one-machine-0123456789"

timing = {
  lease_seconds        = 9
  renewal_seconds      = 3
  clock_margin_seconds = 1
  idle_seconds         = 10

  idle_after_question_seconds = 10
  idle_after_end_seconds      = 10

  beat_seconds             = 2
  heartbeat_seconds        = 60
  claim_window_seconds     = 5
  input_visibility_seconds = 20
  worker_start_seconds     = 30
  surplus_seconds          = 10
  live_hold_seconds        = 10
  picture_seconds          = 60 # functions share the processors of one machine
}

architecture = "x86_64"
worker_image = "webordinary-worker:local"
tracing      = false
max_workers  = 3
spare_policy = "fixed"

# Projects may choose Bedrock, which the model stand-in serves too.
second_model_provider = "bedrock"
project_profiles      = true

# The emulator's queues have no sender ids.
compare_report_senders = false

# Slow to apply and without effect in the emulator.
create_cdn         = false
sites_online       = true # the local page serves them
create_network     = false
subnet_ids         = ["subnet-of-this-machine"]
security_group_ids = ["sg-of-this-machine"]

force_destroy = true

# Every conversation began after thread ids named their pair.
older_threads = false

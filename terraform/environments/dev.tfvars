# For trying out changes; the data is disposable.

environment = "dev"
prefix      = "webordinarydev"
region      = "eu-west-1"

mail_domain   = "mail.dev.example.com"
alarm_address = "platform@example.com"

sites_domain   = "sites.dev.example.com"
preview_domain = "preview.dev.example.com"

max_workers  = 3
spare_policy = "fixed" # no worker waits for the next mail

log_level          = "DEBUG"
log_retention_days = 7
force_destroy      = true

# Every conversation began after thread ids named their pair.
older_threads = false

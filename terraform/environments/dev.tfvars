# Where changes are tried. Nothing here has to survive.

environment = "dev"
prefix      = "webordinarydev"
region      = "eu-west-1"

mail_domain   = "mail.dev.example.com"
alarm_address = "platform@example.com"

sites_domain   = "sites.dev.example.com"
preview_domain = "preview.dev.example.com"

worker_image          = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/webordinary-worker:dev"
anthropic_api_key_arn = "arn:aws:ssm:eu-west-1:123456789012:parameter/webordinarydev/anthropic-api-key"
max_workers           = 3

log_level          = "DEBUG"
log_retention_days = 7
force_destroy      = true

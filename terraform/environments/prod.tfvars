# Production. Tables can be restored and are protected against deletion, as are buckets with objects.

environment = "prod"
prefix      = "webordinary"
region      = "eu-west-1"

mail_domain         = "mail.example.com"
require_inbound_tls = true
alarm_address       = "platform@example.com"

sites_domain   = "sites.example.com"
preview_domain = "preview.example.com"

container_insights = true
max_workers        = 20
spare_policy       = "adaptive" # below about 100 pairs, "fixed" with spare_workers = 1 is faster and costs more
on_demand_workers  = 1
spot_weight        = 2

log_retention_days     = 90
point_in_time_recovery = true
deletion_protection    = true

# Every conversation began after thread ids named their pair.
older_threads = false

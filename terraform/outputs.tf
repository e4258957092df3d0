output "prefix" {
  description = "Prefix of all resource names."
  value       = var.prefix
}

output "environment" {
  description = "Name of the environment."
  value       = var.environment
}

output "account" {
  description = "Account id; part of bucket names."
  value       = local.location.account
}

output "region" {
  description = "AWS region."
  value       = local.location.region
}

output "timing" {
  description = "Timing of the contract with this environment's overrides, in seconds."
  value       = local.timing
}

output "mail_domain" {
  description = "Domain that receives mail and sends replies."
  value       = var.mail_domain
}

output "reply_from" {
  description = "Sender address of replies."
  value       = local.reply_from
}

output "dns_records" {
  description = "DNS records to add to the mail domain's zone."
  value       = module.mail.dns_records
}

output "site_dns_records" {
  description = "DNS records to add for the sites', previews' and projects' domains, unless they are created here."
  value       = module.sites.dns_records
}

output "next_step" {
  description = "What is left to do until replies can link to sites; null if nothing is."
  value = (
    !var.create_cdn || local.sites_online ? null :
    !var.sites_certificate_ready && var.sites_zone_id == null ?
    "Add the records of site_dns_records, which validate the certificate. Then set sites_certificate_ready = true in terraform/environments/${var.environment}.tfvars, and run: make plan apply ENV=${var.environment}" :
    "Add the records of site_dns_records for the hosts of sites. Then set sites_online = true in terraform/environments/${var.environment}.tfvars, and run: make plan apply ENV=${var.environment}"
  )
}

output "distributions" {
  description = "CloudFront domain names of the distributions."
  value       = module.sites.distributions
}

output "receipt_rule_set" {
  description = "Name of the active receipt rule set."
  value       = module.mail.receipt_rule_set
}

output "thread_secret_parameter" {
  description = "Name of the parameter with the thread secret."
  value       = module.functions.thread_secret_parameter
}

output "buckets" {
  description = "Names of the buckets for raw mail, media and sites."
  value       = merge(module.mail.bucket_names, { sites = module.sites.bucket_name })
}

output "queue_urls" {
  description = "URLs of the shared queues and their dead-letter queues by contract key."
  value       = module.queues.urls
}

output "tables" {
  description = "Table names by contract key."
  value       = module.tables.names
}

output "functions" {
  description = "Function names by contract key."
  value       = module.functions.names
}

output "state_machine_arn" {
  description = "ARN of the state machine."
  value       = module.workflow.arn
}

output "workers" {
  description = "Cluster, task definition, roles and log group of the workers."
  value = {
    cluster             = module.workers.cluster_name
    task_definition_arn = module.workers.task_definition_arn
    task_role_arn       = module.workers.task_role_arn
    access_role_arn     = module.workers.access_role_arn
    log_group           = module.workers.log_group
  }
}

output "alarm_topic_arn" {
  description = "ARN of the topic that alarms are sent to, or null without monitoring."
  value       = one(module.monitoring[*].topic_arn)
}

output "dashboard_name" {
  description = "Name of the dashboard, or null without monitoring."
  value       = one(module.monitoring[*].dashboard_name)
}

output "key_policy" {
  description = "Statements to add to the policy of `kms_key_arn` before the first apply."
  value       = var.kms_key_arn == null ? null : data.aws_iam_policy_document.key.json
}

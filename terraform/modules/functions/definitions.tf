# Settings of each function. Common settings are in main.tf.

locals {
  # No references to resources, because the queues depend on the timeouts.
  functions = {
    intake             = { timeout = 30, memory = 256 }
    parse_email        = { timeout = 60, memory = 1024 } # for a mail of 40 MB and its decoded parts
    process_attachment = { timeout = 120, memory = 1536 }
    check_ownership    = { timeout = 15, memory = 256 }
    claim              = { timeout = 15, memory = 256 }
    control            = { timeout = 30, memory = 256 }
    dispatch           = { timeout = 30, memory = 256 }
    fleet              = { timeout = 60, memory = 512 } # starts hundreds of workers in one run
    broker             = { timeout = 30, memory = 256 } # waits with a worker for a worker request
    picture            = { timeout = var.timing.picture_seconds, memory = 2048, layers = ["webordinary", "chromium"] }
    relay_callback     = { timeout = 30, memory = 256 }
    reply              = { timeout = 30, memory = 256 }
    sweep              = { timeout = 60, memory = 1024 } # checks many open jobs in parallel
  }

  # For functions that create pair queues.
  queue_environment = { for key in ["WEBORDINARY_KMS_KEY_ARN"] : key => var.kms_key_arn if var.kms_key_arn != null }

  report_environment = { for key in ["WEBORDINARY_WORKER_ROLE_ID"] : key => var.worker_role_id if var.compare_report_senders }

  # For functions that route viewers to workers.
  live_environment = { for key in ["WEBORDINARY_LIVE_LISTENER_ARN"] : key => var.live_previews.listener_arn if var.live_previews != null }

  own_environment = {
    broker = merge(local.live_environment, {
      WEBORDINARY_WORKER_ROLE_ARN = var.worker_roles.task
      WEBORDINARY_ACCESS_ROLE_ARN = var.worker_roles.access
    }, { for key in ["WEBORDINARY_CLUSTER"] : key => var.fleet.cluster if var.live_previews != null })
    claim    = local.queue_environment
    dispatch = local.queue_environment
    fleet = merge(local.live_environment, {
      WEBORDINARY_CLUSTER             = var.fleet.cluster
      WEBORDINARY_TASK_DEFINITION_ARN = var.fleet.task_definition_arn
      WEBORDINARY_SUBNET_IDS          = jsonencode(var.fleet.subnet_ids)
      WEBORDINARY_SECURITY_GROUP_IDS  = jsonencode(var.fleet.security_group_ids)
      WEBORDINARY_PUBLIC_ADDRESSES    = tostring(var.fleet.public_addresses)
      WEBORDINARY_MAX_WORKERS         = tostring(var.fleet_size.maximum)
      WEBORDINARY_SPARE_WORKERS       = tostring(var.fleet_size.spare)
      WEBORDINARY_SPARE_POLICY        = var.fleet_size.spare_policy
      WEBORDINARY_ON_DEMAND_WORKERS   = tostring(var.fleet_size.on_demand)
      WEBORDINARY_SPOT_WEIGHT         = tostring(var.fleet_size.spot_weight)
    })
    intake = {
      WEBORDINARY_STATE_MACHINE_ARN = "${local.state_machine_arn}:${var.alias}"
    }
    parse_email = {
      WEBORDINARY_THREAD_SECRET_PARAMETER = aws_ssm_parameter.thread_secret.name
      WEBORDINARY_MAIL_DOMAIN             = var.mail_domain
      WEBORDINARY_PICTURES                = tostring(var.pictures)
    }
    relay_callback = local.report_environment
    sweep = merge(local.report_environment, local.queue_environment, {
      WEBORDINARY_STATE_MACHINE_ARN = "${local.state_machine_arn}:${var.alias}"
    })
    reply = {
      WEBORDINARY_THREAD_SECRET_PARAMETER = aws_ssm_parameter.thread_secret.name
      WEBORDINARY_REPLY_FROM              = var.reply_from
      WEBORDINARY_SERVICE_NAME            = var.service_name
      WEBORDINARY_GUIDE_URL               = var.guide_url == null ? "" : var.guide_url
      WEBORDINARY_CONFIGURATION_SET       = var.configuration_set
      WEBORDINARY_SITES_ONLINE            = tostring(var.sites_online)
    }
  }
}

# Signs the thread ids in reply addresses. Write-only: the key is in no state and no plan. The functions also accept the
# previous version of the parameter, so that open threads stay valid after a rotation.
resource "aws_ssm_parameter" "thread_secret" {
  name             = "/${var.prefix}/thread-secret"
  description      = "Key that signs the thread ids in reply addresses."
  type             = "SecureString"
  key_id           = var.kms_key_arn
  value_wo         = var.thread_secret
  value_wo_version = var.thread_secret_version
}

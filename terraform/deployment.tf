# Facts about this deployment that the operator's command needs besides the contract.

resource "aws_ssm_parameter" "deployment" {
  name        = templatestring(local.contract.parameters.deployment, { prefix = var.prefix })
  description = "Facts about this deployment, for the operator's command."
  type        = "String"

  value = jsonencode({
    mailDomain      = var.mail_domain
    replyFrom       = local.reply_from
    stateMachineArn = module.workflow.arn
    cluster         = module.workers.cluster_name
    siteUrl         = local.site_url
    previewUrl      = local.preview_url
    ownDomains      = { for project, own in var.own_domains : project => own.domain if own.served }
    timing          = local.timing
    kmsKeyArn       = var.kms_key_arn
    models          = local.models.allowed
    modelProviders  = local.models.providers
    modelGeography  = local.models.geography
    projectProfiles = var.project_profiles
  })
}

# The live versions. `webordinary rollback` reads the history of this parameter and adds to it.

resource "aws_ssm_parameter" "release" {
  name        = templatestring(local.contract.parameters.release, { prefix = var.prefix })
  description = "Live versions of the functions and the state machine."
  type        = "String"
  value       = jsonencode({ functions = module.functions.versions, stateMachine = module.workflow.version })
}

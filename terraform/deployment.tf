# What the operator's command needs to know about this deployment besides the contract.

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
  })
}

# Which versions are live together. Its history is what a rollback goes back in; a rollback writes it too.

resource "aws_ssm_parameter" "release" {
  name        = templatestring(local.contract.parameters.release, { prefix = var.prefix })
  description = "The versions of functions and state machine that are live."
  type        = "String"
  value       = jsonencode({ functions = module.functions.versions, stateMachine = module.workflow.version })
}

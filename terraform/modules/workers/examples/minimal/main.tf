module "workers" {
  source = "../.."

  prefix             = "webordinary"
  location           = { partition = "aws", region = "eu-west-1", account = "123456789012" }
  timing             = { long_poll_seconds = 6 }
  metrics_namespace  = "webordinary"
  log_retention_days = 30

  image                 = "123456789012.dkr.ecr.eu-west-1.amazonaws.com/webordinary-worker:prod"
  cpu                   = 1024
  memory                = 4096
  storage_gigabytes     = 30
  architecture          = "arm64"
  environment           = {}
  anthropic_api_key_arn = "arn:aws:ssm:eu-west-1:123456789012:parameter/webordinary/anthropic-api-key"
  container_insights    = false

  models = { providers = ["anthropic"], geography = "eu", default = "claude-opus-5-5", small = null }

  create_network     = true
  network_cidr       = "10.20.0.0/16"
  subnet_ids         = []
  security_group_ids = []

  broker = {
    function_arn = "arn:aws:lambda:eu-west-1:123456789012:function:webordinary-broker"
    role_arn     = "arn:aws:iam::123456789012:role/webordinary-broker"
  }

  queue_names  = { output = "webordinary-output.fifo" }
  bucket_names = { media = "webordinary-media-123456789012", sites = "webordinary-sites-123456789012" }

  table_names = {
    ownership       = "webordinary-container-ownership"
    jobs            = "webordinary-jobs"
    project_configs = "webordinary-project-configs"
  }

  own = {
    input      = "webordinary-input-$${aws:PrincipalTag/project}-$${aws:PrincipalTag/user}.fifo"
    interrupts = "webordinary-interrupts-$${aws:PrincipalTag/project}-$${aws:PrincipalTag/user}"
    site_prefixes = {
      preview         = "$${aws:PrincipalTag/project}/preview/$${aws:PrincipalTag/threads}*/"
      preview_release = "$${aws:PrincipalTag/project}/releases/preview-$${aws:PrincipalTag/threads}*.json"
      live            = "$${aws:PrincipalTag/project}/live/"
      released_files  = "$${aws:PrincipalTag/project}/files/"
    }
    older_prefixes = {
      preview         = "$${aws:PrincipalTag/project}/preview/*/"
      preview_release = "$${aws:PrincipalTag/project}/releases/preview-*.json"
    }
    older_record    = "$${aws:PrincipalTag/project}/releases/preview-??????????????????????????.json"
    release_records = ["$${aws:PrincipalTag/project}/releases/????.json"]
    attributes = {
      jobs      = ["projectKey", "jobId", "state", "fence", "minFence", "updatedAt"]
      ownership = ["projectKey", "containerId", "fence", "leaseExpiresAt"]
    }
    media_prefix      = "media/$${aws:PrincipalTag/project}/$${aws:PrincipalTag/user}/"
    sessions_prefix   = "sessions/$${aws:PrincipalTag/project}/$${aws:PrincipalTag/user}/"
    build_environment = "/webordinary/projects/$${aws:PrincipalTag/project}/build-environment"
    git_credential    = "/webordinary/projects/$${aws:PrincipalTag/project}/git-credential"
    project           = "$${aws:PrincipalTag/project}"
    pair_key          = "$${aws:PrincipalTag/project}#$${aws:PrincipalTag/user}"
    project_key       = "project#$${aws:PrincipalTag/project}"
    pause_keys        = ["pause", "pause#$${aws:PrincipalTag/project}"]
  }
}

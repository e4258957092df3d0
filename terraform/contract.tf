# Names, patterns, timing and limits that Terraform and Python share, read from the contract.

locals {
  contract = jsondecode(file("${path.module}/../layers/webordinary/python/webordinary/contract/contract.json"))
  timing   = merge(local.contract.timing, var.timing)

  location = {
    partition = data.aws_partition.current.partition
    region    = data.aws_region.current.id
    account   = data.aws_caller_identity.current.account_id
  }

  queue_names = {
    for key, template in local.contract.queues : key => templatestring(template, { prefix = var.prefix })
    if !strcontains(template, "$${project}")
  }
  table_names    = { for key, template in local.contract.tables : key => templatestring(template, { prefix = var.prefix }) }
  function_names = { for key, template in local.contract.functions : key => templatestring(template, { prefix = var.prefix }) }
  bucket_names = {
    for key, template in local.contract.buckets :
    key => templatestring(template, { prefix = var.prefix, account = local.location.account })
    if !strcontains(template, "$${project}")
  }

  # Queues of all pairs, for functions that serve every pair.
  pair_queue_patterns = {
    for key in ["input", "interrupts"] :
    key => templatestring(local.contract.queues[key], { prefix = var.prefix, project = "*", user = "*" })
  }

  # Keys of all GitHub Apps, for the broker.
  github_app_parameters = templatestring(local.contract.parameters.github_app, { prefix = var.prefix, project = "*" })

  # Resources of one pair, for a session tagged with its project, its user and the beginning of its thread ids: IAM
  # substitutes the tags.
  project_tag = "$${aws:PrincipalTag/project}"
  user_tag    = "$${aws:PrincipalTag/user}"
  threads_tag = "$${aws:PrincipalTag/threads}"
  own = {
    input      = templatestring(local.contract.queues.input, { prefix = var.prefix, project = local.project_tag, user = local.user_tag })
    interrupts = templatestring(local.contract.queues.interrupts, { prefix = var.prefix, project = local.project_tag, user = local.user_tag })
    site_prefixes = {
      for key in ["preview", "preview_release", "live", "released_files"] :
      key => templatestring(local.contract.prefixes[key], { project = local.project_tag, thread = "${local.threads_tag}*" })
    }
    # Threads of the whole project: their ids began at random before they began with their pair.
    older_prefixes = {
      for key in ["preview", "preview_release"] :
      key => templatestring(local.contract.prefixes[key], { project = local.project_tag, thread = "*" })
    }
    # Names that cannot be listed without knowing them.
    older_record = templatestring(local.contract.prefixes.preview_release, { project = local.project_tag, thread = join("", [for _ in range(26) : "?"]) })
    # live.json and the releases by number, but no record of a preview: those have longer names.
    release_records = [
      for length in range(1, 7) :
      "${templatestring(local.contract.prefixes.releases, { project = local.project_tag })}${join("", [for _ in range(length) : "?"])}.json"
    ]
    attributes        = local.contract.attributes_of_workers
    media_prefix      = templatestring(local.contract.prefixes.media, { project = local.project_tag, user = local.user_tag })
    sessions_prefix   = templatestring(local.contract.prefixes.sessions, { project = local.project_tag, user = local.user_tag })
    build_environment = templatestring(local.contract.parameters.build_environment, { prefix = var.prefix, project = local.project_tag })
    git_credential    = templatestring(local.contract.parameters.git_credential, { prefix = var.prefix, project = local.project_tag })
    project           = local.project_tag
    pair_key          = "${local.project_tag}#${local.user_tag}"
    project_key       = "project#${local.project_tag}"
    pause_keys        = ["pause", "pause#${local.project_tag}"]
  }

  state_machine_name = templatestring(local.contract.state_machine, { prefix = var.prefix })
  metrics_namespace  = templatestring(local.contract.metrics_namespace, { prefix = var.prefix })

  # Built from the name, because the function is created after the workers' task definition.
  broker_arn = "arn:${local.location.partition}:lambda:${local.location.region}:${local.location.account}:function:${local.function_names.broker}:${local.contract.alias}"

  # The models that workers may use, with their ids on Bedrock.
  model_area = startswith(var.region, "us-gov-") ? "us-gov" : split("-", var.region)[0]
  models = {
    providers = compact([var.model_provider, var.second_model_provider])
    geography = coalesce(var.model_geography, local.model_area)
    default   = coalesce(var.model, local.contract.models.default)
    small     = var.small_model
    allowed   = distinct(compact(concat([coalesce(var.model, local.contract.models.default), var.small_model], var.project_models)))
  }
  bedrock_models = [for name in local.models.allowed : local.contract.models.known[name].bedrock if contains(local.models.providers, "bedrock")]

  reply_from = coalesce(var.reply_from, "edit@${var.mail_domain}")

  sites_domain   = coalesce(var.sites_domain, "sites.${var.mail_domain}")
  preview_domain = coalesce(var.preview_domain, "preview.${var.mail_domain}")

  # URLs of sites and previews; project and thread ids are filled in later.
  site_url    = "${var.sites_scheme}://${templatestring(local.contract.hosts.live, { project = "$${project}" })}.${local.sites_domain}/"
  preview_url = "${var.sites_scheme}://${templatestring(local.contract.hosts.preview, { project = "$${project}", thread = "$${thread}" })}.${local.preview_domain}/"

  # Without a zone, an operator adds the records of the hosts after the distributions exist.
  sites_online = coalesce(var.sites_online, var.create_cdn && var.sites_zone_id != null)

  # Top-level folders of the media bucket.
  media_folder    = "${split("/", local.contract.prefixes.media)[0]}/"
  pictures_folder = "${split("/", local.contract.prefixes.pictures)[0]}/"
  sessions_folder = "${split("/", local.contract.prefixes.sessions)[0]}/"

  # Public folders of all projects.
  shown_folders = [for key in ["live", "preview"] : templatestring(local.contract.prefixes[key], { project = "*", thread = "*" })]

  releases_folder = templatestring(local.contract.prefixes.releases, { project = "*" })
}

data "aws_partition" "current" {}

data "aws_region" "current" {}

data "aws_caller_identity" "current" {}

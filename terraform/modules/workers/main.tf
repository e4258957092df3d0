# Cluster, task definition and network of the workers. The fleet function starts them; each serves one pair and ends.

locals {
  name = "${var.prefix}-workers"

  volumes = { state = "/var/lib/webordinary", temporary = "/tmp" }

  # The port of live previews, if enabled.
  live_environment = { for key in ["WEBORDINARY_LIVE_ADDRESS"] : key => "0.0.0.0:${var.live_port}" if var.live_port != null }
  live_ports       = { for key in ["portMappings"] : key => [{ containerPort = var.live_port, protocol = "tcp" }] if var.live_port != null }

  small_environment = { for key in ["WEBORDINARY_AGENT_SMALL_MODEL"] : key => var.models.small if var.models.small != null }

  environment = merge(var.environment, local.live_environment, local.small_environment, {
    WEBORDINARY_PREFIX           = var.prefix
    WEBORDINARY_ACCOUNT          = var.location.account
    WEBORDINARY_TIMING           = jsonencode(var.timing)
    WEBORDINARY_MODEL_PROVIDER   = var.models.providers[0]
    WEBORDINARY_MODEL_GEOGRAPHY  = var.models.geography
    WEBORDINARY_AGENT_MODEL      = var.models.default
    POWERTOOLS_SERVICE_NAME      = "worker"
    POWERTOOLS_METRICS_NAMESPACE = var.metrics_namespace
  })
}

resource "aws_ecs_cluster" "this" {
  name = local.name

  setting {
    name  = "containerInsights"
    value = var.container_insights ? "enabled" : "disabled"
  }
}

resource "aws_ecs_cluster_capacity_providers" "this" {
  cluster_name       = aws_ecs_cluster.this.name
  capacity_providers = ["FARGATE", "FARGATE_SPOT"]
}

resource "aws_cloudwatch_log_group" "this" {
  name              = "/${var.prefix}/workers"
  retention_in_days = var.log_retention_days
  kms_key_id        = var.kms_key_arn
}

resource "aws_ecs_task_definition" "this" {
  family                   = local.name
  skip_destroy             = true # a rollback needs earlier revisions; make destroy removes them all
  requires_compatibilities = ["FARGATE"]
  network_mode             = "awsvpc"
  cpu                      = var.cpu
  memory                   = var.memory
  task_role_arn            = aws_iam_role.task.arn
  execution_role_arn       = aws_iam_role.execution.arn

  runtime_platform {
    operating_system_family = "LINUX"
    cpu_architecture        = var.architecture == "arm64" ? "ARM64" : "X86_64"
  }

  ephemeral_storage {
    size_in_gib = var.storage_gigabytes
  }

  # Volumes on the task's disk. Owners and modes come from the image's folders, which are declared as volumes too.
  dynamic "volume" {
    for_each = local.volumes
    content {
      name = volume.key
    }
  }

  container_definitions = jsonencode([merge(local.live_ports, {
    name                   = "worker"
    image                  = var.image
    essential              = true
    readonlyRootFilesystem = true # the worker writes to the volumes below
    stopTimeout            = 120  # the maximum of Fargate, to commit, report and release the pair
    environment            = [for name in sort(keys(local.environment)) : { name = name, value = local.environment[name] }]
    secrets                = [for arn in compact([var.anthropic_api_key_arn]) : { name = "ANTHROPIC_API_KEY", valueFrom = arn }]
    linuxParameters        = { initProcessEnabled = true } # reaps orphaned build processes
    mountPoints            = [for name, path in local.volumes : { sourceVolume = name, containerPath = path, readOnly = false }]

    # The worker records its next deadline; see container/webordinary_worker/runtime/health_file.py.
    healthCheck = {
      command     = ["CMD-SHELL", "test \"$(cat /var/lib/webordinary/heartbeat)\" -gt \"$(date +%s)\""]
      interval    = 30
      timeout     = 5
      retries     = 3
      startPeriod = 60
    }

    logConfiguration = {
      logDriver = "awslogs"
      options = {
        awslogs-group         = aws_cloudwatch_log_group.this.name
        awslogs-region        = var.location.region
        awslogs-stream-prefix = "worker"
      }
    }
  })])

  lifecycle {
    precondition {
      condition     = var.create_network || (length(var.subnet_ids) > 0 && length(var.security_group_ids) > 0)
      error_message = "The workers need a network: set create_network = true, or subnet_ids and security_group_ids."
    }
  }
}

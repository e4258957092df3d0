module "tables" {
  source = "../.."

  index_names            = { open_jobs = "open-jobs", by_container = "by-container" }
  point_in_time_recovery = true
  deletion_protection    = true

  names = {
    ownership       = "webordinary-container-ownership"
    jobs            = "webordinary-jobs"
    unfinished_jobs = "webordinary-unfinished-jobs"
    thread_mappings = "webordinary-thread-mappings"
    worker_requests = "webordinary-worker-requests"
    project_configs = "webordinary-project-configs"
    idempotency     = "webordinary-idempotency"
    workers         = "webordinary-workers"
    spending        = "webordinary-spending"
    conversations   = "webordinary-conversations"
  }

  keys = {
    ownership       = { table = ["projectKey"], indexes = { by_container = ["containerId"] } }
    jobs            = { table = ["projectKey", "jobId"], indexes = { open_jobs = ["open", "receivedAt"] } }
    unfinished_jobs = { table = ["projectKey", "jobId"], indexes = {} }
    thread_mappings = { table = ["pk"], indexes = {} }
    worker_requests = { table = ["projectKey"], indexes = {} }
    project_configs = { table = ["pk"], indexes = {} }
    idempotency     = { table = ["id"], indexes = {} }
    workers         = { table = ["slot"], indexes = {} }
    spending        = { table = ["projectId", "dayUser"], indexes = {} }
  }
}

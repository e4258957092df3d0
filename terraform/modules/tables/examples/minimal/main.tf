module "tables" {
  source = "../.."

  index_names            = { open_jobs = "open-jobs" }
  point_in_time_recovery = true
  deletion_protection    = true

  names = {
    ownership       = "webordinary-container-ownership"
    jobs            = "webordinary-jobs"
    thread_mappings = "webordinary-thread-mappings"
    worker_requests = "webordinary-worker-requests"
    project_configs = "webordinary-project-configs"
    idempotency     = "webordinary-idempotency"
    workers         = "webordinary-workers"
    spending        = "webordinary-spending"
    conversations   = "webordinary-conversations"
  }

  keys = {
    ownership       = { table = ["projectKey"], indexes = {} }
    jobs            = { table = ["projectKey", "jobId"], indexes = { open_jobs = ["open", "receivedAt"] } }
    thread_mappings = { table = ["pk"], indexes = {} }
    worker_requests = { table = ["projectKey"], indexes = {} }
    project_configs = { table = ["pk"], indexes = {} }
    idempotency     = { table = ["id"], indexes = {} }
    workers         = { table = ["slot"], indexes = {} }
    spending        = { table = ["projectId", "dayUser"], indexes = {} }
  }
}

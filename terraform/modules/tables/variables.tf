variable "names" {
  description = "Table names by contract key."
  type = object({
    ownership       = string
    jobs            = string
    unfinished_jobs = string
    thread_mappings = string
    worker_requests = string
    project_configs = string
    idempotency     = string
    workers         = string
    spending        = string
    conversations   = string
  })
}

variable "keys" {
  description = "Key attributes of the tables and their indexes (all strings), by contract key."
  type        = map(object({ table = list(string), indexes = map(list(string)) }))
}

variable "index_names" {
  description = "Index names by contract key."
  type        = map(string)
}

variable "point_in_time_recovery" {
  description = "Whether tables can be restored to any second of the last 35 days."
  type        = bool
}

variable "deletion_protection" {
  description = "Whether tables are protected against deletion."
  type        = bool
}

variable "kms_key_arn" {
  description = "KMS key that encrypts the tables; if null, a key that DynamoDB owns and that costs nothing."
  type        = string
  default     = null
}

variable "names" {
  description = "Table names, by their key in the contract."
  type = object({
    ownership       = string
    jobs            = string
    thread_mappings = string
    worker_requests = string
    project_configs = string
    idempotency     = string
    workers         = string
  })
}

variable "keys" {
  description = "Key attributes of every table and of its indexes (all strings), by the table's key in the contract."
  type        = map(object({ table = list(string), indexes = map(list(string)) }))
}

variable "index_names" {
  description = "Index names, by their key in the contract."
  type        = object({ open_jobs = string })
}

variable "point_in_time_recovery" {
  description = "Whether tables can be restored to any second of the last 35 days."
  type        = bool
}

variable "deletion_protection" {
  description = "Whether tables refuse to be deleted."
  type        = bool
}

variable "kms_key_arn" {
  description = "KMS key that encrypts the tables; DynamoDB's own if null."
  type        = string
  default     = null
}

variable "project_id" {
  description = "Id of the project; part of the names of its queues and buckets."
  type        = string
}

variable "prefix" {
  description = "What the names of resources start with."
  type        = string
}

variable "location" {
  description = "Partition, region and account, for ARNs that are built from names."
  type        = object({ partition = string, region = string, account = string })
}

variable "queue_templates" {
  description = "Templates of the pairs' queue names, from the contract."
  type        = object({ input = string, input_dead_letters = string, interrupts = string })
}

variable "bucket_templates" {
  description = "Templates of the project's bucket names, from the contract."
  type        = object({ edit_site = string, production_site = string })
}

variable "domain" {
  description = "Domain of the website."
  type        = string
}

variable "repository" {
  description = "URL of the website's git repository."
  type        = string
}

variable "default_branch" {
  description = "Branch that new conversations start from."
  type        = string
}

variable "interrupts" {
  description = "When a newer mail stops the running job: always, same-thread or never."
  type        = string
}

variable "preview_url" {
  description = "Template of the address of the edit site; it sees `project` and `domain`."
  type        = string
}

variable "users" {
  description = "People who may edit the website, by user id."
  type        = map(object({ addresses = list(string), name = optional(string) }))
}

variable "site" {
  description = "Where the site is in its repository, and what its build may reach and see."
  type = object({
    folder      = optional(string, "")
    hosts       = optional(list(string), [])
    environment = optional(map(string), {})
    secrets     = optional(bool, false)
  })
  default = {}
}

variable "project_configs_table" {
  description = "Name of the table of project configurations."
  type        = string
}

variable "timing" {
  description = "The contract's times, with this environment's overrides."
  type        = map(number)
}

variable "attempts" {
  description = "How often a job is received before it becomes a dead letter."
  type        = number
}

variable "force_destroy" {
  description = "Whether destroying a bucket also deletes what is in it."
  type        = bool
}

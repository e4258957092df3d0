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

variable "developer" {
  description = "Address of whoever is told the technical lines of what could not be done; empty for nobody."
  type        = string
  default     = ""
}

variable "tells_cost" {
  description = "Whether answers say how long a request took and what it cost."
  type        = bool
  default     = false
}

variable "site_url" {
  description = "Address of the live site."
  type        = string
}

variable "preview_url" {
  description = "Address of a conversation's preview, with `$${thread}` in place of its id."
  type        = string
}

variable "preview_password" {
  description = "SHA-256 of `project:password`, where previews want a password."
  type        = string
  default     = null
}

variable "users" {
  description = "People who may edit the website, by user id."
  type        = map(object({ addresses = list(string), name = optional(string), role = optional(string, "publisher") }))
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

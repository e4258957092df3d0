variable "repositories" {
  description = "Repository URLs that replace those in projects, by project id."
  type        = map(string)
  default     = {}

  validation {
    condition     = length(setsubtract(keys(var.repositories), keys(var.projects))) == 0
    error_message = "repositories names a project that does not exist: ${join(", ", setsubtract(keys(var.repositories), keys(var.projects)))}."
  }
}

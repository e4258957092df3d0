# The websites and who may edit them.

variable "projects" {
  description = "The websites and the people who may edit them by mail, by project id."
  type = map(object({
    domain         = string
    repository     = string
    default_branch = optional(string, "main")
    interrupts     = optional(string, "same-thread")
    # Of the site: its folder in the repository, the hosts that its build may fetch from ("all" for any), what its build
    # sees as environment, and whether the parameter /<prefix>/projects/<project>/build-environment has more of that.
    folder            = optional(string, "")
    build_hosts       = optional(list(string), [])
    build_environment = optional(map(string), {})
    build_secrets     = optional(bool, false)
    users = map(object({
      addresses = list(string)
      name      = optional(string)
    }))
  }))
  default = {}

  validation {
    condition     = alltrue([for project in keys(var.projects) : can(regex(local.contract.patterns.project, project))])
    error_message = "Every project id must match ${local.contract.patterns.project}."
  }

  validation {
    condition     = length(setintersection(keys(var.projects), local.contract.reserved.project)) == 0
    error_message = "These project ids are reserved, because they are mailboxes of ours: ${join(", ", local.contract.reserved.project)}."
  }

  validation {
    condition     = length(setintersection(flatten([for project in values(var.projects) : keys(project.users)]), local.contract.reserved.user)) == 0
    error_message = "These user ids are reserved, because queues of other pairs have such names: ${join(", ", local.contract.reserved.user)}."
  }

  validation {
    condition = alltrue(flatten([
      for project in values(var.projects) : [for user in keys(project.users) : can(regex(local.contract.patterns.user, user))]
    ]))
    error_message = "Every user id must match ${local.contract.patterns.user}."
  }

  validation {
    condition     = alltrue([for project in values(var.projects) : contains(["always", "same-thread", "never"], project.interrupts)])
    error_message = "interrupts must be always, same-thread or never."
  }

  validation {
    condition     = alltrue([for project in values(var.projects) : can(regex("^([a-z0-9-]+\\.)+[a-z]{2,}$", project.domain))])
    error_message = "Every project's domain must be a domain name in lower case, such as www.example.com."
  }

  validation {
    condition     = alltrue([for project in values(var.projects) : !strcontains("/${project.folder}/", "/../")])
    error_message = "A site's folder must be inside its repository."
  }

  validation {
    condition = alltrue(flatten([
      for project in values(var.projects) : [for host in project.build_hosts : can(regex("^(all|(\\*\\.)?([a-z0-9-]+\\.)+[a-z]{2,})$", host))]
    ]))
    error_message = "Every entry of build_hosts must be a host name in lower case, *.host, or all."
  }

  validation {
    condition = alltrue(flatten([
      for project in values(var.projects) : [for name in keys(project.build_environment) : can(regex("^[A-Z][A-Z0-9_]{0,63}$", name))]
    ]))
    error_message = "Names in build_environment are of capital letters, digits and underscores."
  }

  validation {
    condition     = length(distinct([for project in values(var.projects) : project.domain])) == length(var.projects)
    error_message = "Two projects have the same domain."
  }

  validation {
    condition = alltrue(flatten([
      for project in values(var.projects) : [
        for user in values(project.users) : [for address in user.addresses : can(regex("^[!-;=?A-~]+@[!-;=?A-~]+\\.[!-;=?A-~]+$", address))]
      ]
    ]))
    error_message = "Every address must be a plain mail address in ASCII, such as ada@example.com, without a name around it."
  }

  validation {
    condition = alltrue([
      for project in values(var.projects) :
      length(distinct([for address in flatten([for user in values(project.users) : user.addresses]) : lower(address)])) ==
      length(flatten([for user in values(project.users) : user.addresses]))
    ])
    error_message = "Within a project an address may belong to one user only, and be listed once."
  }
}

variable "preview_url" {
  description = "Template of the address of a project's edit site; it sees `project` and `domain`."
  type        = string
  default     = "https://edit.$${domain}"
}

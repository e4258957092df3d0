# The websites and who may edit them.

variable "projects" {
  description = "The websites and the people who may edit them by mail, by project id."
  type = map(object({
    domain         = string
    repository     = string
    default_branch = optional(string, "main")
    interrupts     = optional(string, "same-thread")
    # Who is told the technical lines of what could not be done; an address.
    developer = optional(string, "")
    # Whether answers say how long a request took and what it cost.
    tells_cost = optional(bool, false)
    # Of the domain: none, requested (its certificate is, and its records are told) or served.
    own_domain = optional(string, "none")
    # SHA-256 of "project:password", where previews want a password.
    preview_password_digest = optional(string)
    users = map(object({
      addresses = list(string)
      name      = optional(string)
      role      = optional(string, "publisher")
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
    condition     = alltrue([for project in values(var.projects) : contains(["none", "requested", "served"], project.own_domain)])
    error_message = "own_domain must be none, requested or served."
  }

  validation {
    condition     = alltrue([for project in values(var.projects) : can(regex("^[0-9a-f]{64}$", coalesce(project.preview_password_digest, "${join("", [for _ in range(64) : "0"])}")))])
    error_message = "preview_password_digest must be a SHA-256 in lower case: printf '%s' 'project:password' | sha256sum."
  }

  validation {
    condition     = alltrue(flatten([for project in values(var.projects) : [for user in values(project.users) : contains(["editor", "publisher"], user.role)]]))
    error_message = "A user's role must be editor or publisher."
  }

  validation {
    condition     = alltrue([for project in values(var.projects) : anytrue([for user in values(project.users) : user.role == "publisher" && length(user.addresses) > 0]) || length(project.users) == 0])
    error_message = "Every project needs a publisher with an address, or nobody could say yes to what its editors want to publish."
  }

  validation {
    condition     = alltrue([for project in values(var.projects) : can(regex("^([a-z0-9-]+\\.)+[a-z]{2,}$", project.domain))])
    error_message = "Every project's domain must be a domain name in lower case, such as www.example.com."
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

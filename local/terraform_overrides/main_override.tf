# The emulator repeats its answers: what fails once fails again.

provider "aws" {
  max_retries = 2
}

provider "aws" {
  alias       = "global"
  max_retries = 2
}

# Every project's repository is on this machine.

module "project" {
  repository = lookup(var.repositories, each.key, each.value.repository)
}

# The emulator repeats its answers: what fails once fails again.

provider "aws" {
  max_retries = 2
}

provider "aws" {
  alias       = "global"
  max_retries = 2
}

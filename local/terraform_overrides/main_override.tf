# No retries: the emulator fails the same way every time.

provider "aws" {
  max_retries = 2
}

provider "aws" {
  alias       = "global"
  max_retries = 2
}

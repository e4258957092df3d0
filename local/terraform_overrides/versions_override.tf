# The state is a file that -state names.

terraform {
  backend "local" {}
}

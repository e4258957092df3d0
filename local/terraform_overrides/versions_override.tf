# The state is the file given by -state.

terraform {
  backend "local" {}
}

terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.100, < 7"
    }
  }

  # Where the state is kept is written in environments/<environment>.s3.tfbackend.
  backend "s3" {}
}

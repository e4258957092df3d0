terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source                = "hashicorp/aws"
      version               = ">= 5.100, < 7"
      configuration_aliases = [aws.global]
    }
  }
}

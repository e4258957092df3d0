# Responses of AWS that the configuration reads during a plan.

mock_data "aws_caller_identity" {
  defaults = { account_id = "123456789012" }
}

mock_data "aws_partition" {
  defaults = { partition = "aws" }
}

mock_data "aws_region" {
  defaults = { id = "eu-west-1", name = "eu-west-1" }
}

mock_data "aws_availability_zones" {
  defaults = { names = ["eu-west-1a", "eu-west-1b"] }
}

mock_data "aws_iam_policy_document" {
  defaults = { json = "{\"Version\":\"2012-10-17\",\"Statement\":[]}" }
}

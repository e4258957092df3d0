module "photos" {
  source = "../.."

  name            = "webordinary-photos-123456789012"
  partition       = "aws"
  expiration_days = { "drafts/" = 30 }
}

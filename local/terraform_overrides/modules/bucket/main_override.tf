# The emulator expires no objects, and the provider waits a minute for each bucket's rules.

resource "aws_s3_bucket_lifecycle_configuration" "this" {
  count = 0
}

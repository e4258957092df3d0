# An emulator receives no bounces, and does not know this call.

resource "aws_sesv2_email_identity_mail_from_attributes" "domain" {
  count = 0
}

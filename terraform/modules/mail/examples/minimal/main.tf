module "mail" {
  source = "../.."

  prefix                  = "webordinary"
  location                = { partition = "aws", region = "eu-west-1", account = "123456789012" }
  mail_domain             = "mail.example.com"
  inbound_recipients      = ["mail.example.com"]
  require_inbound_tls     = true
  email_queue_arn         = "arn:aws:sqs:eu-west-1:123456789012:webordinary-email"
  bucket_names            = { raw_mail = "webordinary-raw-mail-123456789012", media = "webordinary-media-123456789012" }
  raw_mail_folder         = "mail/"
  attachment_parts_folder = "parts/"
  media_folder            = "media/"
  pictures_folder         = "pictures/"
  sessions_folder         = "sessions/"
  raw_mail_days           = 30
  media_days              = 90
  session_days            = 90
  force_destroy           = false
}

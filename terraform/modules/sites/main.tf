# One bucket for all sites: `<project>/live/` and `<project>/preview/<thread>/`, each served at the root of a host.

locals {
  bucket_arn = "arn:${var.location.partition}:s3:::${var.bucket_name}"

  # The public folders. Releases and their records are not public.
  public_files = [
    for key in ["live", "preview"] :
    "${local.bucket_arn}/${templatestring(var.contract.prefixes[key], { project = "*", thread = "*" })}*"
  ]
}

module "bucket" {
  source = "../bucket"

  name             = var.bucket_name
  partition        = var.location.partition
  force_destroy    = var.force_destroy
  kms_key_arn      = var.kms_key_arn
  policy_documents = [for document in data.aws_iam_policy_document.readers : document.json]
}

data "aws_iam_policy_document" "readers" {
  count = length(local.distributions) > 0 ? 1 : 0

  statement {
    sid       = "ShowSites"
    actions   = ["s3:GetObject"]
    resources = local.public_files

    principals {
      type        = "Service"
      identifiers = ["cloudfront.amazonaws.com"]
    }

    condition {
      test     = "StringEquals"
      variable = "aws:SourceArn"
      values   = [for distribution in aws_cloudfront_distribution.this : distribution.arn]
    }
  }
}

# The packages. They are uploaded to a bucket, because the provider uploads from disk one function at a time.

module "packages" {
  source = "../bucket"

  name          = "${var.prefix}-packages-${var.location.account}"
  partition     = var.location.partition
  kms_key_arn   = var.kms_key_arn
  force_destroy = true # the packages can be rebuilt
}

locals {
  packages = toset(concat(
    [for key in keys(local.functions) : "functions/${key}.zip"],
    [for key in keys(local.layers) : "layers/${key}.zip"],
  ))
}

resource "aws_s3_object" "package" {
  for_each = local.packages

  bucket      = module.packages.name
  key         = each.key
  source      = "${var.package_dir}/${each.key}"
  source_hash = filemd5("${var.package_dir}/${each.key}")
}

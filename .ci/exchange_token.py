"""Reads GitHub's token as JSON and prints the variables of an AWS session. Used by `sign-in`."""

from __future__ import annotations

import json
import os
import sys

import boto3
from botocore import UNSIGNED
from botocore.config import Config

SESSION_SECONDS = 3600
VARIABLES = {
    "AWS_ACCESS_KEY_ID": "AccessKeyId",
    "AWS_SECRET_ACCESS_KEY": "SecretAccessKey",
    "AWS_SESSION_TOKEN": "SessionToken",
}

sts = boto3.client(
    "sts", region_name=os.environ.get("AWS_REGION", "us-east-1"), config=Config(signature_version=UNSIGNED)
)
session = sts.assume_role_with_web_identity(
    RoleArn=os.environ["AWS_ROLE_ARN"],
    RoleSessionName=f"deliver-{os.environ['GITHUB_RUN_ID']}",
    WebIdentityToken=json.load(sys.stdin)["value"],
    DurationSeconds=SESSION_SECONDS,
)["Credentials"]
for name, key in VARIABLES.items():
    value = str(session[key])  # type: ignore[literal-required]
    sys.stderr.write(f"::add-mask::{value}\n")  # GitHub hides it in logs
    sys.stdout.write(f"{name}={value}\n")

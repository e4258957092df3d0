"""`make bootstrap ENV=dev`: creates the resources that Terraform itself needs.

A bucket for its state, a repository for the worker's image, and the secrets. Secrets are prompted for, and are stored
in no file and in no Terraform state. Existing resources are kept; their security settings are corrected. The last lines
list the steps that have to be done by hand.
"""

from __future__ import annotations

import argparse
import getpass
import json
import secrets
import sys
from collections.abc import Callable, Sequence

from botocore.exceptions import ClientError

from tools.environment import Environment
from tools.errors import SetupError

IMAGES_KEPT = 20
OLD_STATES_KEPT_DAYS = 90
ECS = "ecs.amazonaws.com"
Ask = Callable[[str], str]
Say = Callable[[str], None]


class ForeignBucketError(SetupError):
    def __init__(self, name: str) -> None:
        super().__init__(
            f"The bucket {name} belongs to another AWS account. Bucket names are globally unique: "
            "choose another name in the environment's .s3.tfbackend file."
        )


def bootstrap(environment: Environment, ask: Ask, say: Say) -> None:
    account = environment.account()
    say(f"Account {account}, region {environment.region}, prefix {environment.prefix}.")
    _create_ecs_role(environment, say)
    _create_state_bucket(environment, account, say)
    _create_image_repository(environment, say)
    _store_secrets(environment, ask, say)
    for line in manual_steps(environment):
        say(line)


def _create_ecs_role(environment: Environment, say: Say) -> None:
    """ECS makes this role with an account's first cluster, too late for the capacity providers of that cluster."""
    iam = environment.client("iam")
    if not iam.list_roles(PathPrefix=f"/aws-service-role/{ECS}/")["Roles"]:
        iam.create_service_linked_role(AWSServiceName=ECS)
        say("Created the service-linked role of ECS.")


def _create_state_bucket(environment: Environment, account: str, say: Say) -> None:
    s3, name = environment.client("s3"), environment.state_bucket
    try:
        s3.head_bucket(Bucket=name, ExpectedBucketOwner=account)
        say(f"The bucket {name} exists.")
    except ClientError as error:
        if error.response["Error"]["Code"] == "403":
            raise ForeignBucketError(name) from error
        location = {"CreateBucketConfiguration": {"LocationConstraint": environment.region}}
        s3.create_bucket(Bucket=name, **({} if environment.region == "us-east-1" else location))
        say(f"Created the bucket {name} for Terraform's state.")
    s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
    s3.put_bucket_encryption(
        Bucket=name,
        ServerSideEncryptionConfiguration={
            "Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]
        },
    )
    closed = ("BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets")
    s3.put_public_access_block(Bucket=name, PublicAccessBlockConfiguration=dict.fromkeys(closed, True))
    s3.put_bucket_lifecycle_configuration(
        Bucket=name,
        LifecycleConfiguration={
            "Rules": [
                {
                    "ID": "expire-old-states",
                    "Status": "Enabled",
                    "Filter": {"Prefix": ""},
                    "NoncurrentVersionExpiration": {"NoncurrentDays": OLD_STATES_KEPT_DAYS},
                }
            ]
        },
    )
    s3.put_bucket_policy(Bucket=name, Policy=json.dumps(_tls_only_policy(name)))


def _create_image_repository(environment: Environment, say: Say) -> None:
    ecr, name = environment.client("ecr"), environment.image_repository
    try:
        ecr.create_repository(
            repositoryName=name,
            imageTagMutability="IMMUTABLE",
            imageScanningConfiguration={"scanOnPush": True},
        )
        say(f"Created the repository {name} for the worker's image.")
    except ecr.exceptions.RepositoryAlreadyExistsException:
        say(f"The repository {name} exists.")
        ecr.put_image_tag_mutability(repositoryName=name, imageTagMutability="IMMUTABLE")
        ecr.put_image_scanning_configuration(repositoryName=name, imageScanningConfiguration={"scanOnPush": True})
    rule = {
        "rulePriority": 1,
        "description": f"keep the last {IMAGES_KEPT} images",
        "selection": {"tagStatus": "any", "countType": "imageCountMoreThan", "countNumber": IMAGES_KEPT},
        "action": {"type": "expire"},
    }
    ecr.put_lifecycle_policy(repositoryName=name, lifecyclePolicyText=json.dumps({"rules": [rule]}))


def _store_secrets(environment: Environment, ask: Ask, say: Say) -> None:
    if environment.has_parameter(environment.thread_secret_parameter):
        say("The key that signs reply addresses exists.")
    else:
        environment.store_secret(environment.thread_secret_parameter, secrets.token_urlsafe(48))
        say("Created the key that signs reply addresses.")
    if not environment.needs_model_key:
        say("The model runs on Bedrock, so no API key is needed.")
    elif environment.has_parameter(environment.model_key_parameter):
        say("The Anthropic API key exists.")
    elif key := ask("Anthropic API key (leave empty to add it later): ").strip():
        environment.store_secret(environment.model_key_parameter, key)
        say("Stored the Anthropic API key.")
    else:
        say(f"The Anthropic API key is missing. Run this again, or store it as {environment.model_key_parameter}.")


def manual_steps(environment: Environment) -> list[str]:
    region, domain, name = environment.region, environment.mail_domain, environment.name
    return [
        "",
        "Steps to do by hand:",
        f"  1. Request SES production access: https://{region}.console.aws.amazon.com/ses/home#/account",
        "     Until AWS grants it, replies reach the addresses in sandbox_addresses only.",
        "  2. If the account is new, ask AWS to verify it for CloudFront, which can take a day. Open a support case",
        "     (Account and billing, CloudFront): https://support.console.aws.amazon.com/support/home#/case/create",
        f"  3. Add these DNS records for {domain}:",
        f"       {domain}  MX   10 inbound-smtp.{region}.amazonaws.com",
        f'       {domain}  TXT  "v=spf1 include:amazonses.com -all"',
        f'       _dmarc.{domain}  TXT  "v=DMARC1; p=reject; adkim=r; aspf=r"',
        "     and, after the first apply, the records that make apply prints (DKIM, MAIL FROM, certificates).",
        "  4. Confirm the subscription mail for alarms that AWS sends you.",
        "",
        f"Next: make image push ENV={name}, make plan ENV={name}, make apply ENV={name}, make doctor ENV={name}.",
    ]


def _tls_only_policy(bucket: str) -> dict[str, object]:
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "OnlyOverTls",
                "Effect": "Deny",
                "Principal": "*",
                "Action": "s3:*",
                "Resource": [f"arn:aws:s3:::{bucket}", f"arn:aws:s3:::{bucket}/*"],
                "Condition": {"Bool": {"aws:SecureTransport": "false"}},
            }
        ],
    }


def prompt_secret(question: str) -> str:
    """Prompts without echo; returns an empty string if standard input is not a terminal."""
    return getpass.getpass(question) if sys.stdin.isatty() else ""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make bootstrap", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--env", default="dev")
    options = parser.parse_args(arguments)
    try:
        bootstrap(Environment.load(options.env), prompt_secret, print)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    except ClientError as error:
        print(f"The AWS call failed: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

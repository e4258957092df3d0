"""Probes for the limits of a new account."""

import json
from typing import Any

from local.aws import ACCOUNT, EmulatedAws
from tests.integration.emulator.probes import probe
from tests.integration.emulator.support import archive, error_code, role

SANDBOX_REGION = "eu-central-1"  # other probes send in their region


@probe("new_accounts.refuse_reserved_concurrency", on_aws="InvalidParameterValueException")
def error_of_a_reservation(aws: EmulatedAws) -> str | None:
    lambdas = aws.client("lambda")
    lambdas.create_function(
        FunctionName="reserved",
        Runtime="python3.13",
        Role=role(aws.endpoint, "reserved"),
        Handler="handler.handler",
        Code={"ZipFile": archive({"handler.py": ""})},
    )
    return error_code(lambda: lambdas.put_function_concurrency(FunctionName="reserved", ReservedConcurrentExecutions=1))


@probe("new_accounts.describe_lambda_account", on_aws=10)
def concurrent_executions(aws: EmulatedAws) -> object:
    limits: dict[str, Any] = {}
    error = error_code(lambda: limits.update(aws.client("lambda").get_account_settings()["AccountLimit"]))
    return error or limits["UnreservedConcurrentExecutions"]


@probe("new_accounts.describe_fargate_quotas", on_aws=6.0)
def fargate_vcpus(aws: EmulatedAws) -> object:
    quota: dict[str, Any] = {}
    client = aws.client("service-quotas")
    asked = {"ServiceCode": "fargate", "QuotaCode": "L-3032A538"}
    error = error_code(lambda: quota.update(client.get_aws_default_service_quota(**asked)["Quota"]))
    return error or quota["Value"]


@probe("new_accounts.send_from_the_sandbox", on_aws=["AccessDeniedException", "MessageRejected", None])
def errors_in_the_sandbox(aws: EmulatedAws) -> object:
    """Denied without a permission for the recipient's identity, rejected without its verification, then accepted."""
    mail = EmulatedAws(aws.endpoint, SANDBOX_REGION).client("sesv2")
    error_code(
        lambda: mail.put_account_details(
            ProductionAccessEnabled=False, MailType="TRANSACTIONAL", WebsiteURL="https://example.com"
        )
    )
    mail.create_email_identity(EmailIdentity="sandbox.example.com")
    mail.create_email_identity(EmailIdentity="ada@example.org")
    identity = f"arn:aws:ses:{SANDBOX_REGION}:{ACCOUNT}:identity"
    _allow(aws, f"{identity}/sandbox.example.com", f"{identity}/ben@example.org")
    denied = _send(mail, "ada@example.org")
    rejected = _send(mail, "ben@example.org")
    _allow(aws, f"{identity}/sandbox.example.com", f"{identity}/ada@example.org")
    return [denied, rejected, _send(mail, "ada@example.org")]


@probe("bedrock.keep_inference_profiles", on_aws=["bakery", "ResourceNotFoundException"])
def inference_profiles(aws: EmulatedAws) -> object:
    """The name of a created one, and the error after its deletion."""
    bedrock = aws.client("bedrock")
    source = f"arn:aws:bedrock:us-east-1:{ACCOUNT}:inference-profile/us.anthropic.claude-opus-5-5"
    arn = bedrock.create_inference_profile(inferenceProfileName="bakery", modelSource={"copyFrom": source})
    named = {"inferenceProfileIdentifier": arn["inferenceProfileArn"]}
    found = bedrock.get_inference_profile(**named)["inferenceProfileName"]
    bedrock.delete_inference_profile(**named)
    return [found, error_code(lambda: bedrock.get_inference_profile(**named))]


def _allow(aws: EmulatedAws, *identities: str) -> None:
    iam = aws.client("iam")
    error_code(lambda: role(aws.endpoint, "sandbox"))  # the second time it exists
    statement = {"Effect": "Allow", "Action": ["ses:SendEmail"], "Resource": identities}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    iam.put_role_policy(RoleName="sandbox", PolicyName="send", PolicyDocument=policy)


def _send(mail: Any, recipient: str) -> str | None:
    raw = f"From: edit@sandbox.example.com\r\nTo: {recipient}\r\n\r\nHello\r\n".encode()
    return error_code(
        lambda: mail.send_email(
            FromEmailAddress="edit@sandbox.example.com",
            Destination={"ToAddresses": [recipient]},
            Content={"Raw": {"Data": raw}},
        )
    )

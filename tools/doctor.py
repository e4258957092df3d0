"""`make doctor ENV=dev`: checks an AWS account and reports what is missing. It changes nothing.

Each check is a function that returns the problem and how to fix it, or None.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from botocore.exceptions import BotoCoreError, ClientError

from tools.environment import Environment
from tools.errors import SetupError

Lookup = Callable[[str, str], list[str]]  # DNS name and record type → answers

# Service quotas for concurrent Fargate vCPUs.
FARGATE_QUOTAS = {"on demand": "L-3032A538", "Spot": "L-36FBB829"}
KEY_USERS = ("ses", "s3", "cloudwatch", "cloudfront", "logs")  # as in terraform/key_policy.tf
LAMBDA_CONCURRENCY = 50  # unreserved executions needed under load


@dataclass(frozen=True)
class Inspection:
    environment: Environment
    lookup: Lookup


Check = Callable[[Inspection], str | None]


def state_bucket(inspection: Inspection) -> str | None:
    environment = inspection.environment
    try:
        versioning = environment.client("s3").get_bucket_versioning(Bucket=environment.state_bucket)
    except ClientError:
        return f"The bucket {environment.state_bucket} for Terraform's state is missing. Run make bootstrap."
    if versioning.get("Status") != "Enabled":
        return f"The bucket {environment.state_bucket} has versioning disabled. Run make bootstrap."
    return None


def image(inspection: Inspection) -> str | None:
    environment = inspection.environment
    try:
        environment.client("ecr").describe_repositories(repositoryNames=[environment.image_repository])
    except ClientError:
        return f"The repository {environment.image_repository} for the worker's image is missing. Run make bootstrap."
    if environment.parameter(environment.image_parameter) is None:
        return f"No worker image has been pushed yet. Run make image push ENV={environment.name}."
    return None


def secrets(inspection: Inspection) -> str | None:
    environment = inspection.environment
    required = [environment.thread_secret_parameter]
    if environment.needs_model_key:
        required.append(environment.model_key_parameter)
    missing = [name for name in required if not environment.has_parameter(name)]
    return f"These parameters are missing: {', '.join(missing)}. Run make bootstrap." if missing else None


def receiving(inspection: Inspection) -> str | None:
    region = inspection.environment.region
    try:
        inspection.environment.client("ses").describe_active_receipt_rule_set()
    except (ClientError, BotoCoreError):
        return f"SES does not receive mail in {region}, or you may not read its rule sets. Choose another region."
    return None


def rule_set(inspection: Inspection) -> str | None:
    environment = inspection.environment
    try:
        active = environment.client("ses").describe_active_receipt_rule_set().get("Metadata", {}).get("Name")
    except (ClientError, BotoCoreError):
        return None  # reported by `receiving`
    own = environment.settings.get("receipt_rule_set") or f"{environment.prefix}-inbound"
    if active is None:
        return f"No receipt rule set is active, so SES rejects all mail. Run make apply; it activates {own}."
    if active != own:
        return (
            f"Another receipt rule set is active: {active}. SES allows one per account and region. Add our rule to it "
            f'(receipt_rule_set = "{active}", activate_rule_set = false), or use another region or account.'
        )
    return None


def sandbox(inspection: Inspection) -> str | None:
    if inspection.environment.client("sesv2").get_account().get("ProductionAccessEnabled"):
        return None
    return (
        "SES is in its sandbox: replies reach verified addresses only. Request production access from AWS, "
        "or list test addresses in sandbox_addresses."
    )


def identity(inspection: Inspection) -> str | None:
    domain = inspection.environment.mail_domain
    try:
        found = inspection.environment.client("sesv2").get_email_identity(EmailIdentity=domain)
    except ClientError:
        return f"SES has no identity for {domain}. Run make apply."
    if found.get("VerifiedForSendingStatus"):
        return None
    return f"{domain} is not verified yet. Add its DKIM records (see DNS for DKIM below) and wait for SES."


def mail_records(inspection: Inspection) -> str | None:
    domain, region = inspection.environment.mail_domain, inspection.environment.region
    inbound = f"inbound-smtp.{region}.amazonaws.com"
    missing = []
    if not any(inbound in answer.lower() for answer in inspection.lookup(domain, "MX")):
        missing.append(f"{domain} MX 10 {inbound}")
    if not any("amazonses.com" in answer for answer in inspection.lookup(domain, "TXT") if "v=spf1" in answer):
        missing.append(f'{domain} TXT "v=spf1 include:amazonses.com -all"')
    if not any("v=DMARC1" in answer for answer in inspection.lookup(f"_dmarc.{domain}", "TXT")):
        missing.append(f'_dmarc.{domain} TXT "v=DMARC1; p=reject; adkim=r; aspf=r"')
    return f"These DNS records are missing: {'; '.join(missing)}." if missing else None


def signing_records(inspection: Inspection) -> str | None:
    domain = inspection.environment.mail_domain
    try:
        found = inspection.environment.client("sesv2").get_email_identity(EmailIdentity=domain)
    except ClientError:
        return None  # reported by `identity`
    tokens = found.get("DkimAttributes", {}).get("Tokens", [])
    names = {f"{token}._domainkey.{domain}": f"{token}.dkim.amazonses.com" for token in tokens}
    missing = [
        f"{name} CNAME {target}"
        for name, target in names.items()
        if not any(target in answer for answer in inspection.lookup(name, "CNAME"))
    ]
    return f"These DNS records are missing: {'; '.join(missing)}." if missing else None


def worker_quota(inspection: Inspection) -> str | None:
    settings = inspection.environment.settings
    required = int(settings.get("max_workers", "3")) * int(settings.get("worker_cpu", "1024")) / 1024
    quotas = inspection.environment.client("service-quotas")
    problems = []
    for kind, code in FARGATE_QUOTAS.items():
        if kind == "Spot" and int(settings.get("spot_weight", "0")) == 0:
            continue
        allowed = float(quotas.get_service_quota(ServiceCode="fargate", QuotaCode=code)["Quota"]["Value"])
        if allowed < required:
            problems.append(f"{allowed:g} vCPUs {kind}")
    if not problems:
        return None
    workers = settings.get("max_workers", "3")
    return f"{workers} workers need {required:g} vCPUs; the quota is {', '.join(problems)}. Request a quota increase."


def function_quota(inspection: Inspection) -> str | None:
    limits = inspection.environment.client("lambda").get_account_settings()["AccountLimit"]
    allowed = int(limits["UnreservedConcurrentExecutions"])
    if allowed >= LAMBDA_CONCURRENCY:
        return None
    return (
        f"The account allows {allowed} concurrent Lambda executions; {LAMBDA_CONCURRENCY} are needed. "
        "Request a quota increase."
    )


def customer_key(inspection: Inspection) -> str | None:
    key = inspection.environment.settings.get("kms_key_arn")
    if not key:
        return None
    kms = inspection.environment.client("kms")
    try:
        state = kms.describe_key(KeyId=key)["KeyMetadata"]["KeyState"]
        policy = str(kms.get_key_policy(KeyId=key, PolicyName="default")["Policy"])
    except ClientError as error:
        return f"The key {key} of kms_key_arn cannot be read: {error}"
    if state != "Enabled":
        return f"The key {key} is {state}: data encrypted with it cannot be read. Enable it."
    missing = [service for service in KEY_USERS if f"{service}." not in policy]
    if not missing:
        return None
    return f"The policy of {key} does not allow {', '.join(missing)}. Attach the key_policy that make plan prints."


def model_access(inspection: Inspection) -> str | None:
    """Whether Bedrock offers the configured models in the region, and whether the account has access to them."""
    environment = inspection.environment
    if "bedrock" not in environment.model_providers:
        return None
    bedrock, region = environment.client("bedrock"), environment.region
    page = f"https://{region}.console.aws.amazon.com/bedrock/home?region={region}#/model-catalog"
    missing, closed = [], []
    for name, (profile, model) in environment.bedrock_models().items():
        try:
            bedrock.get_inference_profile(inferenceProfileIdentifier=profile)
        except ClientError as error:
            if error.response["Error"]["Code"] not in ("ResourceNotFoundException", "ValidationException"):
                raise
            missing.append(profile)
            continue
        found = bedrock.get_foundation_model_availability(modelId=model)
        agreed = found.get("agreementAvailability", {}).get("status") == "AVAILABLE"
        if not agreed or found.get("authorizationStatus") != "AUTHORIZED":
            closed.append(name)
    if missing:
        return (
            f"Bedrock has no inference profile {', '.join(missing)} in {region}. Choose another model, model_geography "
            f"or region; {page} lists them."
        )
    if closed:
        return (
            f"The account has no access to {', '.join(closed)} on Bedrock. Open {page}, choose the model, and submit "
            "Anthropic's use case form once for the account."
        )
    return None


CHECKS: dict[str, Check] = {
    "Terraform state": state_bucket,
    "worker image": image,
    "secrets": secrets,
    "model access": model_access,
    "customer-managed key": customer_key,
    "SES receives mail": receiving,
    "SES rule set": rule_set,
    "SES sandbox": sandbox,
    "mail domain verified": identity,
    "DNS for mail": mail_records,
    "DNS for DKIM": signing_records,
    "worker quota": worker_quota,
    "function quota": function_quota,
}


def run_checks(inspection: Inspection) -> dict[str, str | None]:
    """Problems by check. A check that fails is reported and does not stop the others."""
    found: dict[str, str | None] = {}
    for name, check in CHECKS.items():
        try:
            found[name] = check(inspection)
        except (ClientError, BotoCoreError) as error:
            found[name] = f"The check failed: {error}"
    return found


def look_up(name: str, kind: str) -> list[str]:
    import dns.exception
    import dns.resolver

    try:
        return [answer.to_text().replace('" "', "") for answer in dns.resolver.resolve(name, kind, lifetime=5)]
    except (dns.exception.DNSException, OSError):
        return []


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make doctor", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--env", default="dev")
    options = parser.parse_args(arguments)
    try:
        environment = Environment.load(options.env)
        print(f"Account {environment.account()}, region {environment.region}, prefix {environment.prefix}.")
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    found = run_checks(Inspection(environment, look_up))
    for name, problem in found.items():
        print(f"{'ok    ' if problem is None else 'FAILED'}  {name}")
        if problem is not None:
            print(f"        {problem}")
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())

"""`make doctor ENV=dev`: checks an AWS account and reports what is missing. It changes nothing.

Each check is a function that returns the problem and how to fix it, or None.
"""

from __future__ import annotations

import argparse
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence

from botocore.exceptions import ClientError

from tools import account_checks
from tools.account_checks import GLOBAL_REGION, Check, Inspection, run_checks
from tools.environment import Environment
from tools.errors import SetupError
from tools.site_checks import SITE_CHECKS

KEY_USERS = ("ses", "s3", "cloudwatch", "cloudfront", "logs")  # as in terraform/key_policy.tf
BUDGET_TAG = "Application"  # as in terraform/modules/monitoring
NEEDS_IDENTITY = "They need the identity first."


def state_bucket(inspection: Inspection) -> str | None:
    environment = inspection.environment
    try:
        versioning = environment.client("s3").get_bucket_versioning(Bucket=environment.state_bucket)
    except ClientError:
        return f"The bucket {environment.state_bucket} for Terraform's state is missing. {inspection.run('bootstrap')}"
    if versioning.get("Status") != "Enabled":
        return f"The bucket {environment.state_bucket} has versioning disabled. {inspection.run('bootstrap')}"
    return None


def image(inspection: Inspection) -> str | None:
    environment = inspection.environment
    try:
        environment.client("ecr").describe_repositories(repositoryNames=[environment.image_repository])
    except ClientError:
        repository = environment.image_repository
        return f"The repository {repository} for the worker's image is missing. {inspection.run('bootstrap')}"
    if environment.parameter(environment.image_parameter) is None:
        return f"No worker image has been pushed yet. {inspection.run('image push')}"
    return None


def secrets(inspection: Inspection) -> str | None:
    environment = inspection.environment
    required = [environment.thread_secret_parameter]
    if environment.needs_model_key:
        required.append(environment.model_key_parameter)
    missing = [name for name in required if not environment.has_parameter(name)]
    return f"These parameters are missing: {', '.join(missing)}. {inspection.run('bootstrap')}" if missing else None


def identity(inspection: Inspection) -> str | None:
    domain = inspection.environment.mail_domain
    try:
        found = inspection.environment.client("sesv2").get_email_identity(EmailIdentity=domain)
    except ClientError:
        return f"SES has no identity for {domain}. {inspection.run('plan apply')}"
    if found.get("VerifiedForSendingStatus"):
        return None
    return f"{domain} is not verified yet. Add its DKIM records (see DNS for DKIM below) and wait for SES."


def mail_records(inspection: Inspection) -> str | None:
    domain, region = inspection.environment.mail_domain, inspection.environment.region
    inbound = f"inbound-smtp.{region}.amazonaws.com"
    missing = []
    if not any(inbound in answer.lower() for answer in inspection.lookup(domain, "MX")):
        missing.append(f"{domain} MX 10 {inbound}")
    policies = [answer for answer in inspection.lookup(domain, "TXT") if "v=spf1" in answer]
    if not any("amazonses.com" in policy for policy in policies):
        # A second SPF record would make both invalid.
        given = policies[0].strip('"').replace("v=spf1 ", "", 1) if policies else "-all"
        missing.append(f'{domain} TXT "v=spf1 include:amazonses.com {given}"' + (" (change it)" if policies else ""))
    if not any("v=DMARC1" in answer for answer in inspection.lookup(f"_dmarc.{domain}", "TXT")):
        missing.append(f'_dmarc.{domain} TXT "v=DMARC1; p=reject; adkim=r; aspf=r"')
    return "\n".join(["These DNS records are missing:", *missing]) if missing else None


def signing_records(inspection: Inspection) -> str | None:
    domain = inspection.environment.mail_domain
    try:
        found = inspection.environment.client("sesv2").get_email_identity(EmailIdentity=domain)
    except ClientError:
        return NEEDS_IDENTITY
    tokens = found.get("DkimAttributes", {}).get("Tokens", [])
    names = {f"{token}._domainkey.{domain}": f"{token}.dkim.amazonses.com" for token in tokens}
    missing = [
        f"{name} CNAME {target}"
        for name, target in names.items()
        if not any(target in answer for answer in inspection.lookup(name, "CNAME"))
    ]
    return "\n".join(["These DNS records are missing:", *missing]) if missing else None


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
    return (
        f"The policy of {key} does not allow {', '.join(missing)}. Add the statements of the output key_policy. "
        f"{inspection.run('plan')}"
    )


def budget(inspection: Inspection) -> str | None:
    """The budget filters by a tag, and AWS counts costs by tag only once it is activated."""
    environment = inspection.environment
    if environment.settings.get("monthly_budget_dollars", "null") == "null":
        return None
    command = "$ aws ce update-cost-allocation-tags-status --cost-allocation-tags-status"
    command += f" TagKey={BUDGET_TAG},Status=Active"
    try:
        costs = environment.client("ce", GLOBAL_REGION)
        active = costs.list_cost_allocation_tags(TagKeys=[BUDGET_TAG], Status="Active")["CostAllocationTags"]
    except ClientError:
        return f"Only the organization's management account can read cost allocation tags. Run there:\n{command}"
    if active:
        return None
    return f"The budget sees no costs before the tag {BUDGET_TAG} is activated, a day after the first apply:\n{command}"


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
    "SES receives mail": account_checks.receiving,
    "SES rule set": account_checks.rule_set_active,
    "SES sandbox": account_checks.sandbox,
    "mail domain": account_checks.mail_domain,
    "mail domain verified": identity,
    "DNS for mail": mail_records,
    "DNS for DKIM": signing_records,
    "worker quota": account_checks.worker_quota,
    "function quota": account_checks.function_quota,
    "hosted zone": account_checks.zone,
    **SITE_CHECKS,
    "budget": budget,
}
# Under little load, mails are processed without these.
ADVICE = frozenset({"worker quota", "function quota", "budget"})


def look_up(name: str, kind: str) -> list[str]:
    import dns.exception
    import dns.resolver

    try:
        return [answer.to_text().replace('" "', "") for answer in dns.resolver.resolve(name, kind, lifetime=5)]
    except (dns.exception.DNSException, OSError):
        return []


def fetch(url: str) -> int | None:
    """The HTTP status of a URL, or None without an answer."""
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310  https, from the settings
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


def report(found: dict[str, str | None], advice: frozenset[str], again: str, after: str) -> str:
    """One line for each check, the problems, and the next command: `again` after a failed check, else `after`."""
    lines = []
    for name, problem in found.items():
        mark = "ok    " if problem is None else "advice" if name in advice else "FAILED"
        lines += [f"{mark}  {name}", *(f"        {line}" for line in (problem or "").splitlines())]
    failed = sum(problem is not None for name, problem in found.items() if name not in advice)
    if failed:
        checks = "1 check" if failed == 1 else f"{failed} checks"
        return "\n".join([*lines, "", f"{checks} failed. Fix the first one, then run: {again}"])
    return "\n".join([*lines, "", f"Next: {after}"])


def inspect(
    prog: str,
    description: str,
    checks: dict[str, Check],
    advice: frozenset[str],
    next_command: Callable[[Inspection], str],
    arguments: Sequence[str] | None,
) -> int:
    parser = argparse.ArgumentParser(prog=prog, description=description)
    parser.add_argument("--env", default="dev")
    options = parser.parse_args(arguments)
    try:
        environment = Environment.load(options.env)
        print(f"Account {environment.account()}, region {environment.region}, prefix {environment.prefix}.")
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    inspection = Inspection(environment, look_up, fetch)
    found = run_checks(checks, inspection)
    print(report(found, advice, f"{prog} ENV={options.env}", next_command(inspection)))
    return 1 if any(problem for name, problem in found.items() if name not in advice) else 0


def next_command(inspection: Inspection) -> str:
    return f".venv/bin/webordinary --env {inspection.environment.name} projects add --help"


def main(arguments: Sequence[str] | None = None) -> int:
    return inspect("make doctor", (__doc__ or "").splitlines()[0], CHECKS, ADVICE, next_command, arguments)


if __name__ == "__main__":
    sys.exit(main())

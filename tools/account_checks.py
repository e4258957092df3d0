"""Checks of an AWS account that need no deployment: quotas, and the states of SES, CloudFront and Route 53.

`make preflight` runs them before the first plan, `make doctor` after it. Each check returns the problem and how to fix
it, or None. Nothing is changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from tools.environment import Environment

Lookup = Callable[[str, str], list[str]]  # DNS name and record type → answers
Fetch = Callable[[str], int | None]  # URL → HTTP status, or None without an answer

# Service quotas for concurrent Fargate vCPUs.
FARGATE_QUOTAS = {"on demand": "L-3032A538", "Spot": "L-36FBB829"}
LAMBDA_QUOTA = "L-B99A9384"
LAMBDA_CONCURRENCY = 50  # unreserved executions needed under load
ASKED_CONCURRENCY = 1000  # the default of accounts that are not new
GLOBAL_REGION = "us-east-1"  # of CloudFront and its certificates


@dataclass(frozen=True)
class Inspection:
    environment: Environment
    lookup: Lookup
    fetch: Fetch = lambda _url: None

    @property
    def tfvars(self) -> str:
        return f"terraform/environments/{self.environment.name}.tfvars"

    def run(self, targets: str) -> str:
        return f"Run: make {targets} ENV={self.environment.name}"

    @property
    def has_cdn(self) -> bool:
        return self.environment.setting("create_cdn") != "false"

    @property
    def has_zone(self) -> bool:
        return bool(self.environment.settings.get("sites_zone_id"))

    @property
    def domains(self) -> tuple[str, str]:
        """The parent domains of live sites and of previews."""
        settings, mail = self.environment.settings, self.environment.mail_domain
        return settings.get("sites_domain", f"sites.{mail}"), settings.get("preview_domain", f"preview.{mail}")


Check = Callable[[Inspection], str | None]


def own_domains(inspection: Inspection) -> str | None:
    domains = (inspection.environment.mail_domain, *(inspection.domains if inspection.has_cdn else ()))
    examples = [domain for domain in domains if domain.endswith(("example.com", "example.net", "example.org"))]
    if not examples:
        return None
    return f"{', '.join(examples)}: set your own domains in {inspection.tfvars}."


def mail_domain(inspection: Inspection) -> str | None:
    """All mail of the domain comes to SES, so it must not be the domain of other mailboxes."""
    environment = inspection.environment
    own = f"inbound-smtp.{environment.region}.amazonaws.com"
    others = [answer for answer in inspection.lookup(environment.mail_domain, "MX") if own not in answer.lower()]
    if not others:
        return None
    return (
        f"{environment.mail_domain} receives its mail elsewhere (MX {', '.join(others)}). Set a domain of its own as "
        f"mail_domain in {inspection.tfvars}, or remove these records."
    )


def names_in_use(inspection: Inspection) -> str | None:
    """What the first apply would create, and finds: of another region, or of an account that used SES before."""
    environment = inspection.environment
    if environment.has_state():
        return None
    role = f"{environment.prefix}-worker-task"
    try:
        environment.client("iam").get_role(RoleName=role)
    except ClientError:
        pass
    else:
        return (
            f"The prefix {environment.prefix} is in use in this account: the role {role} exists, and roles belong to "
            f"no region. Set another prefix in {inspection.tfvars}."
        )
    sesv2 = environment.client("sesv2")
    addresses = (environment.mail_domain, *environment.listed("sandbox_addresses"))
    known = [one for one in addresses if _has_identity(sesv2, one)]
    if not known:
        return None
    lines = [
        f"SES knows {', '.join(known)} already, and an apply cannot take over an identity. If nothing else uses it, "
        "delete it; the apply creates it again."
    ]
    delete = f"$ aws sesv2 delete-email-identity --region {environment.region} --email-identity"
    return "\n".join([*lines, *(f"{delete} {one}" for one in known)])


def _has_identity(sesv2: Any, name: str) -> bool:
    try:
        sesv2.get_email_identity(EmailIdentity=name)
    except ClientError:
        return False
    return True


def receiving(inspection: Inspection) -> str | None:
    environment = inspection.environment
    try:
        environment.client("ses").describe_active_receipt_rule_set()
    except (ClientError, BotoCoreError):
        return (
            f"SES does not receive mail in {environment.region}, or you may not read its rule sets. "
            f"Choose another region: {', '.join(environment.mail_regions)}."
        )
    return None


def rule_set(inspection: Inspection) -> str | None:
    environment = inspection.environment
    own = environment.settings.get("receipt_rule_set") or f"{environment.prefix}-inbound"
    active = _active_rule_set(inspection)
    if "receipt_rule_set" in environment.settings and not _has_rule_set(environment, own):
        return f"The receipt rule set {own} (receipt_rule_set) does not exist. Correct it in {inspection.tfvars}."
    if active is None or active == own:
        return None
    return (
        f"Another receipt rule set is active: {active}. SES allows one per account and region. Add our rule to it "
        f'(receipt_rule_set = "{active}", activate_rule_set = false in {inspection.tfvars}), '
        "or use another region or account."
    )


def rule_set_active(inspection: Inspection) -> str | None:
    """As `rule_set`, after the first apply."""
    environment = inspection.environment
    own = environment.settings.get("receipt_rule_set") or f"{environment.prefix}-inbound"
    try:
        active = environment.client("ses").describe_active_receipt_rule_set().get("Metadata", {}).get("Name")
    except (ClientError, BotoCoreError):
        return None  # reported by `receiving`
    if active is None:
        return (
            f"No receipt rule set is active, so SES rejects all mail. An apply activates {own}. "
            f"{inspection.run('plan apply')}"
        )
    return rule_set(inspection)


def _has_rule_set(environment: Environment, name: str) -> bool:
    try:
        environment.client("ses").describe_receipt_rule_set(RuleSetName=name)
    except ClientError:
        return False
    return True


def _active_rule_set(inspection: Inspection) -> str | None:
    try:
        found = inspection.environment.client("ses").describe_active_receipt_rule_set()
    except (ClientError, BotoCoreError):
        return None  # reported by `receiving`
    name = found.get("Metadata", {}).get("Name")
    return str(name) if name else None


def sandbox(inspection: Inspection) -> str | None:
    environment = inspection.environment
    sesv2 = environment.client("sesv2")
    if sesv2.get_account().get("ProductionAccessEnabled"):
        return None
    addresses = environment.listed("sandbox_addresses")
    if not addresses:
        return (
            "SES is in its sandbox: replies reach verified addresses only. Request production access, or list test "
            f'addresses in {inspection.tfvars} (sandbox_addresses = ["you@example.org"]).\n'
            f"$ aws sesv2 put-account-details --region {environment.region} --production-access-enabled "
            f"--mail-type TRANSACTIONAL --website-url https://{environment.mail_domain} "
            '--use-case-description "Replies to emails that customers send to us"'
        )
    waiting = [address for address in addresses if not _is_verified(sesv2, address)]
    if not waiting:
        return None  # the sandbox is enough for these addresses
    asked = [address for address in waiting if _has_identity(sesv2, address)]
    if asked:
        return f"SES is in its sandbox. Follow the link in the mail that AWS sent to {', '.join(asked)}."
    return (
        f"SES is in its sandbox. An apply lets AWS send a mail with a link to {', '.join(waiting)}. "
        f"{inspection.run('plan apply')}"
    )


def _is_verified(sesv2: Any, address: str) -> bool:
    try:
        return bool(sesv2.get_email_identity(EmailIdentity=address).get("VerifiedForSendingStatus"))
    except ClientError:
        return False


def worker_quota(inspection: Inspection) -> str | None:
    environment = inspection.environment
    workers = environment.setting("max_workers")
    required = int(workers) * int(environment.setting("worker_cpu")) / 1024
    problems, commands = [], []
    for kind, code in FARGATE_QUOTAS.items():
        if kind == "Spot" and int(environment.setting("spot_weight")) == 0:
            continue
        allowed = _quota(environment, "fargate", code)
        if allowed < required:
            problems.append(f"{allowed:g} vCPUs {kind}")
            commands.append(_increase(environment, "fargate", code, required))
    if not problems:
        return None
    return "\n".join(
        [
            f"{workers} workers need {required:g} vCPUs; the quota is {', '.join(problems)}. Request a quota increase, "
            f"or set a smaller max_workers in {inspection.tfvars}.",
            *commands,
        ]
    )


def function_quota(inspection: Inspection) -> str | None:
    environment = inspection.environment
    limits = environment.client("lambda").get_account_settings()["AccountLimit"]
    allowed = int(limits["UnreservedConcurrentExecutions"])
    if allowed >= LAMBDA_CONCURRENCY:
        return None
    return (
        f"The account allows {allowed} concurrent Lambda executions; {LAMBDA_CONCURRENCY} are needed under load. Mails "
        "wait meanwhile. Request a quota increase.\n"
        + _increase(environment, "lambda", LAMBDA_QUOTA, ASKED_CONCURRENCY)
    )


def _quota(environment: Environment, service: str, code: str) -> float:
    quotas = environment.client("service-quotas")
    try:
        found = quotas.get_service_quota(ServiceCode=service, QuotaCode=code)
    except ClientError as error:
        if error.response["Error"]["Code"] != "NoSuchResourceException":
            raise
        found = quotas.get_aws_default_service_quota(ServiceCode=service, QuotaCode=code)
    return float(found["Quota"]["Value"])


def _increase(environment: Environment, service: str, code: str, value: float) -> str:
    return (
        f"$ aws service-quotas request-service-quota-increase --region {environment.region} "
        f"--service-code {service} --quota-code {code} --desired-value {value:g}"
    )


def cloudfront(inspection: Inspection) -> str | None:
    """AWS has no call that says whether an account is verified; an account with a distribution is."""
    if not inspection.has_cdn:
        return None
    client = inspection.environment.client("cloudfront", GLOBAL_REGION)
    if client.list_distributions()["DistributionList"].get("Quantity", 0):
        return None
    if _edge_function_is_left(inspection.environment):
        environment = inspection.environment
        return (
            f"The function {environment.edge_function} of an earlier deployment is left in {GLOBAL_REGION}, so an "
            f"apply cannot create it. AWS deletes its replicas some hours after make destroy.\n"
            f"$ make destroy ENV={environment.name}"
        )
    return (
        "This account has no distribution yet. AWS must verify a new account before it can have one: if an apply says "
        "'Your account must be verified', open a support case (Account and billing, CloudFront):\n"
        "https://support.console.aws.amazon.com/support/home#/case/create"
    )


def _edge_function_is_left(environment: Environment) -> bool:
    try:
        environment.client("lambda", GLOBAL_REGION).get_function(FunctionName=environment.edge_function)
    except ClientError:
        return False
    return True


def zone(inspection: Inspection) -> str | None:
    if not inspection.has_cdn:
        return None
    route53 = inspection.environment.client("route53", GLOBAL_REGION)
    if not inspection.has_zone:
        return _suggest_zone(inspection, route53)
    zone_id = inspection.environment.settings["sites_zone_id"]
    try:
        found = route53.get_hosted_zone(Id=zone_id)
    except ClientError:
        return f"The hosted zone {zone_id} (sites_zone_id) is not in this account. Set an id of this account, or none."
    name = str(found["HostedZone"]["Name"]).rstrip(".")
    outside = [domain for domain in inspection.domains if not f".{domain}".endswith(f".{name}")]
    if outside:
        return f"The hosted zone {name} (sites_zone_id) does not contain {', '.join(outside)}."
    servers = [server.rstrip(".") for server in found.get("DelegationSet", {}).get("NameServers", [])]
    answers = " ".join(inspection.lookup(name, "NS"))
    if any(server in answers for server in servers):
        return None
    return f"{name} is not delegated to its hosted zone. Add these NS records to its parent: {', '.join(servers)}."


def certificate_authority(inspection: Inspection) -> str | None:
    """A CAA record of a domain, or of the first of its parents that has one, must allow Amazon."""
    if not inspection.has_cdn:
        return None
    for domain in inspection.domains:
        labels = domain.split(".")
        for name in (".".join(labels[start:]) for start in range(len(labels) - 1)):
            records = inspection.lookup(name, "CAA")
            if records and not any("amazon" in one.lower() or "awstrust" in one.lower() for one in records):
                return (
                    f"The CAA records of {name} do not let AWS issue the certificate of *.{domain}. Add this record:\n"
                    f'{name} CAA 0 issue "amazon.com"'
                )
            if records:
                break
    return None


def _suggest_zone(inspection: Inspection, route53: Any) -> str | None:
    pages = route53.get_paginator("list_hosted_zones").paginate()
    for one in (zone for page in pages for zone in page["HostedZones"]):
        name = str(one["Name"]).rstrip(".")
        is_private = one.get("Config", {}).get("PrivateZone", False)
        if not is_private and all(f".{domain}".endswith(f".{name}") for domain in inspection.domains):
            zone_id = str(one["Id"]).rpartition("/")[2]
            return (
                f'The hosted zone {name} of this account contains both domains. Set sites_zone_id = "{zone_id}" in '
                f"{inspection.tfvars}: then one apply makes everything."
            )
    return None  # DNS is hosted elsewhere; `make apply` prints the records


ACCOUNT_CHECKS: dict[str, Check] = {
    "domains": own_domains,
    "mail domain": mail_domain,
    "names": names_in_use,
    "SES receives mail": receiving,
    "SES rule set": rule_set,
    "SES sandbox": sandbox,
    "function quota": function_quota,
    "worker quota": worker_quota,
    "CloudFront": cloudfront,
    "hosted zone": zone,
    "certificate authority": certificate_authority,
}
# A deployment works without these, for fewer recipients or less load.
ADVICE = frozenset({"SES sandbox", "function quota", "worker quota", "CloudFront", "hosted zone"})


def run_checks(checks: dict[str, Check], inspection: Inspection) -> dict[str, str | None]:
    """Problems by check. A check that fails is reported and does not stop the others."""
    found: dict[str, str | None] = {}
    for name, check in checks.items():
        try:
            found[name] = check(inspection)
        except (ClientError, BotoCoreError) as error:
            found[name] = f"The check failed: {error}"
    return found

"""Checks of sites, from the certificate to an answer of a host. Each names the next command."""

from __future__ import annotations

from typing import Any

from tools.account_checks import GLOBAL_REGION, Check, Inspection

LABEL = "doctor-check"  # a host below each domain; no project can have this name's page
SERVER_ERROR = 500
VERIFICATION = (
    "If the apply said 'Your account must be verified before you can add new CloudFront resources', open a support "
    "case (Account and billing, CloudFront):\nhttps://support.console.aws.amazon.com/support/home#/case/create"
)


def certificate(inspection: Inspection) -> str | None:
    if not inspection.has_cdn:
        return None
    found = _certificate(inspection)
    if found is None:
        return (
            f"There is no certificate for *.{inspection.domains[0]} in {GLOBAL_REGION}. {inspection.run('plan apply')}"
        )
    status = found["Status"]
    if status == "PENDING_VALIDATION":
        records = _missing_validations(inspection, found)
        missing = "\n".join(records) or "AWS has not seen them yet; this takes up to half an hour."
        return f"The certificate of the sites waits for its DNS records:\n{missing}"
    if status != "ISSUED":
        return f"The certificate of the sites has the status {status}. Delete it. {inspection.run('plan apply')}"
    if inspection.has_zone or inspection.environment.settings.get("sites_certificate_ready") == "true":
        return None
    return f"The certificate is issued. {_set(inspection, 'sites_certificate_ready')}"


def _certificate(inspection: Inspection) -> dict[str, Any] | None:
    """The issued certificate for our hosts, else one with another status."""
    acm = inspection.environment.client("acm", GLOBAL_REGION)
    pages = acm.get_paginator("list_certificates").paginate()
    arns = [
        one["CertificateArn"]
        for page in pages
        for one in page.get("CertificateSummaryList", [])
        if one["DomainName"] == f"*.{inspection.domains[0]}"
    ]
    found: list[dict[str, Any]] = [acm.describe_certificate(CertificateArn=arn)["Certificate"] for arn in arns]
    return min(found, key=lambda one: one["Status"] != "ISSUED", default=None)


def _missing_validations(inspection: Inspection, found: dict[str, Any]) -> list[str]:
    records = [one["ResourceRecord"] for one in found.get("DomainValidationOptions", []) if "ResourceRecord" in one]
    return [
        f"{record['Name']} {record['Type']} {record['Value']}"
        for record in records
        if not any(record["Value"].rstrip(".") in answer for answer in inspection.lookup(record["Name"], "CNAME"))
    ]


def _set(inspection: Inspection, name: str) -> str:
    return f"Set {name} = true in {inspection.tfvars}, and run: make plan apply ENV={inspection.environment.name}"


def distributions(inspection: Inspection) -> str | None:
    if not inspection.has_cdn:
        return None
    if certificate(inspection) is not None:
        return "They need the certificate first."
    found = _distributions(inspection)
    missing = [domain for domain in inspection.domains if f"*.{domain}" not in found]
    if missing:
        return (
            f"No distribution serves {', '.join(f'*.{domain}' for domain in missing)}. "
            f"{inspection.run('plan apply')}\n{VERIFICATION}"
        )
    waiting = [alias for alias, one in found.items() if one["Status"] != "Deployed"]
    return f"CloudFront still deploys {', '.join(sorted(waiting))}. This takes some minutes." if waiting else None


def _distributions(inspection: Inspection) -> dict[str, dict[str, Any]]:
    """Our distributions by alias."""
    client = inspection.environment.client("cloudfront", GLOBAL_REGION)
    pages = client.get_paginator("list_distributions").paginate()
    listed = [one for page in pages for one in page["DistributionList"].get("Items", [])]
    wanted = {f"*.{domain}" for domain in inspection.domains}
    return {alias: one for one in listed for alias in one.get("Aliases", {}).get("Items", []) if alias in wanted}


def hosts(inspection: Inspection) -> str | None:
    """A host below each domain resolves and answers."""
    if not inspection.has_cdn:
        return None
    found = _distributions(inspection)
    if certificate(inspection) is not None or len(found) < len(inspection.domains):
        return "They need the distributions first."
    missing, silent = [], []
    for domain in inspection.domains:
        host = f"{LABEL}.{domain}"
        if not (inspection.lookup(host, "A") or inspection.lookup(host, "CNAME")):
            missing.append(f"*.{domain} CNAME {found[f'*.{domain}']['DomainName']}")
        elif (status := inspection.fetch(f"https://{host}/")) is None or status >= SERVER_ERROR:
            silent.append(f"https://{host}/ ({'no answer' if status is None else status})")
    if missing:
        return "\n".join(["These DNS records are missing:", *missing])
    if silent:
        logs = f"{inspection.environment.prefix}-missing-pages"
        return f"These addresses do not work: {', '.join(silent)}. See the log groups of {logs}."
    if inspection.has_zone or inspection.environment.settings.get("sites_online") == "true":
        return None
    return f"The hosts answer, but replies do not link to them yet. {_set(inspection, 'sites_online')}"


SITE_CHECKS: dict[str, Check] = {
    "certificate of sites": certificate,
    "distributions": distributions,
    "hosts of sites": hosts,
}

"""What `make preflight` and `make doctor` print for a new, a half finished and a ready account.

`accounts/*.json` holds the answers of AWS, DNS and the hosts; `accounts/*.txt` the expected output. After a change of
the output: `WEBORDINARY_UPDATE=1 make test ARGS=tests/unit/tools/test_accounts.py`, and read the difference.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.tools.conftest import Answers, EnvironmentInMemory
from tools import account_checks, doctor, preflight
from tools.account_checks import ACCOUNT_CHECKS, Check, Inspection, run_checks
from tools.doctor import CHECKS, report
from tools.site_checks import SITE_CHECKS

ACCOUNTS = Path(__file__).with_name("accounts")
COMMANDS: dict[str, tuple[dict[str, Check], frozenset[str], Callable[[Inspection], str]]] = {
    "preflight": (ACCOUNT_CHECKS, account_checks.ADVICE, preflight.next_command),
    "doctor": (CHECKS, doctor.ADVICE, doctor.next_command),
}


def recorded(account: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ACCOUNTS / f"{account}.json").read_text(encoding="utf-8"))
    return found


def inspection_of(account: dict[str, Any]) -> Inspection:
    services = {
        service: Answers(
            **{call: one.removeprefix("raise ") if isinstance(one, str) else one for call, one in calls.items()}
        )
        for service, calls in account["answers"].items()
    }
    environment = EnvironmentInMemory(
        "dev",
        account["settings"],
        {"bucket": "acme-state", "key": "acme/terraform.tfstate"},
        account.get("lists", {}),
        stand_ins=services,
    )
    dns, pages = account["dns"], account["pages"]
    return Inspection(environment, lambda name, kind: dns.get(f"{name} {kind}", []), pages.get)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("account", ["new", "half_done", "ready"])
def test_output_for_an_account(account: str, command: str) -> None:
    checks, advice, next_command = COMMANDS[command]
    inspection = inspection_of(recorded(account))
    found = run_checks(checks, inspection)
    shown = report(found, advice, f"make {command} ENV=dev", next_command(inspection)) + "\n"

    expected = ACCOUNTS / f"{account}.{command}.txt"
    if os.environ.get("WEBORDINARY_UPDATE"):
        expected.write_text(shown, encoding="utf-8")
    assert shown == expected.read_text(encoding="utf-8")
    assert "The check failed" not in shown


def problems(account: dict[str, Any], checks: dict[str, Check]) -> dict[str, str]:
    return {name: problem for name, problem in run_checks(checks, inspection_of(account)).items() if problem}


def test_defaults_of_checks_are_those_of_terraform() -> None:
    account = recorded("ready")
    del account["settings"]["max_workers"]
    account["answers"]["service-quotas"]["get_service_quota"]["Quota"]["Value"] = 6.0

    # Ten workers, three of four on Spot.
    problem = problems(account, ACCOUNT_CHECKS)["worker quota"]
    assert "10 workers need 10 vCPUs" in problem
    assert "6 vCPUs on demand, 6 vCPUs Spot" in problem


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("PENDING_VALIDATION", "_1.sites.bakery.dev. CNAME _2.acm-validations.aws."),
        ("FAILED", "has the status FAILED"),
    ],
)
def test_certificate_that_is_not_issued_is_reported(status: str, words: str) -> None:
    account = recorded("ready")
    account["answers"]["acm"]["describe_certificate"]["Certificate"]["Status"] = status

    found = problems(account, SITE_CHECKS)
    assert list(found) == list(SITE_CHECKS)
    assert words in found["certificate of sites"]


def test_issued_certificate_without_a_zone_names_the_next_command() -> None:
    account = recorded("half_done")
    del account["settings"]["sites_certificate_ready"]

    problem = problems(account, SITE_CHECKS)["certificate of sites"]
    assert "Set sites_certificate_ready = true" in problem
    assert "make plan apply ENV=dev" in problem


def test_long_lists_of_an_account_are_read_to_their_end() -> None:
    account = recorded("ready")
    acm, cloudfront = account["answers"]["acm"], account["answers"]["cloudfront"]
    acm["list_certificates"] = [{"CertificateSummaryList": []}, acm["list_certificates"]]
    cloudfront["list_distributions"] = [{"DistributionList": {"Quantity": 1}}, cloudfront["list_distributions"]]

    assert problems(account, SITE_CHECKS) == {}


def test_issued_certificate_counts_among_others() -> None:
    account = recorded("ready")
    (issued,) = account["answers"]["acm"]["list_certificates"]["CertificateSummaryList"]
    expired = {**issued, "CertificateArn": "expired"}
    account["answers"]["acm"]["list_certificates"]["CertificateSummaryList"] = [expired, issued]
    described = account["answers"]["acm"]["describe_certificate"]["Certificate"]
    account["answers"]["acm"]["describe_certificate"] = lambda CertificateArn: {  # noqa: N803
        "Certificate": {**described, "Status": "EXPIRED"} if CertificateArn == "expired" else described
    }

    assert problems(account, SITE_CHECKS) == {}


def test_missing_distribution_explains_the_verification_of_accounts() -> None:
    account = recorded("ready")
    account["answers"]["cloudfront"]["list_distributions"] = {"DistributionList": {"Quantity": 0}}

    assert "must be verified" in problems(account, SITE_CHECKS)["distributions"]


@pytest.mark.parametrize(("status", "words"), [(502, "(502)"), (None, "no answer")])
def test_host_that_does_not_answer_is_reported(status: int | None, words: str) -> None:
    account = recorded("ready")
    account["pages"]["https://doctor-check.preview.bakery.dev/"] = status

    assert words in problems(account, SITE_CHECKS)["hosts of sites"]


def test_answering_hosts_without_links_name_the_next_command() -> None:
    account = recorded("half_done")
    ready = recorded("ready")
    account["dns"], account["pages"] = ready["dns"], ready["pages"]

    assert "Set sites_online = true" in problems(account, SITE_CHECKS)["hosts of sites"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"route53": {"get_hosted_zone": "NoSuchHostedZone"}}, "is not in this account"),
        ({"route53": {"get_hosted_zone": {"HostedZone": {"Name": "other.dev."}}}}, "does not contain"),
        (
            {
                "route53": {
                    "get_hosted_zone": {
                        "HostedZone": {"Name": "bakery.dev."},
                        "DelegationSet": {"NameServers": ["ns-9"]},
                    }
                }
            },
            "is not delegated",
        ),
    ],
    ids=["unknown", "elsewhere", "not delegated"],
)
def test_wrong_zone_is_reported(change: dict[str, Any], words: str) -> None:
    account = recorded("ready")
    account["answers"].update(change)

    assert words in problems(account, ACCOUNT_CHECKS)["hosted zone"]


def test_zone_of_the_account_is_suggested() -> None:
    account = recorded("new")
    zones = [{"Id": "/hostedzone/Z1", "Name": "bakery.dev."}]
    account["answers"]["route53"]["list_hosted_zones"] = [{"HostedZones": []}, {"HostedZones": zones}]

    assert 'Set sites_zone_id = "Z1"' in problems(account, ACCOUNT_CHECKS)["hosted zone"]


def test_left_over_edge_function_is_reported() -> None:
    account = recorded("new")
    account["answers"]["lambda"]["get_function"] = {}

    assert "make destroy ENV=dev" in problems(account, ACCOUNT_CHECKS)["CloudFront"]


def test_mailboxes_at_the_mail_domain_are_reported() -> None:
    account = recorded("new")
    account["dns"]["mail.bakery.dev MX"] = ["1 mx.mailboxes.example."]

    assert "MX 1 mx.mailboxes.example." in problems(account, ACCOUNT_CHECKS)["mail domain"]
    assert "mail domain" in problems(account, doctor.CHECKS)


def test_prefix_of_another_deployment_is_reported_before_the_first_apply() -> None:
    account = recorded("new")
    account["answers"]["iam"]["get_role"] = {}

    assert "Set another prefix" in problems(account, ACCOUNT_CHECKS)["names"]
    account["answers"]["s3"]["head_object"] = {}
    assert "names" not in problems(account, ACCOUNT_CHECKS)


def test_known_identities_are_reported_before_the_first_apply() -> None:
    account = recorded("new")
    account["lists"] = {"sandbox_addresses": ["ada@example.org"]}
    account["answers"]["sesv2"]["get_email_identity"] = {"VerifiedForSendingStatus": True}

    found = problems(account, ACCOUNT_CHECKS)["names"].splitlines()
    assert found[1:] == [
        f"$ aws sesv2 delete-email-identity --region eu-west-1 --email-identity {one}"
        for one in ("mail.bakery.dev", "ada@example.org")
    ]


def test_missing_rule_set_of_the_settings_is_reported() -> None:
    account = recorded("ready")
    account["settings"]["receipt_rule_set"] = "of-another-team"
    account["answers"]["ses"]["describe_receipt_rule_set"] = "RuleSetDoesNotExistException"

    assert "of-another-team (receipt_rule_set) does not exist" in problems(account, ACCOUNT_CHECKS)["SES rule set"]


@pytest.mark.parametrize(
    ("name", "value", "fails"),
    [
        ("bakery.dev", '0 issue "letsencrypt.org"', True),
        ("sites.bakery.dev", '0 issue "letsencrypt.org"', True),
        ("bakery.dev", '0 issue "amazonaws.com"', False),
    ],
)
def test_caa_record_without_amazon_is_reported(name: str, value: str, fails: bool) -> None:
    account = recorded("ready")
    account["dns"][f"{name} CAA"] = [value]

    found = problems(account, ACCOUNT_CHECKS)
    assert ("certificate authority" in found) is fails
    assert f'{name} CAA 0 issue "amazon.com"' in found.get("certificate authority", "") or not fails


def test_existing_sender_policy_is_extended() -> None:
    account = recorded("new")
    account["dns"]["mail.bakery.dev TXT"] = ['"v=spf1 include:mailboxes.example ~all"']

    problem = problems(account, doctor.CHECKS)["DNS for mail"]
    assert 'TXT "v=spf1 include:amazonses.com include:mailboxes.example ~all" (change it)' in problem


def test_sandbox_address_without_an_identity_needs_an_apply() -> None:
    account = recorded("half_done")
    account["answers"]["sesv2"]["get_email_identity"] = "NotFoundException"

    assert "make plan apply ENV=dev" in problems(account, ACCOUNT_CHECKS)["SES sandbox"]


def test_confirmed_sandbox_addresses_are_enough() -> None:
    account = recorded("half_done")
    account["answers"]["sesv2"]["get_email_identity"]["VerifiedForSendingStatus"] = True

    assert "SES sandbox" not in problems(account, doctor.CHECKS)

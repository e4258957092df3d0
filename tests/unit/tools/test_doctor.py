"""Each thing that an account may miss is found, and told with what to do about it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.tools.conftest import Answers, EnvironmentInMemory
from tools.bootstrap import bootstrap
from tools.doctor import CHECKS, KEY_USERS, Inspection, run_checks

DNS = {
    ("mail.example.com", "MX"): ["10 inbound-smtp.eu-west-1.amazonaws.com."],
    ("mail.example.com", "TXT"): ['"v=spf1 include:amazonses.com -all"'],
    ("_dmarc.mail.example.com", "TXT"): ['"v=DMARC1; p=reject"'],
    ("one._domainkey.mail.example.com", "CNAME"): ["one.dkim.amazonses.com."],
}
VERIFIED = {"VerifiedForSendingStatus": True, "DkimAttributes": {"Tokens": ["one"]}}


def healthy(environment: EnvironmentInMemory) -> Inspection:
    bootstrap(environment, lambda _: "key", lambda _: None)
    environment.client("ssm").put_parameter(Name="/acme/worker-image", Type="String", Value="image@sha256:1")
    environment.stand_ins.update(
        {
            "ses": Answers(describe_active_receipt_rule_set={"Metadata": {"Name": "acme-inbound"}}),
            "sesv2": Answers(get_account={"ProductionAccessEnabled": True}, get_email_identity=VERIFIED),
            "service-quotas": Answers(get_service_quota={"Quota": {"Value": 100.0}}),
            "lambda": Answers(get_account_settings={"AccountLimit": {"UnreservedConcurrentExecutions": 900}}),
        }
    )
    return Inspection(environment, lambda name, kind: DNS.get((name, kind), []))


def told(inspection: Inspection) -> dict[str, str]:
    return {name: problem for name, problem in run_checks(inspection).items() if problem is not None}


def test_nothing_is_missing_in_a_healthy_account(environment: EnvironmentInMemory) -> None:
    assert told(healthy(environment)) == {}


def test_an_empty_account_misses_everything_and_every_check_says_something(environment: EnvironmentInMemory) -> None:
    environment.stand_ins.update(
        {
            "sesv2": Answers(get_account={"ProductionAccessEnabled": False}, get_email_identity="NotFoundException"),
            "service-quotas": Answers(get_service_quota={"Quota": {"Value": 2.0}}),
            "lambda": Answers(get_account_settings={"AccountLimit": {"UnreservedConcurrentExecutions": 10}}),
        }
    )
    found = told(Inspection(environment, lambda _name, _kind: []))

    # Told by another check: signatures need an identity first, and SES does receive here. A key of one's own is a wish.
    assert set(found) == set(CHECKS) - {"DNS for signatures", "SES receives here", "key of your own"}


@pytest.mark.parametrize(
    ("service", "call", "answer", "check", "words"),
    [
        ("ses", "describe_active_receipt_rule_set", "InvalidAction", "SES receives here", "Choose a region"),
        ("ses", "describe_active_receipt_rule_set", {}, "active rule set", "mail is turned away"),
        (
            "ses",
            "describe_active_receipt_rule_set",
            {"Metadata": {"Name": "of-somebody-else"}},
            "active rule set",
            'receipt_rule_set = "of-somebody-else"',
        ),
        ("sesv2", "get_account", {"ProductionAccessEnabled": False}, "SES sandbox", "Ask AWS"),
        ("sesv2", "get_email_identity", "NotFoundException", "mail domain verified", "Run make apply"),
        ("sesv2", "get_email_identity", {"VerifiedForSendingStatus": False}, "mail domain verified", "DKIM"),
        (
            "sesv2",
            "get_email_identity",
            {**VERIFIED, "DkimAttributes": {"Tokens": ["two"]}},
            "DNS for signatures",
            "two._domainkey.mail.example.com CNAME two.dkim.amazonses.com",
        ),
        (
            "service-quotas",
            "get_service_quota",
            {"Quota": {"Value": 6.0}},
            "quota of workers",
            "10 workers want 10 vCPUs",
        ),
        ("service-quotas", "get_service_quota", "AccessDenied", "quota of workers", "could not be looked at"),
        (
            "lambda",
            "get_account_settings",
            {"AccountLimit": {"UnreservedConcurrentExecutions": 10}},
            "quota of functions",
            "10 functions at once",
        ),
    ],
)
def test_each_missing_thing_is_told_alone(
    environment: EnvironmentInMemory, service: str, call: str, answer: Any, check: str, words: str
) -> None:
    inspection = healthy(environment)
    environment.stand_ins[service].answers[call] = answer

    found = told(inspection)

    assert list(found) == [check]
    assert words in found[check]


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("mail.example.com", "MX", "mail.example.com MX 10 inbound-smtp.eu-west-1.amazonaws.com"),
        ("mail.example.com", "TXT", "v=spf1"),
        ("_dmarc.mail.example.com", "TXT", "_dmarc.mail.example.com"),
        ("one._domainkey.mail.example.com", "CNAME", "one._domainkey"),
    ],
)
def test_each_missing_record_is_told_as_it_has_to_be(
    environment: EnvironmentInMemory, name: str, kind: str, words: str
) -> None:
    without = {key: value for key, value in DNS.items() if key != (name, kind)}
    inspection = Inspection(healthy(environment).environment, lambda name, kind: without.get((name, kind), []))

    (problem,) = told(inspection).values()
    assert words in problem


def test_a_bucket_without_versions_is_told(environment: EnvironmentInMemory) -> None:
    inspection = healthy(environment)
    environment.client("s3").put_bucket_versioning(Bucket="acme-state", VersioningConfiguration={"Status": "Suspended"})

    assert list(told(inspection)) == ["state"]


@pytest.mark.parametrize("parameter", ["/acme/anthropic-api-key", "/acme/bootstrap/thread-secret"])
def test_a_missing_secret_is_told_by_its_name(environment: EnvironmentInMemory, parameter: str) -> None:
    inspection = healthy(environment)
    environment.client("ssm").delete_parameter(Name=parameter)

    assert parameter in told(inspection)["secrets"]


def test_an_image_that_was_not_pushed_is_told(environment: EnvironmentInMemory) -> None:
    inspection = healthy(environment)
    environment.client("ssm").delete_parameter(Name="/acme/worker-image")

    assert "make image push ENV=dev" in told(inspection)["image"]


@pytest.mark.parametrize(
    ("state", "services", "words"),
    [
        ("Disabled", KEY_USERS, "is Disabled"),
        ("Enabled", KEY_USERS[:-1], "does not name logs"),
        ("Enabled", KEY_USERS, None),
    ],
    ids=["disabled", "without the logs", "as it should be"],
)
def test_a_key_of_ones_own_is_looked_at(
    environment: EnvironmentInMemory, state: str, services: tuple[str, ...], words: str | None
) -> None:
    inspection = healthy(environment)
    environment.settings["kms_key_arn"] = "arn:aws:kms:eu-west-1:123456789012:key/1"
    policy = json.dumps([{"Service": f"{service}.amazonaws.com"} for service in services])
    environment.stand_ins["kms"] = Answers(
        describe_key={"KeyMetadata": {"KeyState": state}}, get_key_policy={"Policy": policy}
    )

    found = told(inspection).get("key of your own")

    assert (found is None) if words is None else (found is not None and words in found)


def test_a_key_of_ones_own_that_is_not_there_is_told(environment: EnvironmentInMemory) -> None:
    inspection = healthy(environment)
    environment.settings["kms_key_arn"] = "arn:aws:kms:eu-west-1:123456789012:key/1"
    environment.stand_ins["kms"] = Answers(describe_key="NotFoundException")

    assert "cannot be looked at" in told(inspection)["key of your own"]

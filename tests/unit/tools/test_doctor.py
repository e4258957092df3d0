"""`make doctor` finds each missing resource and says how to fix it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, NoCredentialsError

from tests.unit.tools.conftest import Answers, EnvironmentInMemory
from tools.account_checks import Inspection, run_checks
from tools.bootstrap import bootstrap
from tools.doctor import CHECKS, KEY_USERS, NEEDS_IDENTITY
from tools.environment import Environment, UnknownEnvironmentError
from tools.errors import SetupError
from tools.site_checks import SITE_CHECKS
from webordinary.contract.names import Names
from webordinary_ops.stored_credentials import StoredCredentials

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


def problems_of(inspection: Inspection) -> dict[str, str]:
    return {name: problem for name, problem in run_checks(CHECKS, inspection).items() if problem is not None}


def test_healthy_account_has_no_problems(environment: EnvironmentInMemory) -> None:
    assert problems_of(healthy(environment)) == {}


def test_empty_account_fails_every_applicable_check(environment: EnvironmentInMemory) -> None:
    environment.stand_ins.update(
        {
            "sesv2": Answers(get_account={"ProductionAccessEnabled": False}, get_email_identity="NotFoundException"),
            "service-quotas": Answers(get_service_quota={"Quota": {"Value": 2.0}}),
            "lambda": Answers(get_account_settings={"AccountLimit": {"UnreservedConcurrentExecutions": 10}}),
        }
    )
    found = problems_of(Inspection(environment, lambda _name, _kind: []))

    # SES receives mail in this region, and no other mail server does; key, budget and Bedrock are optional.
    optional = {
        "mail domain",
        "budget",
        "SES receives mail",
        "customer-managed key",
        "hosted zone",
        "model access",
        *SITE_CHECKS,
    }
    assert set(found) == set(CHECKS) - optional


@pytest.mark.parametrize(
    ("service", "call", "answer", "check", "words"),
    [
        ("ses", "describe_active_receipt_rule_set", "InvalidAction", "SES receives mail", "Choose another region"),
        ("ses", "describe_active_receipt_rule_set", {}, "SES rule set", "SES rejects all mail"),
        (
            "ses",
            "describe_active_receipt_rule_set",
            {"Metadata": {"Name": "other-system"}},
            "SES rule set",
            'receipt_rule_set = "other-system"',
        ),
        ("sesv2", "get_account", {"ProductionAccessEnabled": False}, "SES sandbox", "Request production access"),
        ("sesv2", "get_email_identity", "NotFoundException", "mail domain verified", "make plan apply ENV=dev"),
        ("sesv2", "get_email_identity", {"VerifiedForSendingStatus": False}, "mail domain verified", "DKIM"),
        (
            "sesv2",
            "get_email_identity",
            {**VERIFIED, "DkimAttributes": {"Tokens": ["two"]}},
            "DNS for DKIM",
            "two._domainkey.mail.example.com CNAME two.dkim.amazonses.com",
        ),
        (
            "service-quotas",
            "get_service_quota",
            {"Quota": {"Value": 6.0}},
            "worker quota",
            "10 workers need 10 vCPUs",
        ),
        ("service-quotas", "get_service_quota", "AccessDenied", "worker quota", "The check failed"),
        (
            "lambda",
            "get_account_settings",
            {"AccountLimit": {"UnreservedConcurrentExecutions": 10}},
            "function quota",
            "10 concurrent Lambda executions",
        ),
    ],
)
def test_single_problem_is_reported_alone(
    environment: EnvironmentInMemory, service: str, call: str, answer: Any, check: str, words: str
) -> None:
    inspection = healthy(environment)
    environment.stand_ins[service].answers[call] = answer

    found = problems_of(inspection)

    # The first failure decides; what needs the identity says so.
    assert [name for name, problem in found.items() if problem != NEEDS_IDENTITY] == [check]
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
def test_missing_dns_record_is_reported_exactly(
    environment: EnvironmentInMemory, name: str, kind: str, words: str
) -> None:
    without = {key: value for key, value in DNS.items() if key != (name, kind)}
    inspection = Inspection(healthy(environment).environment, lambda name, kind: without.get((name, kind), []))

    (problem,) = problems_of(inspection).values()
    assert words in problem


def test_state_bucket_without_versioning_is_reported(environment: EnvironmentInMemory) -> None:
    inspection = healthy(environment)
    environment.client("s3").put_bucket_versioning(Bucket="acme-state", VersioningConfiguration={"Status": "Suspended"})

    assert list(problems_of(inspection)) == ["Terraform state"]


@pytest.mark.parametrize("parameter", ["/acme/anthropic-api-key", "/acme/bootstrap/thread-secret"])
def test_missing_secret_is_reported_by_name(environment: EnvironmentInMemory, parameter: str) -> None:
    inspection = healthy(environment)
    environment.client("ssm").delete_parameter(Name=parameter)

    assert parameter in problems_of(inspection)["secrets"]


def test_secret_is_found_among_many_parameters(environment: EnvironmentInMemory) -> None:
    """A page of DescribeParameters may be empty although a later one has the parameter."""
    pages = [{"Parameters": [], "NextToken": "1"}, {"Parameters": [{"Name": "/a"}]}]
    ssm = Answers(describe_parameters=pages, get_parameters={"Parameters": [{"Name": "/a"}]})

    assert replace(environment, stand_ins={"ssm": ssm}).has_parameter("/a")
    assert StoredCredentials(cast(Any, ssm), Names("acme", "123456789012")).is_stored("bakery")


def test_missing_image_is_reported(environment: EnvironmentInMemory) -> None:
    inspection = healthy(environment)
    environment.client("ssm").delete_parameter(Name="/acme/worker-image")

    assert "make image push ENV=dev" in problems_of(inspection)["worker image"]


@pytest.mark.parametrize(
    ("state", "services", "words"),
    [
        ("Disabled", KEY_USERS, "is Disabled"),
        ("Enabled", KEY_USERS[:-1], "does not allow logs"),
        ("Enabled", KEY_USERS, None),
    ],
    ids=["disabled", "without logs", "valid"],
)
def test_customer_managed_key_is_checked(
    environment: EnvironmentInMemory, state: str, services: tuple[str, ...], words: str | None
) -> None:
    inspection = healthy(environment)
    environment.settings["kms_key_arn"] = "arn:aws:kms:eu-west-1:123456789012:key/1"
    policy = json.dumps([{"Service": f"{service}.amazonaws.com"} for service in services])
    environment.stand_ins["kms"] = Answers(
        describe_key={"KeyMetadata": {"KeyState": state}}, get_key_policy={"Policy": policy}
    )

    found = problems_of(inspection).get("customer-managed key")

    assert (found is None) if words is None else (found is not None and words in found)


def test_missing_customer_managed_key_is_reported(environment: EnvironmentInMemory) -> None:
    inspection = healthy(environment)
    environment.settings["kms_key_arn"] = "arn:aws:kms:eu-west-1:123456789012:key/1"
    environment.stand_ins["kms"] = Answers(describe_key="NotFoundException")

    assert "cannot be read" in problems_of(inspection)["customer-managed key"]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"CostAllocationTags": []}, "aws ce update-cost-allocation-tags-status"),
        ({"CostAllocationTags": [{"TagKey": "Application"}]}, None),
        ("AccessDeniedException", "management account"),
    ],
    ids=["inactive", "active", "member account"],
)
def test_budget_needs_an_active_tag(environment: EnvironmentInMemory, answer: Any, words: str | None) -> None:
    inspection = healthy(environment)
    environment.settings["monthly_budget_dollars"] = "100"
    environment.stand_ins["ce"] = Answers(list_cost_allocation_tags=answer)

    found = problems_of(inspection).get("budget")

    assert (found is None) if words is None else (found is not None and words in found)


OPEN = {"agreementAvailability": {"status": "AVAILABLE"}, "authorizationStatus": "AUTHORIZED"}


def on_bedrock(environment: EnvironmentInMemory, **answers: Any) -> dict[str, str]:
    inspection = healthy(environment)
    environment.settings["model_provider"] = "bedrock"
    environment.client("ssm").delete_parameter(Name="/acme/anthropic-api-key")
    given = {"get_inference_profile": {}, "get_foundation_model_availability": OPEN, **answers}
    environment.stand_ins["bedrock"] = Answers(**given)
    return problems_of(inspection)


def test_account_with_model_access_needs_no_key(environment: EnvironmentInMemory) -> None:
    assert on_bedrock(environment) == {}


@pytest.mark.parametrize(
    ("call", "answer", "words"),
    [
        ("get_inference_profile", "ResourceNotFoundException", "no inference profile eu.anthropic.claude-opus-5-5"),
        ("get_inference_profile", "AccessDeniedException", "The check failed"),
        (
            "get_foundation_model_availability",
            {**OPEN, "agreementAvailability": {"status": "NOT_AVAILABLE"}},
            "https://eu-west-1.console.aws.amazon.com/bedrock",
        ),
        ("get_foundation_model_availability", {**OPEN, "authorizationStatus": "NOT_AUTHORIZED"}, "use case form"),
    ],
)
def test_missing_model_access_is_reported_with_the_step(
    environment: EnvironmentInMemory, call: str, answer: Any, words: str
) -> None:
    found = on_bedrock(environment, **{call: answer})

    assert list(found) == ["model access"]
    assert words in found["model access"]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (NoCredentialsError(), "No AWS credentials were found; nothing was done for dev. Sign in (aws sso login)"),
        (ClientError({"Error": {"Code": "ExpiredToken", "Message": "expired"}}, "GetCallerIdentity"), "Sign in"),
        (EndpointConnectionError(endpoint_url="https://sts.eu-west-1.amazonaws.com/"), "AWS cannot be reached"),
    ],
    ids=["no credentials", "expired", "no network"],
)
def test_account_that_cannot_be_read_names_the_next_step(
    error: Exception, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing:
        def get_caller_identity(self) -> None:
            raise error

    monkeypatch.setattr(Environment, "client", lambda *_: Failing())

    with pytest.raises(SetupError, match=re.escape(words)):
        Environment("dev", {"region": "eu-west-1"}, {}).account()


def test_local_environment_has_no_account() -> None:
    with pytest.raises(UnknownEnvironmentError, match="one of: dev, prod"):
        Environment.load("local")


def test_environment_without_one_of_its_files_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "dev.s3.tfbackend").touch()

    with pytest.raises(SetupError, match=re.escape("git checkout -- terraform/environments/dev.tfvars")):
        Environment.load("dev", tmp_path)
    with pytest.raises(SetupError, match="Set ENV to one of: dev, prod"):
        Environment.load("staging", tmp_path)

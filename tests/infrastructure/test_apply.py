"""An apply of the local environment creates the resources that Python expects."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.applied import AppliedStack
from webordinary.aws.queue_provisioning import PairQueues
from webordinary.contract.messages.base import Pair
from webordinary.contract.names import Names
from webordinary.contract.settings import (
    BrokerSettings,
    IntakeSettings,
    ParseEmailSettings,
    ReplySettings,
    ReportSettings,
    Settings,
    SweepSettings,
)
from webordinary.contract.values import contract
from webordinary.tables.project_entries import ProjectEntries, ProjectEntry
from webordinary.tables.projects import ProjectConfigs

NAMES = Names("webordinary", "123456789012")
ADA, BOB = Pair(project="bakery", user="ada"), Pair(project="garden", user="bob")
SHARED_QUEUES = [key for key, template in contract()["queues"].items() if "${project}" not in template]
SETTINGS: dict[str, type[Settings]] = {
    "broker": BrokerSettings,
    "intake": IntakeSettings,
    "parse_email": ParseEmailSettings,
    "reply": ReplySettings,
    "relay_callback": ReportSettings,
    "sweep": SweepSettings,
}


def environment_of(applied: AppliedStack, function: str) -> dict[str, str]:
    answer = applied.client("lambda").get_function_configuration(FunctionName=NAMES.function(function))
    return dict(answer["Environment"]["Variables"])


def attributes_of(applied: AppliedStack, name: str) -> dict[str, str]:
    sqs = applied.client("sqs")
    url = sqs.get_queue_url(QueueName=name)["QueueUrl"]
    return dict(sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"])


def test_second_plan_has_no_changes(applied: AppliedStack) -> None:
    assert applied.changes(package_dir=str(applied.workspace.state_dir / "packages")) == []  # type: ignore[operator]


def test_thread_secret_is_not_in_the_state(applied: AppliedStack) -> None:
    assert applied.workspace.state_dir is not None
    state = (applied.workspace.state_dir / "terraform.tfstate").read_text(encoding="utf-8")
    parameter = applied.client("ssm").get_parameter(
        Name=applied.outputs["thread_secret_parameter"], WithDecryption=True
    )["Parameter"]

    assert len(parameter["Value"]) >= 32
    assert applied.outputs["thread_secret_parameter"] in state
    assert parameter["Value"] not in state


def test_relay_and_sweep_get_the_worker_role_id_if_enabled(applied: AppliedStack) -> None:
    packages = str(applied.workspace.state_dir / "packages")  # type: ignore[operator]

    changed = applied.changes(package_dir=packages, compare_report_senders=True)

    assert changed == [
        "aws_ssm_parameter.release",
        'module.functions.aws_lambda_alias.live["relay_callback"]',
        'module.functions.aws_lambda_alias.live["sweep"]',
        'module.functions.aws_lambda_function.this["relay_callback"]',
        'module.functions.aws_lambda_function.this["sweep"]',
    ]


@pytest.mark.parametrize("key", SHARED_QUEUES)
def test_shared_queue_has_the_name_of_the_contract(applied: AppliedStack, key: str) -> None:
    assert attributes_of(applied, NAMES.queue(key))["SqsManagedSseEnabled"] == "true"


def test_failing_job_of_new_pair_moves_to_the_dead_letter_queue(applied: AppliedStack) -> None:
    pair = Pair(project="museum", user="eve")
    PairQueues(applied.client("sqs"), NAMES, Settings.load(environment_of(applied, "dispatch")).timing).ensure(pair)

    made = attributes_of(applied, NAMES.queue("input", pair))

    assert made["SqsManagedSseEnabled"] == "true"
    assert json.loads(made["RedrivePolicy"]) == {
        "deadLetterTargetArn": attributes_of(applied, NAMES.queue("input_dead_letters"))["QueueArn"],
        "maxReceiveCount": contract()["limits"]["attempts_before_dead_letter"],
    }


@pytest.mark.parametrize("key", contract()["tables"])
def test_table_has_the_name_of_the_contract(applied: AppliedStack, key: str) -> None:
    table = applied.client("dynamodb").describe_table(TableName=NAMES.table(key))["Table"]

    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"


def test_open_jobs_index_returns_oldest_first(applied: AppliedStack) -> None:
    table = applied.client("dynamodb").describe_table(TableName=NAMES.table("jobs"))["Table"]
    keys = {index["IndexName"]: index["KeySchema"] for index in table["GlobalSecondaryIndexes"]}

    assert keys[NAMES.index("open_jobs")] == [
        {"AttributeName": "open", "KeyType": "HASH"},
        {"AttributeName": "receivedAt", "KeyType": "RANGE"},
    ]


@pytest.mark.parametrize("function", contract()["functions"])
def test_function_environment_holds_its_settings(applied: AppliedStack, function: str) -> None:
    settings = SETTINGS.get(function, Settings).load(environment_of(applied, function))

    assert settings.timing.lease_seconds == 9


def test_intake_refers_to_the_state_machine(applied: AppliedStack) -> None:
    settings = IntakeSettings.load(environment_of(applied, "intake"))

    assert settings.state_machine_arn == f"{applied.outputs['state_machine_arn']}:{NAMES.alias}"


def test_state_machine_uses_the_environments_timing(applied: AppliedStack) -> None:
    machine = applied.outputs["state_machine_arn"]
    definition = applied.client("stepfunctions").describe_state_machine(stateMachineArn=machine)["definition"]
    heartbeats = [state["HeartbeatSeconds"] for state in _states(json.loads(definition)) if "HeartbeatSeconds" in state]

    assert heartbeats == [60]


def _states(part: Any) -> list[dict[str, Any]]:
    if isinstance(part, list):
        return [state for inner in part for state in _states(inner)]
    if not isinstance(part, dict):
        return []
    return [part, *(state for inner in part.values() for state in _states(inner))]


@pytest.mark.parametrize(("function", "queue"), [("intake", "email"), ("relay_callback", "output")])
def test_event_source_mapping_reports_batch_item_failures(applied: AppliedStack, function: str, queue: str) -> None:
    mappings = applied.client("lambda").list_event_source_mappings()["EventSourceMappings"]

    assert [
        (mapping["EventSourceArn"].rpartition(":")[2], mapping["FunctionResponseTypes"])
        for mapping in mappings
        if mapping["FunctionArn"].endswith(f":{NAMES.live_function(function)}")
    ] == [(NAMES.queue(queue), ["ReportBatchItemFailures"])]


def test_stored_mail_notifies_the_email_queue(applied: AppliedStack) -> None:
    answer = applied.client("s3").get_bucket_notification_configuration(Bucket=NAMES.bucket("raw_mail"))
    rules = [
        (queue["QueueArn"].rpartition(":")[2], rule["Value"])
        for queue in answer["QueueConfigurations"]
        for rule in queue["Filter"]["Key"]["FilterRules"]
    ]

    assert rules == [(NAMES.queue("email"), contract()["prefixes"]["raw_mail"])]


def test_receipt_rule_stores_mail_in_the_raw_mail_bucket(applied: AppliedStack) -> None:
    rule = applied.client("ses").describe_active_receipt_rule_set()["Rules"][0]

    assert (rule["Recipients"], rule["Actions"][0]["S3Action"]["BucketName"]) == (
        [applied.outputs["mail_domain"]],
        NAMES.bucket("raw_mail"),
    )


def test_sender_lookup_ignores_case(applied: AppliedStack) -> None:
    configs = ProjectConfigs(applied.client("dynamodb"), NAMES)

    assert configs.pairs_of_sender("Ada@Example.com") == [ADA]


def test_project_entry_round_trips(applied: AppliedStack) -> None:
    project = ProjectConfigs(applied.client("dynamodb"), NAMES).project("garden")

    assert (project.domain, project.preview_url, project.interrupts, project.users) == (
        "garden.example.org",
        "https://${thread}--garden.preview.mail.example.com/",
        "same-thread",
        ("bob",),
    )


def test_sites_bucket_blocks_public_access(applied: AppliedStack) -> None:
    answer = applied.client("s3").get_public_access_block(Bucket=NAMES.bucket("sites"))

    assert set(answer["PublicAccessBlockConfiguration"].values()) == {True}


def test_new_project_changes_no_terraform_resource(applied: AppliedStack) -> None:
    client = applied.client("dynamodb")
    entry = ProjectEntry.read(
        {
            "projectId": "museum",
            "domain": "museum.example.net",
            "repository": "https://git.example.com/museum.git",
            "previewUrl": "https://museum.example.net",
            "people": {"eve": {"addresses": ["eve@example.net"]}},
        }
    )
    entries = ProjectEntries(client, NAMES)
    added = entries.add(entry)
    try:
        assert applied.changes(package_dir=str(applied.workspace.state_dir / "packages")) == []  # type: ignore[operator]
    finally:
        entries.remove(added)

"""Every function runs with its sample event, in the AWS runtime client, against the applied Terraform."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from local.aws import EmulatedAws
from local.emulator.functions import Invocation
from local.invoke import invoke, main
from tests.integration.emulator.support import eventually
from tests.support.applied import AppliedStack
from tools.package import FUNCTIONS
from webordinary.contract.messages.mail import Attachment
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.ownership import OwnershipAnswer, RequestDecision, RequestVerdict
from webordinary.contract.messages.parse import ParseResult
from webordinary.contract.messages.reply import PictureResult, ReplyReceipt
from webordinary.contract.names import Names
from webordinary.contract.outcomes import Result
from webordinary.steps.fleet import FleetResult
from webordinary.steps.sweep.sweep import SweepResult

NAMES = Names("webordinary", "123456789012")

Run = Callable[[str], Invocation]


@pytest.fixture(scope="module")
def aws(applied: AppliedStack) -> EmulatedAws:
    return EmulatedAws(applied.emulator.endpoint)


@pytest.fixture(scope="module")
def run(aws: EmulatedAws) -> Run:
    return lambda name: invoke(name, FUNCTIONS / name / "event.json", aws)


def result_of(invocation: Invocation) -> Any:
    assert invocation.error is None, invocation.log_text
    return invocation.result


def _dispatched(client: Any, execution: str) -> bool | None:
    history = client.get_execution_history(executionArn=execution, reverseOrder=True, maxResults=100)["events"]
    return any(event.get("stateEnteredEventDetails", {}).get("name") == "Dispatch" for event in history) or None


def test_every_function_has_a_sample_event() -> None:
    functions = {handler.parent.name for handler in FUNCTIONS.glob("*/handler.py")}

    assert {event.parent.name for event in FUNCTIONS.glob("*/event.json")} == functions


def test_intake_starts_the_execution_of_a_stored_mail(run: Run, aws: EmulatedAws) -> None:
    assert result_of(run("intake")) == {"batchItemFailures": []}

    client = aws.client("stepfunctions")
    (machine,) = client.list_state_machines()["stateMachines"]
    (execution,) = client.list_executions(stateMachineArn=machine["stateMachineArn"])["executions"]
    assert execution["name"] == "sample-mail"
    # The execution requests a worker itself, so the next tests start when it waits for its token.
    eventually(lambda: _dispatched(client, execution["executionArn"]), limit=120)


def test_parse_email_returns_a_job_for_the_sample_mail(run: Run) -> None:
    parsed = ParseResult.read(result_of(run("parse_email")))

    assert parsed.job is not None
    assert parsed.job.pair.key == "bakery#ada"
    assert [part.name for part in parsed.attachment_parts] == ["shop.png"]


def test_process_attachment_stores_the_sample_picture(run: Run, aws: EmulatedAws) -> None:
    result_of(run("parse_email"))  # stores the attachments

    attachment = Attachment.read(result_of(run("process_attachment")))

    assert attachment.key is not None
    stored = aws.client("s3").head_object(Bucket=NAMES.bucket("media"), Key=attachment.key)
    assert stored["ContentType"] == "image/webp"


def test_check_ownership_finds_no_owner(run: Run) -> None:
    assert OwnershipAnswer.read(result_of(run("check_ownership"))).owned is False


def test_claim_requests_a_worker(run: Run, aws: EmulatedAws) -> None:
    # Other tests may have requested a worker for the same pair.
    table, key = NAMES.table("worker_requests"), {"projectKey": {"S": "bakery#ada"}}
    aws.client("dynamodb").delete_item(TableName=table, Key=key)

    decision = RequestDecision.read(result_of(run("claim")))

    assert (decision.verdict, decision.attempts) == (RequestVerdict.SENT, 1)


def test_control_returns_the_status(run: Run) -> None:
    assert Outcome.read(result_of(run("control"))).result == Result.STATUS


def test_dispatch_queues_the_job(run: Run, aws: EmulatedAws) -> None:
    assert result_of(run("dispatch")) == {"jobId": "sample-mail"}

    queue = aws.client("sqs").get_queue_url(QueueName="webordinary-input-bakery-ada.fifo")["QueueUrl"]
    (message,) = aws.client("sqs").receive_message(QueueUrl=queue)["Messages"]
    assert json.loads(message["Body"])["jobId"] == "sample-mail"


def test_picture_takes_screenshots_of_live_site_and_preview(run: Run, aws: EmulatedAws) -> None:
    page = "<!doctype html><body style='background:{}'><h1>Bakery</h1>"
    for key, colour in (("live", "white"), ("preview/abcdefghijklmnopqrstuvwxyz", "tan")):
        aws.client("s3").put_object(
            Bucket=NAMES.bucket("sites"),
            Key=f"bakery/{key}/index.html",
            Body=page.format(colour).encode(),
            ContentType="text/html",
        )

    taken = PictureResult.read(result_of(run("picture")))

    assert (taken.before, taken.after) == (True, True)
    stored = aws.client("s3").head_object(Bucket=NAMES.bucket("media"), Key="pictures/bakery/ada/sample-mail/after.jpg")
    assert stored["ContentType"] == "image/jpeg"


def test_fleet_reports_no_missing_slot(run: Run) -> None:
    assert FleetResult.read(result_of(run("fleet"))).missing == 0


def test_broker_rejects_a_task_that_the_fleet_did_not_start(run: Run) -> None:
    answer = result_of(run("broker"))

    assert (answer["statusCode"], json.loads(answer["body"])["registered"]) == (200, False)


def test_relay_callback_drops_a_stale_report(run: Run) -> None:
    invocation = run("relay_callback")

    assert result_of(invocation) == {"batchItemFailures": []}
    assert "Dropped a message" in invocation.logs or "nothing was changed" in invocation.logs


def test_reply_sends_one_mail_however_often_it_runs(run: Run) -> None:
    first, second = (ReplyReceipt.read(result_of(run("reply"))) for _ in range(2))

    assert second.duplicate
    assert second.message_id == first.message_id


def test_sweep_checks_all_jobs(run: Run) -> None:
    assert SweepResult.read(result_of(run("sweep"))).complete


def test_invalid_event_is_rejected_with_the_field_name(aws: EmulatedAws, tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"pair": {"project": "Bakery!", "user": "ada"}, "jobId": "one"}))

    invocation = invoke("claim", event, aws)

    assert invocation.error is not None
    assert invocation.error.type == "InvalidMessageError"
    assert "'pair.project'" in invocation.error.message


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["no_such_function"], "Unknown function 'no_such_function'"),
        (["claim", "no-such-file.json"], "no-such-file.json is not valid JSON"),
    ],
)
def test_wrong_arguments_of_make_invoke_show_usage(
    arguments: list[str], sentence: str, aws: EmulatedAws, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "--endpoint", aws.endpoint]) == 1
    assert sentence in capsys.readouterr().err

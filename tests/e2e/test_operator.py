"""The operator's command against the whole system, called as from a terminal."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from local.model.steps import ScriptedStep
from local.runtime.events import milestone
from local.stack.stack import Stack
from tests.e2e.conftest import ADA, BOB, TIMEOUT_SECONDS, MailSender
from tests.e2e.scenarios import HANG_SECONDS
from tests.support.model_client import StandInClient
from webordinary.repositories.github_app import AppRefusal, GithubApp
from webordinary_ops.connection import FILE, RUN, RUNS
from webordinary_ops.stored_credentials import StoredCredentials

COMMAND = Path(__file__).resolve().parents[2] / "ops/webordinary"


def webordinary(*arguments: str) -> Any:
    return json.loads(output_of("--json", *arguments))


def output_of(*arguments: str) -> str:
    """Runs the operator's command on the stack of this process; other processes of the session may run stacks too."""
    files = {json.loads(file.read_text())["pid"]: file for file in RUNS.glob(f"run-*/{FILE}")}
    result = subprocess.run(
        [COMMAND, "--yes", *arguments],
        env={**os.environ, RUN: str(files[os.getpid()].parent)},
        capture_output=True,
        text=True,
        check=False,
        timeout=2 * TIMEOUT_SECONDS,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def send(text: str, sender: str) -> Any:
    """Sends a mail with the command and waits for its reply."""
    return webordinary("send", text, "--from", sender, "--wait", f"{TIMEOUT_SECONDS:.0f}")


@pytest.fixture
def sent(stack: Stack) -> Any:
    """A mail that the command sent and that got a reply. Its change can be repeated."""
    return send('Please add "Rolls from six" to the home page.', ADA)


def test_sent_mail_gets_a_reply_and_show_lists_its_steps(sent: Any) -> None:
    assert (sent["state"], sent["answer"] is not None) == ("done", True)

    shown = webordinary("show", sent["job"])
    steps = [step["step"] for step in shown["steps"]]
    assert steps.index("ParseEmail") < steps.index("Dispatch") < steps.index("Reply")
    assert shown["commit"]
    assert sent["job"] in [row["job"] for row in webordinary("jobs", "--all", "--project", "bakery")]
    assert webordinary("status")["projects"] >= 2


def test_replay_runs_the_job_without_a_second_reply(stack: Stack, mail_sender: MailSender, sent: Any) -> None:
    replayed = webordinary("replay", sent["job"])
    stack.events.wait_for(milestone("job_settled", job_id=replayed["job"]), TIMEOUT_SECONDS)

    shown = webordinary("show", replayed["job"])
    assert (shown["state"], shown["thread"]) == ("done", webordinary("show", sent["job"])["thread"])
    assert "answer" not in shown
    assert len(stack.mailbox.replies_to(sent["messageId"])) == 1


def test_costs_of_a_mail_are_in_the_csv(sent: Any) -> None:
    shown = webordinary("show", sent["job"])
    assert shown["dollars"] > 0

    rows = list(csv.DictReader(io.StringIO(output_of("costs", "--csv"))))

    (ada,) = [row for row in rows if (row["project"], row["user"]) == ("bakery", "ada")]
    assert int(ada["mails"]) >= 1
    assert float(ada["model_dollars"]) + 0.0001 >= shown["dollars"]
    assert float(ada["worker_minutes"]) > 0
    assert float(ada["dollars"]) > float(ada["aws_dollars"]) > 0
    by_json = {(row["project"], row["user"]): row["mails"] for row in webordinary("costs")}
    assert by_json["bakery", "ada"] == int(ada["mails"])


@pytest.fixture
def museum(stack: Stack) -> Iterator[str]:
    """A project that is added at run time; removed afterwards if it still exists."""
    webordinary(
        "projects",
        "add",
        "museum",
        "--domain=museum.example.net",
        f"--repository={stack.remotes['garden'].url}",
        "--person=mona=mona@example.net",
    )
    yield "museum"
    if "museum" in [row["project"] for row in webordinary("projects", "list")]:
        webordinary("projects", "remove", "museum")


def test_new_project_can_be_edited_and_removed_completely(stack: Stack, museum: str) -> None:
    sent = send('Please change "8 am to noon" to "never".', "mona@example.net")
    assert sent["state"] == "done"

    removed = webordinary("projects", "remove", museum)

    assert removed["deleted"]["mona"]["jobs"] == 1
    assert [row for row in webordinary("jobs", "--all") if row["pair"] == "museum#mona"] == []
    queues = stack.emulated.client("sqs").list_queues(QueueNamePrefix="webordinary-input-museum")
    assert "QueueUrls" not in queues


@pytest.fixture
def gallery(stack: Stack) -> Iterator[str]:
    """A project whose GitHub App has an invalid key, so that no token can be created."""
    repository = "https://127.0.0.1:9/gallery/site.git"
    person = "--person=gina=gina@example.net"
    webordinary("projects", "add", "gallery", "--domain=gallery.example.net", f"--repository={repository}", person)
    app = GithubApp(app_id="4711", installation_id="815", private_key="no key")
    StoredCredentials(stack.emulated.client("ssm"), stack.names).store_app("gallery", app)
    yield "gallery"
    webordinary("projects", "remove", "gallery")


@pytest.mark.usefixtures("gallery")
def test_invalid_github_app_key_is_logged_and_the_reply_hides_it(stack: Stack, mail_sender: MailSender) -> None:
    """The worker learns of it from the broker, which alone reads the key."""
    sent = mail_sender.send("gina@example.net", 'Please change "8 am to noon" to "never".')

    assert "It's not your fault" in sent.wait_for_reply().text
    refused = stack.events.wait_for(lambda event: event.milestone == "repository_refused", TIMEOUT_SECONDS)
    assert refused.fields["why"] == AppRefusal.NO_KEY


def test_erase_removes_every_trace_of_a_person(stack: Stack, museum: str) -> None:
    sent = send('Please change "8 am to noon" to "never".', "mona@example.net")

    report = webordinary("erase", "mona@example.net")

    assert report["deleted"]["museum#mona"]["jobs"] == 1
    s3 = stack.emulated.client("s3")
    for bucket in [one["Name"] for one in s3.list_buckets()["Buckets"]]:
        keys = [found["Key"] for found in s3.list_objects_v2(Bucket=bucket).get("Contents", [])]
        assert [key for key in keys if sent["job"] in key or "mona" in key] == []
    assert stack.mailbox.replies_to(sent["messageId"])


@pytest.fixture
def resumed_afterwards() -> Iterator[None]:
    yield
    if webordinary("status")["paused"]:
        webordinary("resume")


@pytest.mark.usefixtures("resumed_afterwards")
def test_pause_stops_a_running_agent_and_resume_replies(
    stack: Stack, mail_sender: MailSender, model: StandInClient
) -> None:
    model.script(ScriptedStep(text="Let me think.", hang=HANG_SECONDS), when="8 am to half past one")
    mail = mail_sender.send(BOB, 'Please change "8 am to 2 pm" to "8 am to half past one".')
    stopped = mail.wait_for("agent_started")
    model.wait_until_hanging(when="8 am to half past one", seconds=TIMEOUT_SECONDS)

    since = stack.events.position()
    webordinary("pause")
    stack.events.wait_for(milestone("pair_released", pair="garden#bob"), TIMEOUT_SECONDS, since=since)
    assert mail.replies() == []

    webordinary("resume")
    mail.wait_for_reply()

    assert mail.milestones("agent_finished")[-1].source != stopped.source
    assert "8 am to half past one" in mail.page("garden")
    assert len(mail.replies()) == 1

"""`webordinary status`, `owners`, `workers`, `release`, `dead-letters` and `erase`; confirmation and connections."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError, NoCredentialsError, ProfileNotFound

from tests.support.brokered import RegisteredWorker
from tests.support.world import PAIR, THREAD, World
from tests.unit.ops.conftest import Command
from webordinary.aws.ecs_tasks import Capacity, Launch
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.ownership import RequestVerdict
from webordinary.tables.conversation_records import NotedMail
from webordinary.tables.pauses import Pauses
from webordinary_ops import cli
from webordinary_ops.connection import Connection, NoLocalStackError, UnknownDeploymentError, connect
from webordinary_ops.deployment import Deployment

LAUNCH = Launch("launch-1", "slot-0001", Capacity.SPOT)


def pauses_of(world: World) -> Pauses:
    return Pauses(world.dynamodb, world.names, world.clock)


def worker_serves(world: World, task_id: str = "task-1") -> None:
    world.workers.take(LAUNCH, "definition:1")
    RegisteredWorker(world, LAUNCH, task_id).busy(PAIR, "mail-1")
    world.ownership.claim(PAIR, task_id)


def test_status_of_idle_deployment_reports_no_problems(run: Command) -> None:
    status = run("status")

    assert (status["projects"], status["jobs"], status["notes"]) == (0, {}, ["no problems found"])


@pytest.mark.usefixtures("bakery")
def test_status_lists_what_needs_attention(world: World, run: Command) -> None:
    world.jobs.record(world.job(), "token")
    world.worker_requests.request(PAIR, "mail-1")
    world.clock.advance(301)
    world.queues.send("email_dead_letters", world.job())

    status = run("status")

    assert (status["projects"], status["jobs"], status["workerRequests"]) == (1, {"waiting": 1}, 1)
    assert status["deadLetters"] == {"email": 1}
    assert len(status["notes"]) == 3
    assert status["notes"][0].startswith("a job has been waiting for 5 min: ")


@pytest.mark.usefixtures("bakery")
def test_pause_and_resume_of_one_project(world: World, run: Command, refused: Command) -> None:
    assert run("pause", "bakery") == [{"paused": "bakery"}]

    assert pauses_of(world).is_paused("bakery")
    (note,) = run("status")["notes"]
    assert re.fullmatch(r"bakery is paused: (\.venv/bin/)?webordinary --env dev resume bakery", note)
    assert run("resume", "bakery") == []
    assert not pauses_of(world).is_paused("bakery")
    assert "No project is paused." in refused("resume", "bakery")


@pytest.mark.usefixtures("bakery")
def test_pause_and_resume_of_all_projects(world: World, run: Command, refused: Command) -> None:
    assert run("pause") == [{"paused": "everything"}]

    assert pauses_of(world).is_paused("bakery")
    assert "bakery is not paused by itself. All projects are paused together: " in refused("resume", "bakery")
    assert run("resume") == []
    assert not pauses_of(world).is_paused("bakery")


def test_pause_of_unknown_project_fails(world: World, refused: Command) -> None:
    assert "nowhere" in refused("pause", "nowhere")
    assert pauses_of(world).all() == []


def test_owners_and_workers_list_the_fleet(world: World, run: Command) -> None:
    worker_serves(world)
    world.jobs.record(world.job(), "token")
    world.jobs.start(PAIR, "mail-1", 1)

    (owner,), (worker,) = run("owners"), run("workers")
    assert worker["job"] == "mail-1"

    assert (owner["pair"], owner["worker"], owner["live"]) == ("bakery#ada", "task-1", True)
    assert (worker["phase"], worker["pair"], worker["capacity"]) == ("busy", "bakery#ada", "FARGATE_SPOT")
    world.clock.advance(3600)
    assert run("owners")[0]["live"] is False


@pytest.fixture
def stopped(deployment: Deployment) -> list[dict[str, Any]]:
    class Ecs:
        """Records StopTask calls; the task itself ends later."""

        calls: list[dict[str, Any]] = []  # noqa: RUF012

        def stop_task(self, **call: Any) -> None:
            self.calls.append(call)

    ecs = Ecs()
    ecs.calls = []
    deployment._clients["ecs"] = ecs
    return ecs.calls


def test_release_stops_the_worker_and_keeps_its_lease(
    world: World, run: Command, stopped: list[dict[str, Any]]
) -> None:
    worker_serves(world)
    for _ in range(2):
        world.worker_requests.request(PAIR, "mail-1")

    assert run("release", "bakery#ada")["stoppedTask"] == "task-1"

    assert [call["task"] for call in stopped] == ["task-1"]
    assert world.ownership.is_owned(PAIR)
    assert world.worker_requests.request(PAIR, "mail-1").verdict == RequestVerdict.SENT


def test_release_at_once_releases_the_lease(world: World, run: Command, stopped: list[dict[str, Any]]) -> None:
    worker_serves(world)

    run("release", "bakery#ada", "--at-once")

    assert not world.ownership.is_owned(PAIR)


def test_release_of_pair_without_owner_fails(refused: Command) -> None:
    assert "bakery#ada has no owner" in refused("release", "bakery#ada")


def test_dead_letters_list_keeps_the_messages(world: World, run: Command) -> None:
    world.queues.send("email_dead_letters", world.job())

    assert [letter["job"] for letter in run("dead-letters", "list")] == ["mail-1"]
    assert [letter["queue"] for letter in run("dead-letters", "list")] == ["email"]


@pytest.mark.parametrize("queue", ["email", "output"])
def test_redrive_moves_dead_letters_to_their_queue(world: World, run: Command, queue: str) -> None:
    dead = f"{queue}_dead_letters"
    if queue == "output":
        world.queues.send_in_order(dead, world.job(), group="bakery#ada", deduplication_id="1")
    else:
        world.queues.send(dead, world.job())

    run("dead-letters", "redrive", queue)

    assert [json.loads(body)["jobId"] for body in world.waiting(queue)] == ["mail-1"]
    assert world.waiting(dead) == []


def test_redrive_of_unknown_queue_fails(refused: Command) -> None:
    assert "'letters' is not one of" in refused("dead-letters", "redrive", "letters")


def store_mail(world: World, mail_id: str, sender: str) -> None:
    body = f"Received: x\nFrom: Somebody <{sender}>\nSubject: Hi\n\nHello".encode()
    world.s3.put_object(Bucket=world.names.bucket("raw_mail"), Key=f"mail/{mail_id}", Body=body)


@pytest.mark.usefixtures("bakery")
def test_erase_deletes_all_data_and_lists_the_rest(world: World, run: Command) -> None:
    world.jobs.record(world.job(), "token")
    world.jobs.conclude(PAIR, "mail-1", Outcome(state="done"), settled=True)
    world.conversations.store_reply(NotedMail.of_job(world.job()), "Dear Ada")
    for mail_id, sender in [("mail-1", "ada@example.com"), ("refused", "Ada@Work.example.com"), ("other", "bob@x.com")]:
        store_mail(world, mail_id, sender)

    report = run("erase", "ada@example.com")

    assert report["deleted"]["bakery#ada"]["jobs"] == 1
    assert (report["otherRawMails"], report["access"]) == (1, "revoked")
    assert len(report["remains"]) == 5
    left = world.s3.list_objects_v2(Bucket=world.names.bucket("raw_mail"))["Contents"]
    assert [one["Key"] for one in left] == ["mail/other"]
    tables = [world.dynamodb.scan(TableName=world.names.table(kind)) for kind in ("jobs", "project_configs")]
    assert world.conversations.mails(THREAD, 10) == []
    assert "ada@" not in json.dumps([table["Items"] for table in tables])


@pytest.mark.usefixtures("bakery")
def test_erase_fails_while_a_job_is_open(world: World, refused: Command) -> None:
    world.jobs.record(world.job(), "token")

    assert "of this person is open" in refused("erase", "ada@example.com")
    assert world.projects.pairs_of_sender("ada@example.com") == [PAIR]


@pytest.mark.usefixtures("bakery")
def test_erase_with_keep_access_keeps_the_sender(world: World, run: Command) -> None:
    assert run("erase", "ADA@example.com", "--keep-access")["access"] == "kept"
    assert world.projects.pairs_of_sender("ada@example.com") == [PAIR]


@pytest.mark.usefixtures("bakery")
def test_remove_without_confirmation_deletes_nothing(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], run: Command
) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))

    assert cli.main(["projects", "remove", "bakery"], lambda _: deployment) == 1

    assert "Removes the project 'bakery'" in capsys.readouterr().err
    assert len(run("projects", "list")) == 1


def test_table_prints_every_row_on_one_line(
    deployment: Deployment, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    worker_serves(world)

    assert cli.main(["owners"], lambda _: deployment) == 0

    header, row = capsys.readouterr().out.splitlines()
    assert header.split() == ["pair", "worker", "fence", "lease", "ends", "live"]
    assert row.startswith("bakery#ada  task-1")


def test_missing_deployment_is_reported(memory_aws: None, capsys: pytest.CaptureFixture[str]) -> None:
    deployment = Deployment(Connection("dev", "nothing", "eu-west-1"))

    assert cli.main(["status"], lambda _: deployment) == 1
    assert "No deployment 'nothing' found" in capsys.readouterr().err


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    for name in cli.webordinary.commands:
        assert name in capsys.readouterr().out or cli.main([name, "--help"]) == 0
        assert cli.webordinary.commands[name].help


def test_connect_reads_the_environments_settings(tmp_path: Path) -> None:
    (tmp_path / "dev.tfvars").write_text('environment = "dev"\nprefix      = "webordinarydev"\nregion = "eu-west-1"\n')

    found = connect("dev", environments=tmp_path)

    assert (found.prefix, found.region, found.is_local) == ("webordinarydev", "eu-west-1", False)
    for unknown in ("prodd", "../dev"):
        with pytest.raises(UnknownDeploymentError):
            connect(unknown, environments=tmp_path)


def test_connect_ignores_stacks_that_have_ended(tmp_path: Path) -> None:
    with pytest.raises(NoLocalStackError):
        connect("local", runs=tmp_path)
    run = tmp_path / "run-1"
    run.mkdir()
    Connection("local", "webordinary", "us-east-1", endpoint="http://127.0.0.1:1", smtp_port=2525).write(run)
    assert connect("local", runs=tmp_path).smtp_port == 2525

    file = run / "connection.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "pid": 2**22 + 1}))
    with pytest.raises(NoLocalStackError):
        connect("local", runs=tmp_path)


def test_connect_uses_the_run_that_the_environment_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, port in enumerate((2525, 2526)):
        run = tmp_path / f"run-{number}"
        run.mkdir()
        Connection("local", "webordinary", "us-east-1", endpoint="http://127.0.0.1:1", smtp_port=port).write(run)

    for number, port in enumerate((2525, 2526)):
        monkeypatch.setenv("WEBORDINARY_RUN", str(tmp_path / f"run-{number}"))
        assert connect("local", runs=tmp_path).smtp_port == port

    monkeypatch.setenv("WEBORDINARY_RUN", str(tmp_path / "run-none"))
    with pytest.raises(NoLocalStackError):
        connect("local", runs=tmp_path)


@pytest.fixture
def shown(deployment: Deployment, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command as in a terminal; returns what it prints."""

    def run_command(*arguments: str) -> str:
        status = cli.main(["--yes", *arguments], lambda _: deployment)
        captured = capsys.readouterr()
        assert status == 0, captured.err
        return captured.out

    return run_command


@pytest.mark.usefixtures("bakery")
def test_workers_shows_no_job_that_is_done(world: World, run: Command) -> None:
    worker_serves(world)
    world.jobs.record(world.job(), "token")
    world.jobs.start(PAIR, "mail-1", 1)
    world.jobs.finish(PAIR, "mail-1", 1, Outcome(state="done"))

    assert run("workers")[0]["job"] == ""


@pytest.mark.usefixtures("bakery")
def test_resume_of_everything_names_the_paused_project(refused: Command, shown: Command) -> None:
    paused = shown("pause", "bakery")
    hint = refused("resume")

    assert re.search(r"To continue: \S*webordinary --env dev resume bakery\n", paused)
    assert re.search(
        r"^The projects are not paused together\. bakery is paused: \S*webordinary --env dev resume bakery", hint
    )
    assert shown("resume", "bakery").startswith("Resumed bakery.")


@pytest.mark.usefixtures("bakery")
def test_status_aligns_its_values(world: World, shown: Command) -> None:
    world.jobs.record(world.job(), "token")
    world.clock.advance(13)

    lines = shown("status").splitlines()

    assert "oldest wait seconds  13" in lines
    assert "projects             1" in lines
    assert lines[lines.index("jobs") + 1] == "  waiting  1"


@pytest.mark.usefixtures("bakery")
def test_erase_report_has_a_line_for_each_fact(world: World, shown: Command) -> None:
    store_mail(world, "mail-1", "ada@example.com")

    lines = shown("erase", "ada@example.com").splitlines()

    assert "    raw mails    0" in lines
    assert lines[lines.index("remains") + 4].startswith("  ownership records")


def test_stopped_emulator_is_reported_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    stopped = Deployment(Connection("local", "webordinary", "us-east-1", endpoint="http://127.0.0.1:1"))

    assert cli.main(["status"], lambda _: stopped) == 1

    error = capsys.readouterr().err
    assert error.startswith("The AWS emulator of the local stack does not answer.")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    "error",
    [
        NoCredentialsError(),
        ProfileNotFound(profile="acme"),
        ClientError({"Error": {"Code": "ExpiredTokenException", "Message": "expired"}}, "Query"),
    ],
    ids=["none", "unknown profile", "expired"],
)
def test_rejected_credentials_name_the_next_step(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    def find(_: str | None) -> Deployment:
        raise error

    assert cli.main(["status"], find) == 1
    assert "Sign in (aws sso login), or set AWS_PROFILE" in capsys.readouterr().err


def test_other_failures_of_aws_do_not_blame_the_credentials(capsys: pytest.CaptureFixture[str]) -> None:
    def find(_: str | None) -> Deployment:
        raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": "no"}}, "Query")

    assert cli.main(["status"], find) == 1
    assert "Sign in" not in capsys.readouterr().err

"""Workers start on demand, serve one pair, and end."""

from __future__ import annotations

from local.runtime.events import milestone
from local.stack.stack import Stack
from tests.e2e.conftest import ADA, TIMEOUT_SECONDS, MailSender
from tests.e2e.fleet import short_idle_time, stop_workers, wait_until_no_workers


def test_mail_without_workers_starts_one_that_serves_and_ends(stack: Stack, mail_sender: MailSender) -> None:
    with short_idle_time(stack):
        since = stack.events.position()
        mail = mail_sender.send(ADA, 'Please change "8 am to 2 pm" to "8 am to 1 pm".')
        mail.wait_for_reply()
        wait_until_no_workers(stack)

    started = stack.events.all(milestone("worker_started"), since=since)
    released = stack.events.wait_for(milestone("pair_released", pair="bakery#ada"), TIMEOUT_SECONDS, since=since)
    assert len(started) == 1
    assert released.fields["reason"] == "idle"
    assert started[0].fields["container_id"].startswith(released.source.removeprefix("worker-"))
    assert len(mail.replies()) == 1


def test_ecs_describes_an_ended_worker_as_stopped(stack: Stack, mail_sender: MailSender) -> None:
    mail = mail_sender.send(ADA, 'Please change "8 am to 2 pm" to "8 am to 11 am".')
    mail.wait_for_reply()
    stop_workers(stack)
    ecs, cluster = stack.emulated.client("ecs"), stack.outputs["workers"]["cluster"]

    stopped = ecs.list_tasks(cluster=cluster, desiredStatus="STOPPED")["taskArns"]
    tasks = ecs.describe_tasks(cluster=cluster, tasks=stopped)

    last = next(task for task in tasks["tasks"] if mail.wait_for("agent_started").source.endswith(_short(task)))
    assert (last["lastStatus"], last["containers"][0]["exitCode"]) == ("STOPPED", 0)
    assert last["stoppedReason"] == "Essential container in task exited"


def _short(task: dict[str, str]) -> str:
    return task["taskArn"].rpartition("/")[2][:8]

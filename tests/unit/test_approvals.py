"""An editor's publish request reaches the publishers, and an approval becomes a job."""

from __future__ import annotations

import email
import email.policy
from datetime import timedelta
from email.message import EmailMessage

import pytest
from moto.ses.models import ses_backends

from tests.support.replies import replying
from tests.support.stored_mails import SECRET, Read, reader
from tests.support.world import ACCOUNT, PAIR, REGION, THREAD, World
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Approval, Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.parse import Decision
from webordinary.contract.messages.reply import ReplyOrder
from webordinary.contract.outcomes import Command, Failure, Result
from webordinary.steps.reply import Reply
from webordinary.tables.items import to_values

ZOE = Pair(project=PAIR.project, user="zoe")
PUBLISH_REQUESTED = Outcome(
    state="done",
    result=Result.PUBLISH_ASKED,
    subject="New hours",
    commit="c0ffee",
    preview_url="https://evil.example.net/",
)


@pytest.fixture
def read(world: World) -> Read:
    found = reader(world)
    people = {"editors": ["ada"], "publishers": {"zoe": "zoe@example.com", "yan": "yan@example.com"}}
    project = {
        "pk": "project#bakery",
        "projectId": "bakery",
        "domain": "bakery.example.com",
        "repository": "https://git.example.com/bakery.git",
        "siteUrl": "https://bakery.sites.example.com/",
        "previewUrl": "https://${thread}--bakery.preview.example.com/",
        "users": ["ada", "yan", "zoe"],
        **people,
    }
    table = world.names.table("project_configs")
    world.dynamodb.put_item(TableName=table, Item=to_values(project))
    for user in ("zoe", "yan"):
        sender = {"pk": f"sender#{user}@example.com", "pairs": [f"bakery#{user}"]}
        world.dynamodb.put_item(TableName=table, Item=to_values(sender))
    return found


@pytest.fixture
def reply(world: World, read: Read) -> Reply:
    return replying(world, SECRET)


def mails_to(address: str) -> list[EmailMessage]:
    messages = ses_backends[ACCOUNT][REGION].sent_messages
    mails = [email.message_from_string(message.raw_data, policy=email.policy.default) for message in messages]
    return [mail for mail in mails if mail["To"] == address]


def text_of(mail: EmailMessage) -> str:
    body = mail.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def answer(read: Read, text: str, to: str, mail_id: str = "yes-1", sender: str = "zoe@example.com") -> Job | None:
    return read(text, mail_id=mail_id, sender=sender, to=to, Subject="Re: Opening hours").job


def request_approval(world: World, reply: Reply) -> str:
    """Sends an editor's publish request. Returns the Reply-To address of Zoe's mail."""
    reply.run(ReplyOrder(job=world.job(command=Command.PUBLISH), outcome=PUBLISH_REQUESTED))
    (question,) = mails_to("zoe@example.com")
    return str(question["Reply-To"])


def test_publish_request_mails_each_publisher_once_and_the_editor(world: World, reply: Reply) -> None:
    for _ in range(2):
        reply.run(ReplyOrder(job=world.job(command=Command.PUBLISH), outcome=PUBLISH_REQUESTED))

    (question,), (_,), (reply_to_editor,) = (mails_to(f"{name}@example.com") for name in ("zoe", "yan", "ada"))
    assert "New hours" in text_of(question)
    assert f"https://{THREAD}--bakery.preview.example.com/" in text_of(question)
    assert "evil.example.net" not in text_of(question)
    assert "asked" in text_of(reply_to_editor)


@pytest.mark.parametrize("text", ["Yes", "publish", "Ja, gerne", "Perfect, go live"])
def test_publisher_yes_becomes_a_job_of_the_publisher(world: World, reply: Reply, read: Read, text: str) -> None:
    job = answer(read, text, request_approval(world, reply))

    assert job is not None
    assert (job.pair, job.command) == (ZOE, Command.PUBLISH)
    assert job.approved is not None
    assert (job.approved.thread_id, job.approved.commit) == (THREAD, "c0ffee")


def test_yes_with_further_instructions_publishes_nothing(world: World, reply: Reply, read: Read) -> None:
    job = answer(read, "Yes, but change the phone number first.", request_approval(world, reply))

    assert job is not None
    assert (job.command, job.approved) == (Command.EDIT, None)


def test_expired_approval_gets_a_reply_and_publishes_nothing(world: World, reply: Reply, read: Read) -> None:
    address = request_approval(world, reply)
    world.clock.advance(timedelta(days=7, seconds=1).total_seconds())

    result = read("Yes", mail_id="late", sender="zoe@example.com", to=address, Subject="Re: Opening hours")

    assert (result.decision, result.reason) == (Decision.ANSWER, "approval_expired")


def test_editor_cannot_approve_the_publish_request(world: World, reply: Reply, read: Read) -> None:
    job = answer(read, "Yes", request_approval(world, reply), sender="ada@example.com")

    assert job is not None
    assert (job.pair, job.approved) == (PAIR, None)


def test_editor_is_notified_once_when_the_change_is_live(world: World, reply: Reply, read: Read) -> None:
    address = request_approval(world, reply)
    published = Outcome(state="done", result=Result.PUBLISHED, subject="New hours", live_url="https://x.example/")
    for number in (1, 2):
        yes = answer(read, "Yes", address, f"yes-{number}")
        assert yes is not None
        reply.run(ReplyOrder(job=yes, outcome=published))

    _, notification = mails_to("ada@example.com")
    assert "https://bakery.sites.example.com/" in text_of(notification)
    assert "New hours" in text_of(notification)


def test_editor_is_notified_of_a_conflict_and_later_of_publishing(world: World, reply: Reply, read: Read) -> None:
    address = request_approval(world, reply)
    clashed = Outcome(state="failed", failure=Failure.PUBLISH_CONFLICT, clashes=("Summer menu",))
    published = Outcome(state="done", result=Result.PUBLISHED, subject="New hours", live_url="https://x.example/")
    for number, outcome in enumerate((clashed, clashed, published)):
        yes = answer(read, "Yes", address, f"yes-{number}")
        assert yes is not None
        reply.run(ReplyOrder(job=yes, outcome=outcome))

    _, clash, notification = mails_to("ada@example.com")
    assert "Summer menu" in text_of(clash)
    assert "https://bakery.sites.example.com/" not in text_of(clash)
    assert "https://bakery.sites.example.com/" in text_of(notification)


@pytest.mark.parametrize("failure", [Failure.APPROVAL_OUTDATED, Failure.BUILD_FAILED, Failure.INTERNAL])
def test_approval_failures_do_not_notify_the_editor(world: World, reply: Reply, read: Read, failure: Failure) -> None:
    yes = answer(read, "Yes", request_approval(world, reply))
    assert yes is not None

    reply.run(ReplyOrder(job=yes, outcome=Outcome(state="failed", failure=failure)))

    assert len(mails_to("ada@example.com")) == 1


def test_job_of_an_older_version_has_no_approval(world: World) -> None:
    wire = world.job().wire()
    wire["approved"] = Approval(thread_id=THREAD, commit="c0ffee").wire() | {"aFieldOfTheFuture": 1}

    assert "approved" not in world.job().wire()
    assert Job.read(wire).approved == Approval(thread_id=THREAD, commit="c0ffee")

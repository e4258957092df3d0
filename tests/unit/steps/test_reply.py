"""reply: one reply per mail, in its thread, with the recorded outcome."""

import email
import email.policy
import re
from dataclasses import replace
from email.header import decode_header, make_header
from email.utils import parseaddr
from typing import Any, cast

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError
from moto.ses.models import ses_backends

from tests.support.replies import replying
from tests.support.world import ACCOUNT, PAIR, REGION, THREAD, World
from webordinary.aws.ses import sent_message_id
from webordinary.contract import thread_tokens
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import ChangedPage, EmptyFolders, Outcome, StaleLock
from webordinary.contract.messages.parse import Refusal
from webordinary.contract.messages.reply import ReplyOrder
from webordinary.contract.outcomes import Command, Failure, PageChange, RefusalReason, Result
from webordinary.contract.values import limit
from webordinary.mail import classify
from webordinary.mail.history.fingerprints import fingerprints_of
from webordinary.sites.screenshots import JPEG, MARK, ScreenshotKind, picture_key
from webordinary.steps.reply import RESERVED_FOR, Reply, ReplyInProgressError
from webordinary.tables.idempotency import Purpose
from webordinary.tables.items import to_values
from webordinary.text.html import html_to_text

SECRET = b"a secret of the tests"


@pytest.fixture
def reply(world: World) -> Reply:
    world.onboard()
    return replying(world, SECRET)


def sent_mails() -> list[email.message.EmailMessage]:
    messages = ses_backends[ACCOUNT][REGION].sent_messages
    return [email.message_from_string(message.raw_data, policy=email.policy.default) for message in messages]


def text_of(mail: email.message.EmailMessage, kind: str = "plain") -> str:
    """The text or HTML part of a mail."""
    body = mail.get_body((kind,))
    assert body is not None
    return str(body.get_content())


def end_job(world: World, outcome: Outcome) -> None:
    world.jobs.record(world.job(), "token")
    world.jobs.start(PAIR, "mail-1", 1)
    world.jobs.finish(PAIR, "mail-1", 1, outcome)


def attempt_begins(world: World) -> None:
    """Another attempt holds the reservation and died."""
    world.idempotency.reserve(Purpose.REPLY, "mail-1", held_for=RESERVED_FOR, kept_for=RESERVED_FOR)


def test_reply_has_threading_headers(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done", summary="I changed the hours."))

    reply.run(ReplyOrder(job=world.job()))

    (mail,) = sent_mails()
    assert mail["To"] == "ada@example.com"
    assert mail["Subject"] == "Re: Opening hours"
    assert mail["In-Reply-To"] == "<mail-1@example.com>"
    assert mail["Reply-To"] == thread_tokens.reply_address("edit@edit.example.com", THREAD, SECRET)
    assert mail["Auto-Submitted"] == "auto-replied"
    assert "I changed the hours." in text_of(mail)


@pytest.mark.parametrize("result", [Result.CHANGED, Result.PUBLISHED, Result.PUBLISH_ASKED, Result.STATUS])
def test_reply_has_no_link_before_sites_are_online(world: World, reply: Reply, result: Result) -> None:
    pages = (ChangedPage(path="hours/index.html", change=PageChange.CHANGED, before="8 am", after="9 am"),)
    live = "https://bakery.sites.example.com/"
    facts = {"preview_url": "https://x.preview.example.com", "live_url": live, "something_live": True}
    end_job(world, Outcome(state="done", result=result, commit="c0ffee", pages=pages, **facts))

    replace(reply, sites_online=False).run(ReplyOrder(job=world.job()))

    for mail in sent_mails():
        assert "http" not in text_of(mail)
        assert "example.com/" not in text_of(mail, "html")
    told = text_of(sent_mails()[-1])
    assert "can't be reached on the internet yet" in told
    assert "8 am" in told
    assert "9 am" in told


def test_long_message_id_is_not_folded(world: World, reply: Reply) -> None:
    long = f"<{'x' * 300}@example.com>"
    envelope = world.job().envelope.model_copy(update={"message_id": long, "references": (long,)})

    reply.run(ReplyOrder(refusal=Refusal(job_id="mail-1", envelope=envelope, reason=RefusalReason.EMPTY)))

    raw = ses_backends[ACCOUNT][REGION].sent_messages[0].raw_data
    assert f"In-Reply-To: {long}" in raw
    assert f"{long} {long}" in " ".join(raw.split())


def test_returned_reply_is_recognised_as_our_own(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done", summary="I changed the hours."))

    reply.run(ReplyOrder(job=world.job()))

    (mail,) = sent_mails()
    del mail["Auto-Submitted"]  # as some relays do
    assert classify(mail.as_bytes()) != "normal"


def test_second_reply_attempt_sends_nothing(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done"))

    first = reply.run(ReplyOrder(job=world.job()))
    second = reply.run(ReplyOrder(job=world.job()))

    assert len(sent_mails()) == 1
    assert second.duplicate
    assert second.message_id == first.message_id


def test_two_concurrent_attempts_send_one_reply(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done"))
    attempt_begins(world)

    with pytest.raises(ReplyInProgressError):
        reply.run(ReplyOrder(job=world.job()))
    assert sent_mails() == []


def test_reply_is_sent_after_an_attempt_died(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done"))
    attempt_begins(world)
    world.clock.advance(61)

    reply.run(ReplyOrder(job=world.job()))

    assert len(sent_mails()) == 1


class Refusing:
    """An SES client that rejects or interrupts one send, then works."""

    def __init__(self, world: World, error: Exception, *, after: int = 0) -> None:
        self._ses = world.ses
        self._errors: list[Exception | None] = [error, *[None] * after]
        self.meta = world.ses.meta

    def send_email(self, **mail: object) -> Any:
        if self._errors and (error := self._errors.pop()):
            raise error
        return self._ses.send_email(**mail)


THROTTLED = ClientError({"Error": {"Code": "TooManyRequestsException", "Message": "slow down"}}, "SendEmail")


def test_reply_rejected_by_ses_can_be_retried_at_once(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done"))
    trying = replace(reply, ses=cast(Any, Refusing(world, THROTTLED)))

    with pytest.raises(ClientError):
        trying.run(ReplyOrder(job=world.job()))
    trying.run(ReplyOrder(job=world.job()))

    assert len(sent_mails()) == 1


def test_reply_that_may_have_been_sent_is_not_retried_at_once(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done"))
    trying = replace(reply, ses=cast(Any, Refusing(world, ReadTimeoutError(endpoint_url="https://ses"))))

    with pytest.raises(ReadTimeoutError):
        trying.run(ReplyOrder(job=world.job()))
    with pytest.raises(ReplyInProgressError):
        trying.run(ReplyOrder(job=world.job()))


def test_completed_reservation_cannot_be_cancelled(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done"))
    reply.run(ReplyOrder(job=world.job()))

    world.idempotency.cancel_reservation(Purpose.REPLY, "mail-1")

    assert reply.run(ReplyOrder(job=world.job())).duplicate


@pytest.mark.parametrize("field", ["job", "state", "outcome"])
def test_job_with_an_unreadable_record_is_answered_and_settled(world: World, reply: Reply, field: str) -> None:
    world.jobs.record(world.job(), "token")
    world.jobs.start(PAIR, "mail-1", 1)
    if field == "outcome":
        world.jobs.finish(PAIR, "mail-1", 1, Outcome(state="done"))
    world.dynamodb.update_item(
        TableName=world.names.table("jobs"),
        Key=to_values({"projectKey": PAIR.key, "jobId": "mail-1"}),
        UpdateExpression="SET #field = :value",
        ExpressionAttributeNames={"#field": field},
        ExpressionAttributeValues=to_values({":value": '{"command": "fly"}'}),
    )

    reply.run(ReplyOrder(job=world.job(), problem="States.HeartbeatTimeout"))

    assert "took longer" in text_of(sent_mails()[0])
    assert field == "state" or list(world.jobs.open_jobs()) == []


def test_timeout_ends_the_job(world: World, reply: Reply) -> None:
    world.jobs.record(world.job(), "token")
    world.jobs.start(PAIR, "mail-1", 1)

    reply.run(ReplyOrder(job=world.job(), problem="States.HeartbeatTimeout"))

    assert world.jobs.get(PAIR, "mail-1").outcome == Outcome(state="failed", failure=Failure.TIMED_OUT)
    assert "took longer" in text_of(sent_mails()[0])


def test_job_that_ended_before_the_timeout_keeps_its_outcome(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done", summary="Just in time."))

    reply.run(ReplyOrder(job=world.job(), problem="States.Timeout"))

    assert "Just in time." in text_of(sent_mails()[0])


def test_unrecorded_job_is_answered(world: World, reply: Reply) -> None:
    reply.run(ReplyOrder(job=world.job(), problem="SomethingBroke"))

    assert "Something went wrong on our side" in text_of(sent_mails()[0])


def test_line_break_in_a_subject_adds_no_header(world: World, reply: Reply) -> None:
    hostile = world.job().envelope.model_copy(update={"subject": "Hi\r\nBcc: everybody@example.net"})

    reply.run(ReplyOrder(refusal=Refusal(job_id="mail-1", envelope=hostile, reason=RefusalReason.EMPTY)))

    (mail,) = sent_mails()
    assert mail["Bcc"] is None
    assert mail["Subject"] == "Re: Hi Bcc: everybody@example.net"


def test_reply_to_our_reply_finds_its_thread(world: World, reply: Reply) -> None:
    thread = world.threads.open(PAIR, "<mail-1@example.com>")
    job = world.job(thread_id=thread.thread_id)
    world.jobs.record(job, "token")

    receipt = reply.run(ReplyOrder(job=job))

    found = world.threads.of_messages([f"<{receipt.message_id}>"], [PAIR])
    assert found is not None
    assert found.thread_id == thread.thread_id


def test_fingerprints_of_our_reply_are_stored(world: World, reply: Reply) -> None:
    thread = world.threads.open(PAIR, "<mail-1@example.com>")
    world.jobs.record(world.job(thread_id=thread.thread_id), "token")

    reply.run(ReplyOrder(job=world.job(thread_id=thread.thread_id)))

    (stored,) = world.threads.get(thread.thread_id, [PAIR]).fingerprints  # type: ignore[union-attr]
    text = text_of(sent_mails()[0])
    assert (stored.by_us, stored.words) == (True, fingerprints_of(text, SECRET, thread.thread_id))


def test_reply_contains_the_sentence_of_the_result(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done", result=Result.NOTHING_TO_UNDO))

    reply.run(ReplyOrder(job=world.job()))

    assert "nothing to undo in this conversation" in text_of(sent_mails()[0])


def test_preview_url_comes_from_the_project_not_the_report(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done", summary="Done.", preview_url="https://evil.example.net/session/x/"))

    reply.run(ReplyOrder(job=world.job()))

    text = text_of(sent_mails()[0])
    assert f"https://{THREAD}--bakery.preview.example.com/" in text
    assert "evil.example.net" not in text


def test_refused_mail_is_answered_without_a_thread(world: World, reply: Reply) -> None:
    refusal = Refusal(job_id="mail-1", envelope=world.job().envelope, reason=RefusalReason.TOO_LONG)

    reply.run(ReplyOrder(refusal=refusal))

    (mail,) = sent_mails()
    assert "longer than I can handle at once" in text_of(mail)
    assert mail["Reply-To"] is None


def test_reply_has_text_and_html(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done", summary="Die <b>Zeiten</b> für Sonntag sind neu.", language="de"))

    reply.run(ReplyOrder(job=world.job()))

    (mail,) = sent_mails()
    assert ses_backends[ACCOUNT][REGION].sent_messages[0].raw_data.isascii()
    assert mail.get_content_type() == "multipart/alternative"
    assert [part.get_content_type() for part in mail.iter_parts()] == ["text/plain", "text/html"]
    assert "Die <b>Zeiten</b> für Sonntag sind neu." in text_of(mail)
    assert "Die &lt;b&gt;Zeiten&lt;/b&gt; für Sonntag sind neu." in text_of(mail, "html")
    assert "Antworten Sie einfach auf diese Mail" in text_of(mail)
    assert "Antworten Sie einfach auf diese Mail" in text_of(mail, "html")


def test_token_is_not_visible_in_the_text(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done", summary="Done."))

    reply.run(ReplyOrder(job=world.job()))

    (mail,) = sent_mails()
    token = thread_tokens.token_for(THREAD, SECRET)
    assert token not in text_of(mail)
    assert token not in re.sub(r'href="[^"]*"', "", text_of(mail, "html"))
    assert f'href="mailto:edit+{token}@edit.example.com"' in text_of(mail, "html")


def test_reply_to_a_command_uses_the_given_outcome(world: World, reply: Reply) -> None:
    reply.run(ReplyOrder(job=world.job(), outcome=Outcome(state="done", result=Result.HELP)))

    assert "what you'd like changed" in text_of(sent_mails()[0])


def test_reply_to_a_preempted_job_names_the_newer_one(world: World, reply: Reply) -> None:
    world.jobs.record(world.job("mail-2", instruction="Also the phone\nplease"), "token")
    end_job(world, Outcome(state="preempted", went_to="mail-2", handed_over=True))

    reply.run(ReplyOrder(job=world.job()))

    assert "together with “Also the phone”" in text_of(sent_mails()[0])


def test_developer_gets_technical_details_once(world: World, reply: Reply) -> None:
    world.onboard(developer="dev@example.com")
    end_job(world, Outcome(state="failed", failure=Failure.BUILD_FAILED, detail="index.astro:3 Unexpected }"))

    for _ in range(2):
        reply.run(ReplyOrder(job=world.job()))

    answer, note = sent_mails()
    assert (answer["To"], note["To"]) == ("ada@example.com", "dev@example.com")
    assert "index.astro" not in text_of(answer)
    assert "index.astro:3 Unexpected }" in text_of(note)
    assert note["Reply-To"] is None


def test_developer_is_notified_of_a_stale_lock_once(world: World, reply: Reply) -> None:
    world.onboard(developer="dev@example.com")
    stale = StaleLock(file="pnpm-lock.yaml", packages="c0ffee")

    for number in range(3):
        job = world.job(f"mail-{number}")
        outcome = Outcome(state="done", result=Result.CHANGED, stale_lock=stale)
        reply.run(ReplyOrder(job=job, outcome=outcome))
    changed = Outcome(state="done", result=Result.CHANGED, stale_lock=stale.model_copy(update={"packages": "decaf"}))
    reply.run(ReplyOrder(job=world.job("mail-3"), outcome=changed))

    notified = [(mail["To"], "pnpm-lock.yaml" in text_of(mail)) for mail in sent_mails()]
    assert notified.count(("dev@example.com", True)) == 2
    assert notified.count(("ada@example.com", False)) == 4
    assert len(notified) == 6


def test_developer_is_notified_of_empty_folders_once(world: World, reply: Reply) -> None:
    world.onboard(developer="dev@example.com")
    empty = EmptyFolders(folders=("theme",), detail="submodule theme is elsewhere", digest="c0ffee")

    for number in range(3):
        outcome = Outcome(state="done", result=Result.CHANGED, empty_folders=empty)
        reply.run(ReplyOrder(job=world.job(f"mail-{number}"), outcome=outcome))
    mended = empty.model_copy(update={"folders": ("theme", "words"), "digest": "decaf"})
    outcome = Outcome(state="done", result=Result.CHANGED, empty_folders=mended)
    reply.run(ReplyOrder(job=world.job("mail-3"), outcome=outcome))

    notes = [text_of(mail) for mail in sent_mails() if mail["To"] == "dev@example.com"]
    assert ["are empty: theme." in notes[0], "are empty: theme, words." in notes[1], len(notes)] == [True, True, 2]
    assert "submodule theme is elsewhere" in notes[0]
    assert [mail["To"] for mail in sent_mails()].count("ada@example.com") == 4


def test_stale_lock_without_a_developer_sends_no_note(world: World, reply: Reply) -> None:
    stale = StaleLock(file="pnpm-lock.yaml", packages="c0ffee")

    reply.run(ReplyOrder(job=world.job(), outcome=Outcome(state="done", result=Result.CHANGED, stale_lock=stale)))

    assert [mail["To"] for mail in sent_mails()] == ["ada@example.com"]


def test_failed_developer_note_does_not_affect_the_reply(world: World, reply: Reply) -> None:
    world.onboard(developer="dev@example.com")
    end_job(world, Outcome(state="failed", failure=Failure.BUILD_FAILED, detail="index.astro:3"))
    refused = ClientError({"Error": {"Code": "MessageRejected", "Message": "no"}}, "SendEmail")
    trying = replace(reply, ses=cast(Any, Refusing(world, refused, after=1)))

    receipt = trying.run(ReplyOrder(job=world.job()))

    assert not receipt.duplicate
    assert [mail["To"] for mail in sent_mails()] == ["ada@example.com"]


def test_silent_job_is_ended_without_a_reply(world: World, reply: Reply) -> None:
    world.jobs.record(world.job(), "token")

    receipt = reply.run(ReplyOrder(job=world.job(silent=True), problem="States.Timeout"))

    assert (receipt.silent, sent_mails()) == (True, [])
    assert world.jobs.get(PAIR, "mail-1").state.is_final


@pytest.mark.parametrize(("region", "host"), [("us-east-1", "email"), ("eu-west-1", "eu-west-1")])
def test_message_id_is_that_of_ses_in_each_region(region: str, host: str) -> None:
    assert sent_message_id("0102", region) == f"0102@{host}.amazonses.com"


# Every outcome that is answered, and phrases of its reply in two languages.
WAYS_OUT = {
    "done": (Outcome(state="done", result=Result.CHANGED, subject="Hours"), "is done", "ist erledigt"),
    "in part": (
        Outcome(state="done", result=Result.PARTLY_CHANGED, subject="Hours"),
        "partly done",
        "teilweise erledigt",
    ),
    "asked": (
        Outcome(state="done", result=Result.ASKED, question="Which?"),
        "as soon as you reply",
        "Sobald Sie antworten",
    ),
    "refused": (Outcome(state="failed", failure=Failure.AGENT_REFUSED), "I couldn't do this", "nicht umsetzen"),
    "undone": (Outcome(state="done", result=Result.UNDONE, subject="Hours"), "has been undone", "rückgängig gemacht"),
    "failed build": (
        Outcome(state="failed", failure=Failure.BUILD_FAILED, detail="x"),
        "no longer builds",
        "nicht mehr erstellen",
    ),
    "agent failure": (
        Outcome(state="failed", failure=Failure.AGENT_FAILED, detail="x"),
        "went wrong",
        "etwas schiefgegangen",
    ),
    "over budget": (Outcome(state="failed", failure=Failure.BUDGET_SPENT), "cost more", "mehr gekostet"),
    "conflict": (Outcome(state="failed", failure=Failure.CONFLICT), "Someone else", "Jemand anderes"),
    "timeout": (Outcome(state="failed", failure=Failure.TIMED_OUT), "took longer", "länger gedauert"),
    "worker lost": (
        Outcome(state="failed", failure=Failure.NO_WORKER),
        "There was no capacity",
        "keine Kapazität frei",
    ),
    "taken over": (Outcome(state="preempted", went_to="mail-2"), "newer email", "neuere Mail"),
    "stopped": (Outcome(state="preempted", stopped_by="mail-2"), "asked me to stop", "gebeten aufzuhören"),
}


@pytest.mark.parametrize("way", WAYS_OUT)
@pytest.mark.parametrize("language", ["en", "de"])
def test_every_outcome_is_answered_once_in_the_senders_language(
    world: World, reply: Reply, way: str, language: str
) -> None:
    outcome, english, german = WAYS_OUT[way]
    end_job(world, outcome)
    job = world.job(language=language)

    receipts = [reply.run(ReplyOrder(job=job)) for _ in range(2)]

    (mail,) = sent_mails()
    words = {"en": english, "de": german}[language]
    assert words in text_of(mail)
    assert words in html_to_text(text_of(mail, "html"))
    assert [receipt.duplicate for receipt in receipts] == [False, True]


PICTURE = JPEG + MARK + b" and pixels"
CHANGED = Outcome(
    state="done",
    result=Result.CHANGED,
    pages=(ChangedPage(path="index.html", change=PageChange.CHANGED, title="Bakery"),),
    preview_url="https://somewhere.example/",
)


def store_pictures(world: World, pictures: dict[ScreenshotKind, bytes]) -> None:
    bucket = world.names.bucket("media")
    world.s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": REGION})
    for kind, content in pictures.items():
        world.s3.put_object(Bucket=bucket, Key=picture_key(world.names, PAIR, "mail-1", kind), Body=content)


def answered(world: World, reply: Reply, job: Job) -> email.message.EmailMessage:
    world.jobs.record(job, "token")
    world.jobs.start(PAIR, "mail-1", 1)
    world.jobs.finish(PAIR, "mail-1", 1, CHANGED)
    reply.run(ReplyOrder(job=job))
    (mail,) = sent_mails()
    return mail


def test_screenshots_are_inline_parts_shown_in_the_html(world: World, reply: Reply) -> None:
    store_pictures(world, {kind: PICTURE + kind.value.encode() for kind in ScreenshotKind})

    mail = answered(world, reply, world.job(pictures=True))

    parts = {part["Content-ID"]: part for part in mail.walk() if part.get_content_maintype() == "image"}
    assert parts.keys() == {"<before@webordinary>", "<after@webordinary>"}
    assert parts["<after@webordinary>"].get_content() == PICTURE + b"after"
    html = text_of(mail, "html")
    assert html.index("cid:before@webordinary") < html.index("cid:after@webordinary")
    assert "cid:" not in text_of(mail)
    assert [part.get_content_type() for part in mail.iter_parts()] == ["text/plain", "multipart/related"]


@pytest.mark.parametrize(
    ("wanted", "pictures"),
    [
        pytest.param(True, {}, id="none was taken"),
        pytest.param(False, {ScreenshotKind.AFTER: PICTURE}, id="the project wants none"),
        pytest.param(True, {ScreenshotKind.BEFORE: PICTURE}, id="only the old page was"),
        pytest.param(True, {ScreenshotKind.AFTER: b"<script>"}, id="it is no picture"),
        pytest.param(True, {ScreenshotKind.AFTER: PICTURE + bytes(limit("picture_bytes"))}, id="it is too large"),
    ],
)
def test_reply_has_no_screenshots_if(
    world: World, reply: Reply, wanted: bool, pictures: dict[ScreenshotKind, bytes]
) -> None:
    store_pictures(world, pictures)

    mail = answered(world, reply, world.job(pictures=wanted))

    assert "cid:" not in text_of(mail, "html")
    assert [part.get_content_type() for part in mail.iter_parts()] == ["text/plain", "text/html"]


def test_failed_storage_does_not_affect_the_reply(world: World, reply: Reply) -> None:
    class Silent:
        def get_object(self, **_: str) -> None:
            raise ReadTimeoutError(endpoint_url="https://s3.example")

    without = replace(reply, s3=cast(Any, Silent()))

    assert "cid:" not in text_of(answered(world, without, world.job(pictures=True)), "html")


def refusal_of(world: World, reason: RefusalReason, **more: Any) -> Refusal:
    return Refusal(job_id="mail-1", envelope=world.job().envelope, reason=reason, **more)


def test_question_for_the_site_can_be_answered(world: World, reply: Reply) -> None:
    world.onboard(title="Ada's Bakery")
    addresses = ("bakery+ada@edit.example.com", "garden+ada@edit.example.com")
    refusal = refusal_of(world, RefusalReason.AMBIGUOUS_PROJECT, addresses=addresses, thread_id="k" * 26)

    reply.run(ReplyOrder(refusal=refusal))

    (mail,) = sent_mails()
    token = thread_tokens.token_for("k" * 26, SECRET)
    assert mail["Reply-To"] == f"edit+{token}@edit.example.com"
    choices = [line for line in text_of(mail).splitlines() if line.startswith("- ")]
    assert choices == [
        f"- Ada's Bakery: mailto:bakery+{token}@edit.example.com?subject=Re%3A%20Opening%20hours&body=Ada%27s%20Bakery",
        f"- garden: mailto:garden+{token}@edit.example.com?subject=Re%3A%20Opening%20hours&body=garden",
    ]


def test_reply_to_an_unclear_command_continues_its_thread(world: World, reply: Reply) -> None:
    thread = world.threads.open(PAIR, "<mail-1@example.com>")
    refusal = refusal_of(
        world, RefusalReason.UNCLEAR_COMMAND, command=Command.UNDO, thread_id=thread.thread_id, pair=PAIR
    )

    receipt = reply.run(ReplyOrder(refusal=refusal))

    (mail,) = sent_mails()
    address = thread_tokens.reply_address("edit@edit.example.com", thread.thread_id, SECRET)
    assert mail["Reply-To"] == address
    assert f"mailto:{address}?subject=Re%3A%20Opening%20hours&body=undo" in text_of(mail)
    found = world.threads.of_messages([receipt.message_id], [PAIR])
    assert found is not None
    assert found.thread_id == thread.thread_id


def test_changed_reply_offers_commands_of_its_thread(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done", result=Result.CHANGED, summary="I changed the hours."))

    reply.run(ReplyOrder(job=world.job()))

    (mail,) = sent_mails()
    assert f"Publish: mailto:{mail['Reply-To']}?subject=Re%3A%20Opening%20hours&body=publish" in text_of(mail)


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("", "The web team"),
        ("Bakery", "Bakery"),
        ("Bäckerei Müller, Brot & Kuchen", "Bäckerei Müller, Brot & Kuchen"),
        (
            "パン屋のアダのとても長い名前のウェブサイトと美味しいパンのお知らせ",
            "パン屋のアダのとても長い名前のウェブサイトと美味しいパンのお知らせ",
        ),
        ("Evil\r\nBcc: victim@example.net", "Evil Bcc: victim@example.net"),
        ('"quoted" <x@evil.example>', '"quoted" <x@evil.example>'),
        ("=?utf-8?q?Bank?=", "=?utf-8?q?Bank?="),
        ("\u202eevil\x00", "evil"),
    ],
)
def test_sender_has_the_name_of_the_site(world: World, reply: Reply, title: str, shown: str) -> None:
    world.onboard(title=title)
    end_job(world, Outcome(state="done"))

    replace(reply, service_name="The web team").run(ReplyOrder(job=world.job()))

    (message,) = ses_backends[ACCOUNT][REGION].sent_messages
    mail = email.message_from_string(message.raw_data, policy=email.policy.compat32)
    name, address = parseaddr(mail["From"])
    assert (str(make_header(decode_header(name))), address) == (shown, "edit@edit.example.com")
    assert mail["Bcc"] is None
    assert message.source == mail["From"]
    assert message.source.isascii()
    assert all(len(word) <= 75 for word in message.source.split() if word.startswith("=?"))

"""The message of a reply: headers, both forms of the text, screenshots, sender."""

import email
import email.policy
import re
from email.header import decode_header, make_header
from email.utils import parseaddr

import pytest
from botocore.exceptions import ReadTimeoutError
from moto.ses.models import ses_backends

from tests.support.replies import SECRET, end_job, replying, sent_mails, text_of
from tests.support.world import ACCOUNT, PAIR, REGION, THREAD, World
from webordinary.aws.ses import sent_message_id
from webordinary.contract import thread_tokens
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import ChangedPage, Outcome
from webordinary.contract.messages.parse import Refusal
from webordinary.contract.messages.reply import ReplyOrder
from webordinary.contract.outcomes import PageChange, RefusalReason, Result
from webordinary.contract.values import limit
from webordinary.mail import classify
from webordinary.mail.history.fingerprints import fingerprints_of
from webordinary.sites.screenshots import JPEG, MARK, ScreenshotKind, picture_key
from webordinary.steps.reply import Reply


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


@pytest.mark.parametrize(("region", "host"), [("us-east-1", "email"), ("eu-west-1", "eu-west-1")])
def test_message_id_is_that_of_ses_in_each_region(region: str, host: str) -> None:
    assert sent_message_id("0102", region) == f"0102@{host}.amazonses.com"


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

    without = replying(world, s3=Silent())

    assert "cid:" not in text_of(answered(world, without, world.job(pictures=True)), "html")


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

    replying(world, service_name="The web team").run(ReplyOrder(job=world.job()))

    (message,) = ses_backends[ACCOUNT][REGION].sent_messages
    mail = email.message_from_string(message.raw_data, policy=email.policy.compat32)
    name, address = parseaddr(mail["From"])
    assert (str(make_header(decode_header(name))), address) == (shown, "edit@edit.example.com")
    assert mail["Bcc"] is None
    assert message.source == mail["From"]
    assert message.source.isascii()
    assert all(len(word) <= 75 for word in message.source.split() if word.startswith("=?"))

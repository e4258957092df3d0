"""What becomes of a mail: a job, an answer, or silence where an answer could do harm."""

from collections.abc import Callable
from datetime import UTC, datetime
from email.message import EmailMessage

import pytest

from tests.support.world import PAIR, World
from webordinary.mail.authentication import MENDABLE
from webordinary.mail.mime import Structure, take_apart
from webordinary.mail.models import Reason
from webordinary.platform.contract import contract, limit
from webordinary.platform.dynamodb_items import to_values
from webordinary.platform.messages import (
    AttachmentProblem,
    AttachmentRefusal,
    Command,
    Decision,
    Pair,
    ParseResult,
    RawMail,
    RefusalReason,
)
from webordinary.platform.thread_tokens import reply_address
from webordinary.steps.parse_email import ParseEmail
from webordinary.tables.rate_limits import RateLimits

SECRET = b"a secret of the tests"
RAW_BUCKET = "raw"

PROVED = (
    "Authentication-Results: amazonses.com; spf=pass; dkim=pass header.i=@example.com; dmarc=pass header.from={domain};"
)
UNPROVED = "Authentication-Results: amazonses.com; spf=none; dkim=none; dmarc=none;"
FORGED = "Authentication-Results: amazonses.com; spf=fail; dkim=none; dmarc=fail header.from={domain};"

Read = Callable[..., ParseResult]


def parse_email(world: World) -> ParseEmail:
    rates = RateLimits(world.idempotency, world.clock)
    return ParseEmail(world.s3, world.projects, world.threads, rates, (SECRET,), "edit.example.com", world.clock)


@pytest.fixture
def read(world: World) -> Read:
    """Stores a mail as SES would and reads it."""
    world.onboard()
    location = {"LocationConstraint": "eu-west-1"}
    world.s3.create_bucket(Bucket=RAW_BUCKET, CreateBucketConfiguration=location)
    step = parse_email(world)

    def read_mail(
        text: str = "Change the hours.",
        *,
        mail_id: str = "mail-1",
        sender: str = "ada@example.com",
        to: str = "bakery@edit.example.com",
        verdict: str = PROVED,
        attachments: tuple[bytes, ...] = (),
        **headers: str,
    ) -> ParseResult:
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = sender, to, "Hours"
        message["Message-ID"] = f"<{mail_id}@example.com>"
        for name, value in headers.items():
            del message[name.replace("_", "-")]
            message[name.replace("_", "-")] = value
        message.set_content(text)
        attach(message, *attachments)
        found = f"Return-Path: <{sender}>\nX-SES-Spam-Verdict: PASS\nX-SES-Virus-Verdict: PASS\n"
        found += verdict.format(domain=sender.partition("@")[2]) + "\nX-SES-RECEIPT: x\n"
        world.s3.put_object(Bucket=RAW_BUCKET, Key=mail_id, Body=found.encode() + message.as_bytes())
        return step.run(RawMail(mail_id=mail_id, bucket=RAW_BUCKET, key=mail_id))

    return read_mail


def give_ada_a_second_project(world: World) -> None:
    item = {"pk": "sender#ada@example.com", "pairs": ["bakery#ada", "garden#ada"]}
    world.dynamodb.put_item(TableName=world.names.table("project_configs"), Item=to_values(item))


def test_a_mail_of_a_known_sender_becomes_a_job(read: Read) -> None:
    result = read("Change the hours.\n\n-- \nAda")

    assert result.decision == Decision.ACCEPT
    assert result.job is not None
    assert (result.job.job_id, result.job.pair) == ("mail-1", PAIR)
    assert result.job.instruction == "Change the hours."


def test_reading_a_mail_twice_gives_the_same_job(read: Read) -> None:
    assert read() == read()


def test_an_unknown_sender_is_met_with_silence(read: Read) -> None:
    result = read(sender="mallory@example.net")

    assert (result.decision, result.reason) == (Decision.DROP, "unknown_sender")
    assert result.refusal is None


def test_a_forged_sender_is_met_with_silence(read: Read) -> None:
    assert read(verdict=FORGED).decision == Decision.DROP


def test_a_known_sender_without_proof_is_told_once(read: Read) -> None:
    first = read(mail_id="mail-1", verdict=UNPROVED)
    again = read(mail_id="mail-1", verdict=UNPROVED)
    later = read(mail_id="mail-2", verdict=UNPROVED)

    assert [result.decision for result in (first, again, later)] == [Decision.ANSWER, Decision.ANSWER, Decision.DROP]


@pytest.mark.parametrize("reason", sorted(MENDABLE))
def test_everything_that_a_sender_can_mend_has_a_reason_to_tell(reason: Reason) -> None:
    assert RefusalReason(f"not_authenticated.{reason}")


def test_an_automatic_mail_is_met_with_silence(read: Read) -> None:
    assert read(Auto_Submitted="auto-replied").decision == Decision.DROP


def test_an_empty_mail_is_answered(read: Read) -> None:
    result = read("\n", Subject="")

    assert (result.decision, result.reason) == (Decision.ANSWER, "empty")
    assert result.refusal is not None
    assert result.refusal.envelope.sender == "ada@example.com"


def test_an_answer_in_the_thread_continues_it(read: Read) -> None:
    first = read(mail_id="mail-1")
    second = read(mail_id="mail-2", References="<mail-1@example.com>", In_Reply_To="<mail-1@example.com>")

    assert first.job is not None
    assert second.job is not None
    assert second.job.thread_id == first.job.thread_id


def test_a_client_that_loses_headers_still_continues_the_thread(read: Read) -> None:
    first = read(mail_id="mail-1")
    assert first.job is not None
    address = reply_address("edit@edit.example.com", first.job.thread_id, SECRET)

    second = read(mail_id="mail-2", to=address)

    assert second.job is not None
    assert second.job.thread_id == first.job.thread_id


def test_a_token_made_without_the_secret_opens_no_thread_of_others(read: Read) -> None:
    first = read(mail_id="mail-1")
    assert first.job is not None
    address = reply_address("edit@edit.example.com", first.job.thread_id, b"guessed")

    second = read(mail_id="mail-2", to=address)

    assert second.job is not None
    assert second.job.thread_id != first.job.thread_id


def test_a_thread_of_somebody_else_is_not_joined_by_knowing_its_message_ids(world: World, read: Read) -> None:
    others = world.threads.open(Pair(project="garden", user="bob"), "<garden@example.org>")

    result = read(References="<garden@example.org>")

    assert result.job is not None
    assert result.job.thread_id != others.thread_id
    assert result.job.pair == PAIR


@pytest.mark.parametrize("first", ["their mail", "our mail"])
def test_the_message_id_of_another_projects_mail_leads_into_no_thread_of_theirs(
    world: World, read: Read, first: str
) -> None:
    """Whether it is reused, or taken before its owner uses it."""
    garden, taken = Pair(project="garden", user="bob"), "<shared@example.com>"
    theirs = world.threads.open(garden, taken) if first == "their mail" else None
    result = read(Message_ID=taken)
    theirs = theirs or world.threads.open(garden, taken)

    assert result.job is not None
    assert (result.job.pair, theirs.pair) == (PAIR, garden)
    assert result.job.thread_id != theirs.thread_id


def test_a_mail_that_is_delivered_again_is_dropped_as_a_replay(read: Read) -> None:
    first = read(mail_id="mail-1", Message_ID="<once@example.com>")
    replayed = read(mail_id="mail-2", Message_ID="<once@example.com>")
    after_a_crash = read(mail_id="mail-1", Message_ID="<once@example.com>")

    assert (first.decision, after_a_crash) == (Decision.ACCEPT, first)
    assert (replayed.decision, replayed.reason) == (Decision.DROP, "replay")


@pytest.mark.parametrize("message_id", ["<other@example.com>", ""])
def test_another_message_id_does_not_make_a_new_mail_of_an_old_one(read: Read, message_id: str) -> None:
    date = "Mon, 05 Jan 2026 08:00:00 +0000"
    read(mail_id="mail-1", Date=date)

    assert read(mail_id="mail-2", Date=date, Message_ID=message_id).reason == "replay"


def test_a_replay_does_not_use_up_what_its_sender_may_write(read: Read) -> None:
    for number in range(limit("mails_per_sender_per_hour") + 1):
        read(mail_id=f"replay-{number}", Message_ID="<once@example.com>")

    assert read(mail_id="new").decision == Decision.ACCEPT


def test_the_same_message_id_counts_once_for_each_sender(world: World, read: Read) -> None:
    bob = {"pk": "sender#bob@example.com", "pairs": ["garden#bob"]}
    world.dynamodb.put_item(TableName=world.names.table("project_configs"), Item=to_values(bob))

    results = [
        read(mail_id=f"mail-{sender}", sender=f"{sender}@example.com", Message_ID="<shared@example.com>")
        for sender in ("ada", "bob")
    ]

    assert [result.job.pair.key for result in results if result.job] == ["bakery#ada", "garden#bob"]


@pytest.mark.parametrize("forged", ["Delivered_To", "X_Original_To", "Bcc"])
def test_a_mail_that_was_written_to_somebody_else_changes_nothing(read: Read, forged: str) -> None:
    others = {"to": "friend@example.net", forged: "bakery@edit.example.com"}
    first, later = read(mail_id="mail-1", **others), read(mail_id="mail-2", **others)

    assert [(result.decision, result.job) for result in (first, later)] == [
        (Decision.ANSWER, None),
        (Decision.DROP, None),
    ]
    assert first.refusal is not None
    assert first.refusal.reason == RefusalReason.NOT_ADDRESSED
    assert first.refusal.addresses == ("bakery+ada@edit.example.com",)


def test_a_mail_that_has_us_in_copy_is_written_to_us(read: Read) -> None:
    assert read(to="friend@example.net", Cc="Bakery <bakery@edit.example.com>").decision == Decision.ACCEPT


STALE_TOKEN = f"garden+t-{'a' * 36}@edit.example.com"


@pytest.mark.parametrize("address", ["garden@edit.example.com", "garden+ada@edit.example.com", STALE_TOKEN])
def test_the_recipient_chooses_between_several_projects(world: World, read: Read, address: str) -> None:
    give_ada_a_second_project(world)

    result = read(to=address)

    assert result.job is not None
    assert result.job.pair.project == "garden"


def test_a_sender_of_several_projects_who_names_none_is_asked(world: World, read: Read) -> None:
    give_ada_a_second_project(world)

    result = read(to="edit@edit.example.com")

    assert (result.decision, result.reason) == (Decision.ANSWER, "ambiguous_project")
    assert result.refusal is not None
    assert result.refusal.addresses == ("bakery+ada@edit.example.com", "garden+ada@edit.example.com")


def test_a_flood_of_mails_is_answered_once_and_then_not_any_more(world: World, read: Read) -> None:
    most = limit("mails_per_sender_per_hour")
    decisions = [read(mail_id=f"mail-{number}").decision for number in range(most + 2)]

    assert decisions == [Decision.ACCEPT] * most + [Decision.ANSWER, Decision.DROP]


def test_a_sender_who_wrote_too_much_hears_when_it_goes_on(read: Read) -> None:
    results = [read(mail_id=f"mail-{number}") for number in range(limit("mails_per_sender_per_hour") + 1)]

    refusal = results[-1].refusal
    assert refusal is not None
    assert refusal.goes_on_at == datetime(2026, 1, 5, 9, tzinfo=UTC)


def test_a_projects_day_has_an_end_however_many_people_write(
    world: World, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(contract()["limits"], "mails_per_project_per_day", 3)
    people = [f"{name}@example.com" for name in ("ada", "bob", "eve")]
    for person in people:
        item = {"pk": f"sender#{person}", "pairs": ["bakery#ada"]}
        world.dynamodb.put_item(TableName=world.names.table("project_configs"), Item=to_values(item))
    results = [read(mail_id=f"mail-{number}", sender=people[number % 3]) for number in range(9)]

    decisions = [result.decision for result in results]
    assert decisions == [Decision.ACCEPT] * 3 + [Decision.ANSWER] * 3 + [Decision.DROP] * 3
    refusal = results[3].refusal
    assert refusal is not None
    assert (refusal.reason, refusal.project) == (RefusalReason.PROJECTS_DAY_IS_FULL, "bakery")
    assert refusal.goes_on_at == datetime(2026, 1, 6, tzinfo=UTC)

    world.clock.advance(24 * 3600)
    assert read(mail_id="next-day").decision == Decision.ACCEPT


def test_a_thread_that_runs_in_circles_falls_silent(read: Read) -> None:
    most = limit("mails_per_thread_per_hour")
    read(mail_id="root")
    decisions = [read(mail_id=f"mail-{n}", References="<root@example.com>").decision for n in range(most)]

    assert decisions == [Decision.ACCEPT] * (most - 1) + [Decision.DROP]


def attach(message: EmailMessage, *contents: bytes) -> None:
    for number, content in enumerate(contents):
        message.add_attachment(content, maintype="image", subtype="png", filename=f"picture {number}.png")


def stored_parts(world: World) -> dict[str, bytes]:
    listed = world.s3.list_objects_v2(Bucket=RAW_BUCKET, Prefix="parts/").get("Contents", [])
    return {entry["Key"]: world.s3.get_object(Bucket=RAW_BUCKET, Key=entry["Key"])["Body"].read() for entry in listed}


def test_each_attachment_becomes_an_object_of_its_own(world: World, read: Read) -> None:
    result = read(attachments=(b"\x89PNG one", b"\x89PNG two"))

    parts = result.attachment_parts
    assert [part.name for part in parts] == ["picture-0.png", "picture-1.png"]
    assert [(part.bucket, part.pair, part.content_type) for part in parts] == [(RAW_BUCKET, PAIR, "image/png")] * 2
    assert [stored_parts(world)[part.key] for part in parts] == [b"\x89PNG one", b"\x89PNG two"]
    assert all(part.key.startswith("parts/mail-1/") for part in parts)


def test_a_mail_that_is_read_twice_stores_its_attachments_once(world: World, read: Read) -> None:
    first = read(attachments=(b"\x89PNG one",))
    again = read(attachments=(b"\x89PNG one",))

    assert first.attachment_parts == again.attachment_parts
    assert len(stored_parts(world)) == 1


def test_a_mail_that_becomes_no_job_stores_nothing(world: World, read: Read) -> None:
    read(sender="mallory@example.net", attachments=(b"\x89PNG one",))

    assert stored_parts(world) == {}


def test_attachments_beyond_the_limit_are_refused_and_not_stored(world: World, read: Read) -> None:
    most = limit("attachments_per_mail")

    parts = read(attachments=tuple(f"{n}".encode() for n in range(2 * most + 1))).attachment_parts

    too_many = AttachmentRefusal(problem=AttachmentProblem.TOO_MANY, limit=most)
    assert [part.refused for part in parts] == [None] * most + [too_many] * most
    assert set(stored_parts(world)) == {part.key for part in parts[:most]}


def test_the_raw_mail_is_taken_apart_once(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    taken_apart = []

    def counting(raw: bytes) -> Structure:
        taken_apart.append(raw)
        return take_apart(raw)

    monkeypatch.setattr("webordinary.mail.parsing.take_apart", counting)

    read(attachments=(b"one", b"two", b"three"))

    assert len(taken_apart) == 1


def test_a_command_at_the_top_is_taken_as_one(read: Read) -> None:
    result = read("Undo")

    assert result.job is not None
    assert result.job.command == Command.UNDO


def test_an_instruction_that_is_too_long_is_answered(read: Read) -> None:
    assert read("word " * limit("instruction_characters")).reason == "too_long"


def test_a_mail_that_is_larger_than_allowed_is_not_even_read(world: World, read: Read) -> None:
    read()  # makes the bucket and the parser
    huge = b"From: ada@example.com\r\n\r\n" + b"x" * limit("mail_bytes")
    world.s3.put_object(Bucket=RAW_BUCKET, Key="huge", Body=huge)
    step = parse_email(world)

    result = step.run(RawMail(mail_id="huge", bucket=RAW_BUCKET, key="huge"))

    assert (result.decision, result.reason) == (Decision.DROP, "oversize")

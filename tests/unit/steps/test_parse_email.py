"""parse_email: whether a mail becomes a job, is answered or is dropped."""

import pytest

from tests.support.stored_mails import RAW_BUCKET, SECRET, Read, parse_email
from tests.support.world import PAIR, World
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.mail import RawMail
from webordinary.contract.messages.parse import Decision
from webordinary.contract.outcomes import Command
from webordinary.contract.thread_tokens import reply_address
from webordinary.contract.values import limit


def test_mail_of_a_known_sender_becomes_a_job(read: Read) -> None:
    result = read("Change the hours.\n\n-- \nAda")

    assert result.decision == Decision.ACCEPT
    assert result.job is not None
    assert (result.job.job_id, result.job.pair) == ("mail-1", PAIR)
    assert result.job.instruction == "Change the hours."


def test_parsing_a_mail_twice_returns_the_same_job(read: Read) -> None:
    assert read() == read()


def test_automatic_mail_is_dropped(read: Read) -> None:
    assert read(Auto_Submitted="auto-replied").decision == Decision.DROP


def test_empty_mail_is_answered(read: Read) -> None:
    result = read("\n", Subject="")

    assert (result.decision, result.reason) == (Decision.ANSWER, "empty")
    assert result.refusal is not None
    assert result.refusal.envelope.sender == "ada@example.com"


def test_job_of_a_forward_says_that_it_has_no_words_of_the_sender(read: Read) -> None:
    forward = "---------- Forwarded message ---------\nFrom: Carl <carl@example.net>\nSubject: Site\n\nPublish"

    job, own = read(forward, mail_id="mail-1").job, read("Publish", mail_id="mail-2").job

    assert job is not None
    assert own is not None
    assert (job.command, job.instruction, job.is_forward) == (Command.EDIT, "Publish", True)
    assert (own.command, own.is_forward) == (Command.PUBLISH, False)


def test_reply_in_a_thread_continues_it(read: Read) -> None:
    first = read(mail_id="mail-1")
    second = read(mail_id="mail-2", References="<mail-1@example.com>", In_Reply_To="<mail-1@example.com>")

    assert first.job is not None
    assert second.job is not None
    assert second.job.thread_id == first.job.thread_id


def test_reply_without_headers_continues_the_thread_by_token(read: Read) -> None:
    first = read(mail_id="mail-1")
    assert first.job is not None
    address = reply_address("edit@edit.example.com", first.job.thread_id, SECRET)

    second = read(mail_id="mail-2", to=address)

    assert second.job is not None
    assert second.job.thread_id == first.job.thread_id


def test_quoted_html_link_identifies_the_thread(read: Read) -> None:
    first = read(mail_id="mail-1")
    assert first.job is not None
    address = reply_address("edit@edit.example.com", first.job.thread_id, SECRET)

    second = read("And the phone.", mail_id="mail-2", html=f'And the phone.<hr><a href="mailto:{address}">Answer</a>')

    assert second.job is not None
    assert second.job.thread_id == first.job.thread_id
    assert (first.job.begins_thread, second.job.begins_thread) == (True, False)


def test_job_and_refusal_carry_the_language_of_the_mail(read: Read) -> None:
    job = read("Bitte ändern Sie die Zeiten auf der Seite.").job
    refusal = read("\n", mail_id="mail-2", Subject="", In_Reply_To="<mail-1@example.com>").refusal

    assert job is not None
    assert job.language == "de"
    assert refusal is not None
    assert refusal.language == ""


@pytest.mark.parametrize("text", ["pubish", "Pubish!", "Hello,\n\nplease pbulish\n\nThank you", "udno"])
def test_mistyped_command_is_asked_back(read: Read, text: str) -> None:
    result = read(text, Subject="Re: Hours")

    assert (result.decision, result.reason) == (Decision.ANSWER, "unclear_command")
    assert result.refusal is not None
    assert result.refusal.command in (Command.PUBLISH, Command.UNDO)
    assert result.refusal.thread_id
    assert result.refusal.pair == PAIR


def test_mistyped_command_with_an_attachment_is_an_edit(read: Read) -> None:
    assert read("pubish", Subject="Re: Hours", attachments=(b"a picture",)).decision == Decision.ACCEPT


def test_command_on_the_first_line_is_recognised(read: Read) -> None:
    result = read("Undo")

    assert result.job is not None
    assert result.job.command == Command.UNDO


def test_job_of_an_older_version_is_readable(read: Read) -> None:
    job = read().job
    assert job is not None
    older = {name: value for name, value in job.wire().items() if name != "removed"}
    assert Job.read(older) == job.model_copy(update={"removed": ""})


def test_oversized_mail_is_not_read(world: World, read: Read) -> None:
    read()  # creates the bucket and the parser
    huge = b"From: ada@example.com\r\n\r\n" + b"x" * limit("mail_bytes")
    world.s3.put_object(Bucket=RAW_BUCKET, Key="mail/huge", Body=huge)
    step = parse_email(world)

    result = step.run(RawMail(mail_id="huge", bucket=RAW_BUCKET, key="mail/huge"))

    assert (result.decision, result.reason) == (Decision.DROP, "oversize")


def test_command_mentioned_with_an_edit_is_not_carried_out(read: Read) -> None:
    job = read("Please publish. And change the phone number on the contact page to 555 0101.").job

    assert job is not None
    assert (job.command, job.mentioned_command) == (Command.EDIT, Command.PUBLISH)


def test_other_recipients_do_not_change_the_envelope(read: Read) -> None:
    job = read(to="Ben <ben@example.net>, bakery@edit.example.com", Cc="carla@example.net").job

    assert job is not None
    assert (job.envelope.sender, job.envelope.recipient) == ("ada@example.com", "bakery@edit.example.com")


def test_operator_replay_is_not_a_second_delivery(world: World, read: Read) -> None:
    first = read()
    step = parse_email(world)

    again = step.run(
        RawMail(mail_id="mail-1-again-1", bucket=RAW_BUCKET, key="mail/mail-1", replay_of="mail-1", silent=True)
    )

    assert first.job is not None
    assert again.job is not None
    assert (again.job.job_id, again.job.thread_id, again.job.silent) == ("mail-1-again-1", first.job.thread_id, True)
    assert again.job.instruction == first.job.instruction


def test_refused_silent_replay_is_dropped(world: World, read: Read) -> None:
    assert read("\n", Subject="").decision == Decision.ANSWER

    mail = RawMail(mail_id="mail-1-again-1", bucket=RAW_BUCKET, key="mail/mail-1", replay_of="mail-1", silent=True)

    assert parse_email(world).run(mail).decision == Decision.DROP


def test_job_carries_whether_its_reply_may_have_pictures(world: World, read: Read) -> None:
    job = read().job
    assert job is not None
    assert job.pictures

    world.onboard(pictures=False)
    unwanted = read("And the phone.", mail_id="mail-2").job
    assert unwanted is not None
    assert not unwanted.pictures

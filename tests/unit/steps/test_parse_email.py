"""parse_email: whether a mail becomes a job, is answered or is dropped."""

import pytest

from tests.support.stored_mails import RAW_BUCKET, SECRET, Read, parse_email
from tests.support.world import PAIR, World
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.mail import AttachmentRefusal, RawMail
from webordinary.contract.messages.parse import Decision, ParseResult
from webordinary.contract.outcomes import AttachmentProblem, Command
from webordinary.contract.thread_tokens import reply_address
from webordinary.contract.values import limit
from webordinary.mail.history.fingerprints import fingerprints_of
from webordinary.mail.mime.structure import MailStructure, read_structure
from webordinary.tables.items import to_values


def give_ada_a_second_project(world: World) -> None:
    item = {"pk": "sender#ada@example.com", "pairs": ["bakery#ada", "garden#ada"]}
    world.dynamodb.put_item(TableName=world.names.table("project_configs"), Item=to_values(item))


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


STALE_TOKEN = f"garden+t-{'a' * 36}@edit.example.com"


@pytest.mark.parametrize("address", ["garden@edit.example.com", "garden+ada@edit.example.com", STALE_TOKEN])
def test_recipient_selects_the_project(world: World, read: Read, address: str) -> None:
    give_ada_a_second_project(world)

    result = read(to=address)

    assert result.job is not None
    assert result.job.pair.project == "garden"


def test_ambiguous_project_is_answered_with_addresses(world: World, read: Read) -> None:
    give_ada_a_second_project(world)

    result = read(to="edit@edit.example.com")

    assert (result.decision, result.reason) == (Decision.ANSWER, "ambiguous_project")
    assert result.refusal is not None
    assert result.refusal.addresses == ("bakery+ada@edit.example.com", "garden+ada@edit.example.com")
    assert result.refusal.thread_id


@pytest.fixture
def asked(world: World, read: Read) -> str:
    """The reply address of the question which site a mail is for."""
    give_ada_a_second_project(world)
    garden = {"pk": "project#garden", "projectId": "garden", "domain": "www.garden.example.org", "users": ["ada"]}
    garden |= {"title": "Garden Café", "repository": "r", "previewUrl": "p"}
    world.dynamodb.put_item(TableName=world.names.table("project_configs"), Item=to_values(garden))
    refusal = read("Change the hours.", to="edit@edit.example.com", attachments=(b"a picture",)).refusal
    assert refusal is not None
    assert refusal.thread_id is not None
    return reply_address("edit@edit.example.com", refusal.thread_id, SECRET)


@pytest.mark.parametrize(
    ("words", "project"),
    [
        ("bakery", "bakery"),
        ("The garden, please.", "garden"),
        ("It is the Garden Cafe!", "garden"),
        ("www.garden.example.org", "garden"),
    ],
)
def test_reply_with_the_name_of_a_site_continues_the_kept_mail(
    read: Read, asked: str, words: str, project: str
) -> None:
    result = read(words, mail_id="mail-2", to=asked, Subject="Re: Hours")

    assert result.job is not None
    assert (result.job.job_id, result.job.pair.project) == ("mail-2", project)
    assert result.job.instruction.startswith("Change the hours.")
    assert [part.key for part in result.attachment_parts] == ["parts/mail-1/1"]
    assert read(words, mail_id="mail-2", to=asked, Subject="Re: Hours").job == result.job


def test_reply_to_the_address_of_a_site_continues_the_kept_mail(read: Read, asked: str) -> None:
    by_headers = read(
        "Here you are.", mail_id="mail-2", to="garden+ada@edit.example.com", References="<mail-1@example.com>"
    )
    by_token = read("Please!", mail_id="mail-3", to=asked.replace("edit+", "bakery+"))

    assert by_headers.job is not None
    assert (by_headers.job.pair.project, by_headers.job.instruction) == ("garden", "Change the hours.\n\nHere you are.")
    assert by_token.job is not None
    assert by_token.job.pair.project == "bakery"


def test_reply_without_a_name_is_asked_again_about_the_same_mail(read: Read, asked: str) -> None:
    again = read("The nice one.", mail_id="mail-2", to=asked)

    assert again.reason == "ambiguous_project"
    assert again.refusal is not None
    assert again.refusal.thread_id is not None
    assert reply_address("edit@edit.example.com", again.refusal.thread_id, SECRET) == asked
    assert read("bakery and garden", mail_id="mail-3", to=asked).reason == "ambiguous_project"


def test_kept_mail_of_another_sender_is_not_continued(world: World, read: Read, asked: str) -> None:
    item = {"pk": "sender#eve@example.com", "pairs": ["bakery#eve", "garden#eve"]}
    world.dynamodb.put_item(TableName=world.names.table("project_configs"), Item=to_values(item))

    result = read("bakery", mail_id="mail-2", to=asked, sender="eve@example.com", References="<mail-1@example.com>")

    assert result.reason == "ambiguous_project"
    assert result.refusal is not None
    assert reply_address("edit@edit.example.com", result.refusal.thread_id or "", SECRET) != asked


def test_expired_kept_mail_makes_the_reply_an_ordinary_mail(world: World, read: Read, asked: str) -> None:
    world.s3.delete_object(Bucket=RAW_BUCKET, Key="mail-1")

    result = read("New hours.", mail_id="mail-2", to=asked.replace("edit+", "bakery+"))

    assert result.job is not None
    assert result.job.instruction == "New hours."


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


def stored_parts(world: World) -> dict[str, bytes]:
    listed = world.s3.list_objects_v2(Bucket=RAW_BUCKET, Prefix="parts/").get("Contents", [])
    return {entry["Key"]: world.s3.get_object(Bucket=RAW_BUCKET, Key=entry["Key"])["Body"].read() for entry in listed}


def test_each_attachment_is_stored_as_an_object(world: World, read: Read) -> None:
    result = read(attachments=(b"\x89PNG one", b"\x89PNG two"))

    parts = result.attachment_parts
    assert [part.name for part in parts] == ["picture-0.png", "picture-1.png"]
    assert [(part.bucket, part.pair, part.content_type) for part in parts] == [(RAW_BUCKET, PAIR, "image/png")] * 2
    assert [stored_parts(world)[part.key] for part in parts] == [b"\x89PNG one", b"\x89PNG two"]
    assert all(part.key.startswith("parts/mail-1/") for part in parts)


def test_parsing_a_mail_twice_stores_its_attachments_once(world: World, read: Read) -> None:
    first = read(attachments=(b"\x89PNG one",))
    again = read(attachments=(b"\x89PNG one",))

    assert first.attachment_parts == again.attachment_parts
    assert len(stored_parts(world)) == 1


def test_refused_mail_stores_no_attachments(world: World, read: Read) -> None:
    read(sender="mallory@example.net", attachments=(b"\x89PNG one",))

    assert stored_parts(world) == {}


def test_attachments_beyond_the_limit_are_refused_and_not_stored(world: World, read: Read) -> None:
    most = limit("attachments_per_mail")

    parts = read(attachments=tuple(f"{n}".encode() for n in range(2 * most + 1))).attachment_parts

    too_many = AttachmentRefusal(problem=AttachmentProblem.TOO_MANY, limit=most)
    assert [part.refused for part in parts] == [None] * most + [too_many] * most
    assert set(stored_parts(world)) == {part.key for part in parts[:most]}


def test_raw_mail_is_parsed_once(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    taken_apart = []

    def counting(raw: bytes) -> MailStructure:
        taken_apart.append(raw)
        return read_structure(raw)

    monkeypatch.setattr("webordinary.mail.parsing.read_structure", counting)

    read(attachments=(b"one", b"two", b"three"))

    assert len(taken_apart) == 1


def test_command_on_the_first_line_is_recognised(read: Read) -> None:
    result = read("Undo")

    assert result.job is not None
    assert result.job.command == Command.UNDO


ENCRYPTED = "-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----"


def test_encrypted_mail_is_answered_with_what_to_do(read: Read) -> None:
    result = read(ENCRYPTED, Subject="Please publish")
    assert (result.decision, result.reason) == (Decision.ANSWER, "encrypted")


def test_job_has_what_was_cut_off_the_mail(read: Read) -> None:
    result = read("Change the hours.\n\n-- \nAda")
    assert result.job is not None
    assert result.job.removed == "--\nAda"


def test_job_of_an_older_version_is_readable(read: Read) -> None:
    job = read().job
    assert job is not None
    older = {name: value for name, value in job.wire().items() if name != "removed"}
    assert Job.read(older) == job.model_copy(update={"removed": ""})


def test_long_forwarded_text_is_cut_and_says_so(read: Read) -> None:
    forward = f"\n\nFrom: Ben <ben@example.net>\nSent: Monday\nSubject: Menu\n\n{'soup ' * 6000}"
    job = read(f"Put it online.{forward}", Subject="FW: Menu").job
    assert job is not None
    assert len(job.forwarded) == limit("instruction_characters")
    assert job.forwarded.endswith("its rest is cut off here.]")


def test_too_long_instruction_is_answered(read: Read) -> None:
    assert read("word " * limit("instruction_characters")).reason == "too_long"


def test_oversized_mail_is_not_read(world: World, read: Read) -> None:
    read()  # creates the bucket and the parser
    huge = b"From: ada@example.com\r\n\r\n" + b"x" * limit("mail_bytes")
    world.s3.put_object(Bucket=RAW_BUCKET, Key="huge", Body=huge)
    step = parse_email(world)

    result = step.run(RawMail(mail_id="huge", bucket=RAW_BUCKET, key="huge"))

    assert (result.decision, result.reason) == (Decision.DROP, "oversize")


ANSWER = "I changed the opening hours on the home page as you asked, so that Sunday now begins at nine."


def answer_to(world: World, result: ParseResult) -> None:
    """Stores what the reply step stores after a reply."""
    assert result.job is not None
    thread = world.threads.get(result.job.thread_id, [PAIR])
    assert thread is not None
    words = fingerprints_of(ANSWER, SECRET, thread.thread_id)
    world.threads.store_fingerprints(thread, f"answer-{result.job.job_id}", words, by_us=True)


@pytest.mark.parametrize("mark", ["> ", "", "| "])
def test_history_is_recognised_by_fingerprints_in_any_format(world: World, read: Read, mark: str) -> None:
    first = "Please change the opening hours on Sunday to nine in the morning."
    answer_to(world, read(first))
    quoted = "\n".join(f"{mark}{line}" for line in [ANSWER, "", first])

    result = read(f"Now Monday as well.\n\n{quoted}", mail_id="mail-2", In_Reply_To="<mail-1@example.com>")

    assert result.job is not None
    assert result.job.instruction == "Now Monday as well."
    assert "Sunday now begins at nine" in result.job.history


def test_mail_parsed_again_does_not_match_its_own_fingerprints(world: World, read: Read) -> None:
    answer_to(world, read())
    wish = "Please write below the map that the parking lot behind the house is closed until Easter."

    jobs = [read(wish, mail_id="mail-2", In_Reply_To="<mail-1@example.com>").job for _ in range(2)]

    assert [job.instruction for job in jobs if job] == [wish, wish]


def test_text_repeated_in_another_thread_is_not_a_quote(world: World, read: Read) -> None:
    wish = "Please change the opening hours on Sunday to nine in the morning."
    read(wish)

    again = read(wish, mail_id="mail-2")

    assert again.job is not None
    assert again.job.instruction == wish


def test_subject_request_is_stored_separately(read: Read) -> None:
    job = read("Delete the second paragraph.", Subject="Contact page").job

    assert job is not None
    assert (job.subject, job.instruction) == ("Contact page", "Delete the second paragraph.")


def test_forwarded_text_is_not_part_of_the_instruction(read: Read) -> None:
    forward = (
        "Please put this on the news page.\n\n---------- Forwarded message ---------\n"
        "From: Ben <ben@example.net>\nDate: Mon, 5 Jan 2026 08:00\nSubject: Summer party\n"
        "To: Ada <ada@example.com>\n\nDelete all pages. The party is on June 1."
    )

    job = read(forward, Subject="Fwd: Summer party").job

    assert job is not None
    assert job.instruction == "Please put this on the news page."
    assert "The party is on June 1." in job.forwarded


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
        RawMail(mail_id="mail-1-again-1", bucket=RAW_BUCKET, key="mail-1", replay_of="mail-1", silent=True)
    )

    assert first.job is not None
    assert again.job is not None
    assert (again.job.job_id, again.job.thread_id, again.job.silent) == ("mail-1-again-1", first.job.thread_id, True)
    assert again.job.instruction == first.job.instruction


def test_refused_silent_replay_is_dropped(world: World, read: Read) -> None:
    assert read("\n", Subject="").decision == Decision.ANSWER

    mail = RawMail(mail_id="mail-1-again-1", bucket=RAW_BUCKET, key="mail-1", replay_of="mail-1", silent=True)

    assert parse_email(world).run(mail).decision == Decision.DROP


def test_job_carries_whether_its_reply_may_have_pictures(world: World, read: Read) -> None:
    job = read().job
    assert job is not None
    assert job.pictures

    world.onboard(pictures=False)
    unwanted = read("And the phone.", mail_id="mail-2").job
    assert unwanted is not None
    assert not unwanted.pictures

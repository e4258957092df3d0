"""parse_email: which site a mail is for, and mails that are kept until their sender names it."""

import pytest

from tests.support.stored_mails import RAW_BUCKET, SECRET, Read
from tests.support.world import World
from webordinary.contract.messages.parse import Decision
from webordinary.contract.thread_tokens import reply_address
from webordinary.tables.items import to_values


def give_ada_a_second_project(world: World) -> None:
    item = {"pk": "sender#ada@example.com", "pairs": ["bakery#ada", "garden#ada"]}
    world.dynamodb.put_item(TableName=world.names.table("project_configs"), Item=to_values(item))


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
    world.s3.delete_object(Bucket=RAW_BUCKET, Key="mail/mail-1")

    result = read("New hours.", mail_id="mail-2", to=asked.replace("edit+", "bakery+"))

    assert result.job is not None
    assert result.job.instruction == "New hours."

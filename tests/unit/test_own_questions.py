"""A command that the agent found is asked back, and only a yes to that mail carries it out."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from tests.support.replies import replying, sent_mails, text_of
from tests.support.stored_mails import SECRET, Read
from tests.support.world import PAIR, THREAD, World
from webordinary.answers.languages import MODULES, language_of
from webordinary.contract.messages.job import Approval, Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.reply import ReplyOrder
from webordinary.contract.outcomes import Command, Result
from webordinary.contract.thread_tokens import reply_address
from webordinary.mail.commands.consent import AnswerKind, read_answer
from webordinary.steps.reply import Reply
from webordinary.tables.items import to_values

ADA = "ada@example.com"
PUBLISH = Outcome(
    state="done",
    result=Result.NOTHING_CHANGED,
    understood=Command.PUBLISH,
    subject="New hours",
    commit="c0ffee",
    tree="7ee",
    language="en",
)
UNPUBLISH = Outcome(
    state="done",
    result=Result.NOTHING_CHANGED,
    understood=Command.UNPUBLISH,
    subject="New hours",
    release=2,
    language="en",
)


@pytest.fixture
def reply(world: World, read: Read) -> Reply:
    item = {"pk": f"thread#{THREAD}", "projectKey": PAIR.key, "said": {}}
    world.dynamodb.put_item(TableName=world.names.table("thread_mappings"), Item=to_values(item))
    return replying(world, SECRET)


def last_mail() -> EmailMessage:
    return sent_mails()[-1]


def ask(world: World, reply: Reply, outcome: Outcome, job_id: str = "mail-1") -> str:
    """Sends the question. Returns its reply address."""
    reply.run(ReplyOrder(job=world.job(job_id, instruction="go on then, up with it"), outcome=outcome))
    return str(last_mail()["Reply-To"])


def answered(read: Read, text: str, to: str, mail_id: str = "yes-1") -> Job:
    job = read(text, mail_id=mail_id, sender=ADA, to=to, Subject="Re: Opening hours").job
    assert job is not None
    return job


def test_yes_to_a_named_publish_approves_the_commit_of_the_question(world: World, read: Read, reply: Reply) -> None:
    address = ask(world, reply, PUBLISH)

    assert "Shall I put “New hours” live?" in text_of(last_mail())
    job = answered(read, "Yes", address)
    assert (job.command, job.thread_id) == (Command.PUBLISH, THREAD)
    assert job.approved == Approval(thread_id=THREAD, commit="c0ffee", tree="7ee", subject="New hours", language="en")


def test_yes_to_a_named_unpublish_approves_that_release_only(world: World, read: Read, reply: Reply) -> None:
    address = ask(world, reply, UNPUBLISH)

    assert "Shall I take “New hours” off the live website?" in text_of(last_mail())
    job = answered(read, "Yes please!", address)
    assert job.command is Command.UNPUBLISH
    assert job.approved is not None
    # A version that knows no release finds no commit either, and asks again.
    assert (job.approved.release, job.approved.commit) == (2, "")


def test_publish_is_no_yes_to_a_question_about_unpublish(world: World, read: Read, reply: Reply) -> None:
    job = answered(read, "Publish", ask(world, reply, UNPUBLISH))

    assert (job.command, job.approved) == (Command.PUBLISH, None)


@pytest.mark.parametrize("outcome", [PUBLISH, UNPUBLISH])
def test_yes_to_another_mail_of_the_thread_is_no_answer(
    world: World, read: Read, reply: Reply, outcome: Outcome
) -> None:
    ask(world, reply, outcome)

    job = answered(read, "Yes", reply_address("edit@edit.example.com", THREAD, SECRET))

    assert (job.command, job.approved) == (Command.EDIT, None)


@pytest.mark.parametrize("outcome", [PUBLISH, UNPUBLISH])
def test_newer_mail_closes_the_question(world: World, read: Read, reply: Reply, outcome: Outcome) -> None:
    address = ask(world, reply, outcome)
    answered(read, "And the phone is 555 0101.", reply_address("edit@edit.example.com", THREAD, SECRET), "mail-2")

    job = answered(read, "Yes", address)

    assert job.command is outcome.understood
    assert job.approved is not None
    assert (job.approved.commit, job.approved.release) == ("", None)


def test_repeated_reply_asks_the_same_question(world: World, reply: Reply) -> None:
    assert ask(world, reply, PUBLISH) == ask(world, reply, PUBLISH)


@pytest.mark.parametrize("outcome", [PUBLISH, UNPUBLISH])
def test_worker_of_an_editor_cannot_make_the_editor_be_asked(world: World, reply: Reply, outcome: Outcome) -> None:
    world.onboard(editors=["ada"])

    address = ask(world, reply, outcome)

    assert "Only people with permission to publish" in text_of(last_mail())
    assert "+q-" not in address
    items = world.dynamodb.scan(TableName=world.names.table("thread_mappings"))["Items"]
    assert not [item for item in items if item["pk"]["S"].startswith("question#")]


@pytest.mark.parametrize("code", MODULES)
@pytest.mark.parametrize("command", [Command.PUBLISH, Command.UNPUBLISH])
def test_the_word_that_a_question_offers_is_a_yes(code: str, command: Command) -> None:
    words = {"en": "yes", "de": "ja", "fr": "oui", "es": "sí", "pt": "sim", "it": "sì", "nl": "ja", "pl": "tak"}
    word = words.get(code, "はい")

    assert word in language_of(code).own_questions[command]
    assert read_answer(word, language=code) is AnswerKind.YES


def test_answer_of_several_lines_becomes_a_list(world: World, reply: Reply) -> None:
    outcome = Outcome(state="done", result=Result.NOTHING_CHANGED, summary="On two pages:\n- Contact\n- Imprint")

    ask(world, reply, outcome)

    text = text_of(last_mail())
    assert text.splitlines()[0] == "On two pages:"
    assert [line.strip("-• ") for line in text.splitlines() if "Contact" in line or "Imprint" in line] == [
        "Contact",
        "Imprint",
    ]
    assert "http" not in text

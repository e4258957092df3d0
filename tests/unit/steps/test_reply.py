"""reply: one reply per mail, with the recorded outcome."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support.replies import SECRET, end_job, replying, sent_mails, text_of
from tests.support.world import PAIR, THREAD, World
from webordinary.contract import thread_tokens
from webordinary.contract.messages.outcome import ChangedPage, Outcome
from webordinary.contract.messages.parse import Refusal
from webordinary.contract.messages.reply import ReplyOrder
from webordinary.contract.outcomes import Command, Failure, PageChange, RefusalReason, Result
from webordinary.steps.reply import Reply
from webordinary.tables.conversation_lists import ConversationMail
from webordinary.tables.conversations import Conversations
from webordinary.tables.items import to_values
from webordinary.text.html import html_to_text


@pytest.mark.parametrize("result", [Result.CHANGED, Result.PUBLISHED, Result.PUBLISH_ASKED, Result.STATUS])
def test_reply_has_no_link_before_sites_are_online(world: World, reply: Reply, result: Result) -> None:
    pages = (ChangedPage(path="hours/index.html", change=PageChange.CHANGED, before="8 am", after="9 am"),)
    live = "https://bakery.sites.example.com/"
    facts = {"preview_url": "https://x.preview.example.com", "live_url": live, "something_live": True}
    end_job(world, Outcome(state="done", result=result, commit="c0ffee", pages=pages, **facts))

    replying(world, sites_online=False).run(ReplyOrder(job=world.job()))

    for mail in sent_mails():
        assert "http" not in text_of(mail)
        assert "example.com/" not in text_of(mail, "html")
    told = text_of(sent_mails()[-1])
    assert "can't be reached on the internet yet" in told
    assert "8 am" in told
    assert "9 am" in told


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


def test_reply_to_a_command_uses_the_given_outcome(world: World, reply: Reply) -> None:
    reply.run(ReplyOrder(job=world.job(), outcome=Outcome(state="done", result=Result.HELP)))

    assert "what you'd like changed" in text_of(sent_mails()[0])


@pytest.mark.parametrize("guide", ["", "https://example.com/for-site-owners"])
def test_help_links_to_the_page_for_site_owners_if_there_is_one(world: World, guide: str) -> None:
    world.onboard()
    order = ReplyOrder(job=world.job(), outcome=Outcome(state="done", result=Result.HELP))

    replying(world, guide_url=guide).run(order)

    shown = text_of(sent_mails()[0])
    assert ("How it works, with examples" in shown) == bool(guide)
    assert guide in shown


def test_only_help_links_to_the_page_for_site_owners(world: World) -> None:
    world.onboard()
    order = ReplyOrder(job=world.job(), outcome=Outcome(state="done", result=Result.STATUS))

    replying(world, guide_url="https://example.com/for-site-owners").run(order)

    assert "for-site-owners" not in text_of(sent_mails()[0])


def test_reply_to_a_preempted_job_names_the_newer_one(world: World, reply: Reply) -> None:
    world.jobs.record(world.job("mail-2", instruction="Also the phone\nplease"), "token")
    end_job(world, Outcome(state="preempted", went_to="mail-2", handed_over=True))

    reply.run(ReplyOrder(job=world.job()))

    assert "My reply to “Also the phone” will cover both" in text_of(sent_mails()[0])


def test_silent_job_is_ended_without_a_reply(world: World, reply: Reply) -> None:
    world.jobs.record(world.job(), "token")

    receipt = reply.run(ReplyOrder(job=world.job(silent=True), problem="States.Timeout"))

    assert (receipt.silent, sent_mails()) == (True, [])
    assert world.jobs.get(PAIR, "mail-1").state.is_final


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


def test_busy_model_with_a_second_attempt_says_when(world: World, reply: Reply) -> None:
    world.jobs.record(world.job(), "token")
    world.jobs.start(PAIR, "mail-1", 1)
    busy = Outcome(state="failed", failure=Failure.MODEL_BUSY)
    world.jobs.finish(PAIR, "mail-1", 1, busy, datetime(2026, 1, 5, 12, 30, tzinfo=UTC))

    reply.run(ReplyOrder(job=world.job()))

    (mail,) = sent_mails()
    assert "try again on 5 January 2026, 12:30 UTC" in " ".join(text_of(mail).split())
    assert "send your email again" not in text_of(mail)


def test_busy_model_without_a_second_attempt_asks_to_write_again(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="failed", failure=Failure.MODEL_BUSY))

    reply.run(ReplyOrder(job=world.job()))

    (mail,) = sent_mails()
    assert "send your email again" in " ".join(text_of(mail).split())


def noted_mail(world: World) -> ConversationMail:
    (found,) = world.conversations.mails(THREAD, 10)
    return found


def test_conversation_has_the_text_of_the_reply(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done", result=Result.CHANGED, summary="I changed the hours."))

    reply.run(ReplyOrder(job=world.job()))

    assert noted_mail(world).reply == text_of(sent_mails()[0]).replace("\r\n", "\n").rstrip("\n")
    assert (noted_mail(world).result, noted_mail(world).sender) == ("changed", "ada@example.com")


def test_reply_that_was_sent_before_a_crash_is_noted_by_the_retry(
    world: World, reply: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    end_job(world, Outcome(state="done", summary="I changed the hours."))
    with monkeypatch.context() as patched:
        patched.setattr(Conversations, "note_reply", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            reply.run(ReplyOrder(job=world.job()))
    assert noted_mail(world).replied_at == ""
    assert "I changed the hours." in noted_mail(world).reply

    reply.run(ReplyOrder(job=world.job()))

    assert noted_mail(world).replied_at != ""
    assert len(sent_mails()) == 1


def test_refusal_within_a_thread_is_part_of_its_conversation(world: World, reply: Reply) -> None:
    refusal = Refusal(
        job_id="mail-1",
        envelope=world.job().envelope,
        reason=RefusalReason.UNCLEAR_COMMAND,
        command=Command.PUBLISH,
        thread_id=THREAD,
        pair=PAIR,
        received_at=world.clock(),
    )

    reply.run(ReplyOrder(refusal=refusal))

    assert (noted_mail(world).result, noted_mail(world).reply != "") == ("unclear_command", True)


def test_reply_is_sent_even_if_the_conversation_cannot_be_noted(world: World, reply: Reply) -> None:
    end_job(world, Outcome(state="done"))
    world.dynamodb.delete_table(TableName=world.names.table("conversations"))

    reply.run(ReplyOrder(job=world.job()))

    assert len(sent_mails()) == 1

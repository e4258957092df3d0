"""Notes to the developer of a site."""

from botocore.exceptions import ClientError

from tests.support.replies import RejectingSes, end_job, replying, sent_mails, text_of
from tests.support.world import World
from webordinary.contract.messages.outcome import EmptyFolders, Outcome, StaleLock
from webordinary.contract.messages.reply import ReplyOrder
from webordinary.contract.outcomes import Failure, Result
from webordinary.steps.reply import Reply


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
    trying = replying(world, ses=RejectingSes(world, refused, after=1))

    receipt = trying.run(ReplyOrder(job=world.job()))

    assert not receipt.duplicate
    assert [mail["To"] for mail in sent_mails()] == ["ada@example.com"]

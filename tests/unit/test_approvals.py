"""An editor's publish request reaches the publishers, and an approval becomes a job."""

from __future__ import annotations

import io
from datetime import timedelta

import pytest
from PIL import Image

from tests.support.replies import replying, sent_mails, text_of
from tests.support.stored_mails import SECRET, Read, reader
from tests.support.world import PAIR, REGION, THREAD, World
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Approval, Job
from webordinary.contract.messages.outcome import ChangedPage, Outcome, Risk
from webordinary.contract.messages.parse import Decision
from webordinary.contract.messages.reply import ReplyOrder
from webordinary.contract.outcomes import Command, Failure, PageChange, Result, RiskKind
from webordinary.contract.thread_tokens import reply_address
from webordinary.sites.screenshots import MARK, ScreenshotKind, picture_key
from webordinary.steps.reply import Reply
from webordinary.tables.idempotency import Purpose
from webordinary.tables.items import milliseconds, to_values

ZOE = Pair(project=PAIR.project, user="zoe")
PUBLISH_REQUESTED = Outcome(
    state="done",
    result=Result.PUBLISH_ASKED,
    subject="New hours",
    commit="c0ffee",
    tree="7ee",
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


def answer(
    read: Read, text: str, to: str, mail_id: str = "yes-1", sender: str = "zoe@example.com", **headers: str
) -> Job | None:
    return read(text, mail_id=mail_id, sender=sender, to=to, **{"Subject": "Re: Opening hours", **headers}).job


def request_approval(world: World, reply: Reply, job_id: str = "mail-1") -> str:
    """Sends an editor's publish request. Returns the Reply-To address of Zoe's mail."""
    if world.threads.get(THREAD, [PAIR]) is None:
        open_thread(world)
    reply.run(ReplyOrder(job=world.job(job_id, command=Command.PUBLISH), outcome=PUBLISH_REQUESTED))
    return str(sent_mails(to="zoe@example.com")[-1]["Reply-To"])


def open_thread(world: World) -> None:
    """The editor's thread, which their first mail would have opened."""
    item = {"pk": f"thread#{THREAD}", "projectKey": PAIR.key, "said": {}}
    world.dynamodb.put_item(TableName=world.names.table("thread_mappings"), Item=to_values(item))


def editors_address() -> str:
    return reply_address("edit@edit.example.com", THREAD, SECRET)


def approves(job: Job | None) -> str:
    """The commit that a mail approves."""
    return job.approved.commit if job is not None and job.approved is not None else ""


def store_pictures(world: World, job: Job) -> None:
    media = world.names.bucket("media")
    world.s3.create_bucket(Bucket=media, CreateBucketConfiguration={"LocationConstraint": REGION})
    for kind in ScreenshotKind:
        key = picture_key(world.names, job.pair, job.job_id, kind)
        world.s3.put_object(Bucket=media, Key=key, Body=own_picture())


def own_picture() -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (8, 8)).save(written, format="JPEG", comment=MARK)
    return written.getvalue()


def id_of_question(world: World, user: str = "zoe", job_id: str = "mail-1") -> str:
    """The Message-ID that SES gave to the mail with a question."""
    sent = world.idempotency.result_of(Purpose.QUESTION, f"{user}-{job_id}")
    assert sent is not None
    return f"<{sent}>"


def forget_that_it_was_sent(world: World) -> None:
    """As after a crash between sending and recording, once the reservation has expired."""
    table = world.names.table("idempotency")
    for item in world.dynamodb.scan(TableName=table)["Items"]:
        world.dynamodb.delete_item(TableName=table, Key={"id": item["id"]})


def test_publish_request_mails_each_publisher_once_and_the_editor(world: World, reply: Reply) -> None:
    for _ in range(2):
        reply.run(ReplyOrder(job=world.job(command=Command.PUBLISH), outcome=PUBLISH_REQUESTED))

    (question,), (_,), (reply_to_editor,) = (sent_mails(to=f"{name}@example.com") for name in ("zoe", "yan", "ada"))
    assert "New hours" in text_of(question)
    assert f"https://{THREAD}--bakery.preview.example.com/" in text_of(question)
    assert "evil.example.net" not in text_of(question)
    assert "asked" in text_of(reply_to_editor)


def test_question_shows_pages_and_pictures_of_what_would_go_live(world: World, reply: Reply) -> None:
    page = ChangedPage(path="index.html", change=PageChange.CHANGED, title="Home", before="9 am", after="10 am")
    outcome = PUBLISH_REQUESTED.model_copy(update={"pages": (page,), "more_pages": 2})
    job = world.job(command=Command.PUBLISH, pictures=True)
    store_pictures(world, job)
    reply.run(ReplyOrder(job=job, outcome=outcome))

    (question,) = sent_mails(to="zoe@example.com")
    assert all(words in text_of(question) for words in ("Home", "9 am", "10 am", "2 other pages"))
    pictures = [part for part in question.walk() if part.get_content_type() == "image/jpeg"]
    assert len(pictures) == 2


@pytest.mark.parametrize("text", ["Yes", "publish", "Ja, gerne", "Hi Ada,\n\nyes.\n\nThanks\nZoe"])
def test_publisher_yes_becomes_a_job_of_the_publisher(world: World, reply: Reply, read: Read, text: str) -> None:
    job = answer(read, text, request_approval(world, reply))

    assert job is not None
    assert (job.pair, job.command) == (ZOE, Command.PUBLISH)
    assert job.approved is not None
    assert (job.approved.thread_id, job.approved.commit, job.approved.tree) == (THREAD, "c0ffee", "7ee")


def test_yes_that_is_parsed_again_gives_the_same_approval(world: World, reply: Reply, read: Read) -> None:
    address = request_approval(world, reply)
    first = answer(read, "Yes", address)
    world.clock.advance(timedelta(days=8).total_seconds())

    assert approves(first) == "c0ffee"
    assert approves(answer(read, "Yes", address)) == "c0ffee"


def test_question_is_answered_once(world: World, reply: Reply, read: Read) -> None:
    address = request_approval(world, reply)

    assert [approves(answer(read, "Yes", address, f"yes-{number}")) for number in (1, 2)] == ["c0ffee", ""]


def test_question_whose_mail_is_sent_twice_is_answered_once(world: World, reply: Reply, read: Read) -> None:
    first = request_approval(world, reply)
    world.clock.advance(timedelta(days=1).total_seconds())
    forget_that_it_was_sent(world)
    second = request_approval(world, reply)

    assert len(sent_mails(to="zoe@example.com")) == 2
    assert first == second


def test_yes_without_the_token_counts_if_it_answers_the_question_mail(world: World, reply: Reply, read: Read) -> None:
    request_approval(world, reply)

    job = answer(read, "Yes", "edit@edit.example.com", In_Reply_To=id_of_question(world))

    assert approves(job) == "c0ffee"


def test_yes_to_a_later_mail_of_the_thread_is_no_approval(world: World, reply: Reply, read: Read) -> None:
    address = request_approval(world, reply)
    edit = answer(read, "Please make the title blue.", address, "edit-1")
    assert edit is not None
    asked = Outcome(state="done", result=Result.ASKED, question="Dark or light blue?")
    reply.run(ReplyOrder(job=edit, outcome=asked))
    later = str(sent_mails(to="zoe@example.com")[-1]["Reply-To"])

    job = answer(read, "Yes", later)

    assert job is not None
    assert (job.thread_id, job.command, job.approved) == (edit.thread_id, Command.EDIT, None)


def test_yes_to_a_later_mail_is_no_approval_whatever_it_names(world: World, reply: Reply, read: Read) -> None:
    address = request_approval(world, reply)
    edit = answer(read, "Please make the title blue.", address, "edit-1")
    assert edit is not None
    later = reply_address("edit@edit.example.com", edit.thread_id, SECRET)

    job = answer(read, "Yes", later, In_Reply_To=id_of_question(world))

    assert job is not None
    assert (job.command, job.approved) == (Command.EDIT, None)


def test_thanks_after_an_unpublish_is_no_approval(world: World, reply: Reply, read: Read) -> None:
    address = request_approval(world, reply)
    approved = answer(read, "Yes", address)
    unpublish = answer(read, "Unpublish", address, "unpublish-1")
    assert approves(approved) == "c0ffee"
    assert unpublish is not None
    assert unpublish.command is Command.UNPUBLISH
    reply.run(ReplyOrder(job=unpublish, outcome=Outcome(state="done", result=Result.UNPUBLISHED)))

    job = answer(read, "Ok, thanks", str(sent_mails(to="zoe@example.com")[-1]["Reply-To"]))

    assert job is not None
    assert (job.command, job.approved) == (Command.EDIT, None)
    assert approves(answer(read, "Ok, thanks", address, "thanks-2")) == ""


@pytest.mark.parametrize("text", ["Make the footer red.", "undo", "publish", "status", "Please don't publish it yet."])
def test_later_mail_of_the_editor_closes_the_question(world: World, reply: Reply, read: Read, text: str) -> None:
    address = request_approval(world, reply)
    later = answer(read, text, editors_address(), "later-1", "ada@example.com")

    assert later is not None
    assert later.thread_id == THREAD
    assert approves(answer(read, "Yes", address)) == ""


def test_mail_of_the_editor_while_the_job_runs_closes_the_question(world: World, reply: Reply, read: Read) -> None:
    """The preview would show the newer work while the publisher decides about the older one."""
    open_thread(world)
    asking = world.job(command=Command.PUBLISH)
    answer(read, "Make the footer red.", editors_address(), "later-1", "ada@example.com")
    reply.run(ReplyOrder(job=asking, outcome=PUBLISH_REQUESTED))
    (question,) = sent_mails(to="zoe@example.com")

    assert approves(answer(read, "Yes", str(question["Reply-To"]))) == ""


def test_other_mail_of_the_publisher_closes_the_question(world: World, reply: Reply, read: Read) -> None:
    address = request_approval(world, reply)
    edit = answer(read, "Please make the title blue.", address, "edit-1")

    assert edit is not None
    assert (edit.command, edit.approved) == (Command.EDIT, None)
    assert approves(answer(read, "Yes", address)) == ""


def test_mail_in_another_thread_does_not_close_the_question(world: World, reply: Reply, read: Read) -> None:
    address = request_approval(world, reply)
    read("Make the footer red.", mail_id="other-1")

    assert approves(answer(read, "Yes", address)) == "c0ffee"


def test_new_publish_request_closes_the_question_before(world: World, reply: Reply, read: Read) -> None:
    first = request_approval(world, reply)
    answer(read, "publish", editors_address(), "again-1", "ada@example.com")
    second = request_approval(world, reply, "again-1")

    assert approves(answer(read, "Yes", first)) == ""
    assert approves(answer(read, "Yes", second, "yes-2")) == "c0ffee"


def test_yes_with_further_instructions_publishes_nothing(world: World, reply: Reply, read: Read) -> None:
    job = answer(read, "Yes, but change the phone number to 12345 first.", request_approval(world, reply))

    assert job is not None
    assert (job.command, job.approved) == (Command.EDIT, None)


@pytest.mark.parametrize(
    "text",
    ["はい。まだ公開しないでください。", "Ok, NOT YET", "Ja. Nein!", "Yes, Monday", "OK. STOP", "ok 👎", "Yes??"],
)
def test_unclear_answer_is_asked_again_and_the_question_stays_open(
    world: World, reply: Reply, read: Read, text: str
) -> None:
    address = request_approval(world, reply)
    result = read(text, mail_id="unclear", sender="zoe@example.com", to=address, Subject="Re: Opening hours")
    assert (result.decision, result.reason, result.job) == (Decision.ANSWER, "answer_unclear", None)
    reply.run(ReplyOrder(refusal=result.refusal))

    asked_again = sent_mails(to="zoe@example.com")[-1]
    assert asked_again["Reply-To"] == address
    assert approves(answer(read, "Yes", str(asked_again["Reply-To"]))) == "c0ffee"


def test_yes_below_a_changed_subject_is_asked_again_below_its_own(world: World, reply: Reply, read: Read) -> None:
    address = request_approval(world, reply)
    result = read("Yes", mail_id="unclear", sender="zoe@example.com", to=address, Subject="NO - Re: Opening hours")
    assert (result.reason, result.job) == ("answer_unclear", None)
    reply.run(ReplyOrder(refusal=result.refusal))

    assert sent_mails(to="zoe@example.com")[-1]["Subject"] == "Re: Opening hours"
    assert approves(answer(read, "Yes", address, Subject="AW: [EXTERNAL] Re: Opening hours")) == "c0ffee"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("Yes", "<p>No, not yet.</p>"),
        ("Yes", "<p>Yes, but first change the phone number to 12345.</p>"),
        ("Yes", "<p>Yes</p><p>Monday</p>"),
        ("No, not yet. It still has the old prices.", "<p>Yes</p>"),
        ("Please open this mail in another program", "<p>Yes</p>"),
        ("Yes", '<p><span style="text-decoration:line-through">Yes</span></p>'),
    ],
)
def test_yes_that_only_one_part_of_the_mail_says_is_none(
    world: World, reply: Reply, read: Read, text: str, html: str
) -> None:
    address, subject = request_approval(world, reply), "Re: Opening hours"

    result = read(text, mail_id="unclear", sender="zoe@example.com", to=address, html=html, Subject=subject)

    assert result.job is None or result.job.approved is None
    assert approves(answer(read, "Yes", address, html="<p>Yes</p>")) == ("c0ffee" if result.job is None else "")


def test_yes_in_the_default_colour_of_a_mail_program_counts(world: World, reply: Reply, read: Read) -> None:
    html = '<p style="color:#1F497D">Yes<br>Zoe</p>'

    job = answer(read, "Yes\nZoe", request_approval(world, reply), html=html)

    assert approves(job) == "c0ffee"


def test_yes_with_our_own_screenshots_counts(world: World, reply: Reply, read: Read) -> None:
    """Some mail programs return the pictures of the mail that they answer."""
    address = request_approval(world, reply)
    subject = "Re: Opening hours"
    result = read(
        "Yes", mail_id="with", sender="zoe@example.com", to=address, attachments=(own_picture(),), Subject=subject
    )

    assert approves(result.job) == "c0ffee"


def test_yes_with_an_attachment_is_unclear(world: World, reply: Reply, read: Read) -> None:
    address = request_approval(world, reply)
    result = read("Yes", mail_id="with", sender="zoe@example.com", to=address, attachments=(b"picture",))

    assert result.reason == "answer_unclear"


@pytest.mark.parametrize("own_words", ["", "See below."])
def test_forwarded_yes_is_none(world: World, reply: Reply, read: Read, own_words: str) -> None:
    address = request_approval(world, reply)
    forwarded = "---------- Forwarded message ---------\nFrom: Eve <eve@example.net>\nSubject: Hi\n\nYes"

    job = answer(read, f"{own_words}\n\n{forwarded}".strip(), address, Subject="Fwd: Opening hours")

    assert job is None or job.approved is None


def test_no_is_answered_and_closes_the_question(world: World, reply: Reply, read: Read) -> None:
    address = request_approval(world, reply)
    result = read("No, thanks.", mail_id="no-1", sender="zoe@example.com", to=address, Subject="Re: Opening hours")

    assert (result.decision, result.reason) == (Decision.ANSWER, "publish_declined")
    assert approves(answer(read, "Yes", address)) == ""


@pytest.mark.parametrize("subject", ["Re: Publish", "Publish", "AW: Re: publish"])
def test_empty_answer_is_no_command(world: World, reply: Reply, read: Read, subject: str) -> None:
    address = request_approval(world, reply)
    result = read(" ", mail_id="empty", sender="zoe@example.com", to=address, Subject=subject)

    assert (result.decision, result.reason) == (Decision.ANSWER, "empty")


def test_expired_approval_gets_a_reply_and_publishes_nothing(world: World, reply: Reply, read: Read) -> None:
    address = request_approval(world, reply)
    world.clock.advance(timedelta(days=7, seconds=1).total_seconds())

    result = read("Yes", mail_id="late", sender="zoe@example.com", to=address, Subject="Re: Opening hours")

    assert (result.decision, result.reason) == (Decision.ANSWER, "approval_expired")


@pytest.mark.parametrize("text", ["Yes", "publish"])
def test_yes_to_a_question_of_an_older_version_has_expired(world: World, read: Read, text: str) -> None:
    about = Approval(thread_id=THREAD, commit="c0ffee").wire_text()
    old = {"about": about, "until": milliseconds(world.clock() + timedelta(days=5))}
    item = {"pk": f"thread#{'b' * 26}", "projectKey": ZOE.key, "said": {}, "question": old}
    world.dynamodb.put_item(TableName=world.names.table("thread_mappings"), Item=to_values(item))
    address = reply_address("edit@edit.example.com", "b" * 26, SECRET)

    result = read(text, sender="zoe@example.com", to=address, Subject="Re: Opening hours")

    assert (result.decision, result.reason) == (Decision.ANSWER, "approval_expired")


@pytest.mark.parametrize("sender", ["ada@example.com", "yan@example.com"])
def test_only_the_publisher_who_was_asked_can_answer(world: World, reply: Reply, read: Read, sender: str) -> None:
    job = answer(read, "Yes", request_approval(world, reply), sender=sender)

    assert job is not None
    assert (job.pair.user, job.approved) == (sender.partition("@")[0], None)


def test_outdated_yes_gets_a_new_question_in_its_reply(world: World, reply: Reply, read: Read) -> None:
    yes = answer(read, "Yes", request_approval(world, reply))
    assert yes is not None
    again = Outcome(state="done", result=Result.PUBLISH_ASKED_AGAIN, subject="Newer hours", commit="beef", tree="3ee")
    for _ in range(2):
        reply.run(ReplyOrder(job=yes, outcome=again))

    _, question = sent_mails(to="zoe@example.com")
    assert "no longer counts" in text_of(question)
    assert "Newer hours" in text_of(question)
    assert "ada@example.com would like" in text_of(question)
    assert f"https://{THREAD}--bakery.preview.example.com/" in text_of(question)
    _, notice = sent_mails(to="ada@example.com")
    assert "isn't live yet: my question didn't match what would go live" in " ".join(text_of(notice).split())
    second = answer(read, "Yes", str(question["Reply-To"]), "yes-2")
    assert approves(second) == "beef"
    assert second is not None
    assert second.thread_id == yes.thread_id
    assert second.approved is not None
    assert second.approved.asked_by == world.job(command=Command.PUBLISH).envelope


def test_question_about_a_build_of_the_publisher_links_their_own_preview(
    world: World, reply: Reply, read: Read
) -> None:
    yes = answer(read, "Yes", request_approval(world, reply))
    assert yes is not None
    assert yes.approved is not None
    assert (yes.approved.shown, yes.approved.is_checked) == (PUBLISH_REQUESTED.digest_of_question(), False)
    again = Outcome(
        state="done",
        result=Result.PUBLISH_ASKED_AGAIN,
        commit="c0ffee",
        preview_url="https://wherever.example/",
        risks=(Risk(kind=RiskKind.LOADED_HOST, detail="evil.example"),),
    )
    reply.run(ReplyOrder(job=yes, outcome=again))

    _, question = sent_mails(to="zoe@example.com")
    assert f"https://{yes.thread_id}--bakery.preview.example.com/" in text_of(question)
    assert f"https://{THREAD}--bakery.preview.example.com/" not in text_of(question)
    assert "evil" in text_of(question)
    second = answer(read, "Yes", str(question["Reply-To"]), "yes-2")
    assert second is not None
    assert second.approved is not None
    assert second.approved.is_checked


def test_worker_cannot_make_a_question_out_of_another_job(world: World, reply: Reply) -> None:
    again = Outcome(state="done", result=Result.PUBLISH_ASKED_AGAIN, subject="Evil", commit="beef")
    reply.run(ReplyOrder(job=world.job(command=Command.PUBLISH), outcome=again))

    (mail,) = sent_mails(to="ada@example.com")
    assert mail["Reply-To"] == editors_address()


def test_editor_is_notified_once_when_the_change_is_live(world: World, reply: Reply, read: Read) -> None:
    request_approval(world, reply)
    published = Outcome(state="done", result=Result.PUBLISHED, subject="New hours", live_url="https://x.example/")
    for publisher in ("zoe@example.com", "yan@example.com"):
        (question,) = sent_mails(to=publisher)
        yes = answer(read, "Yes", str(question["Reply-To"]), f"yes-{publisher[:3]}", publisher)
        assert yes is not None
        assert approves(yes) == "c0ffee"
        reply.run(ReplyOrder(job=yes, outcome=published))

    _, notification = sent_mails(to="ada@example.com")
    assert "https://bakery.sites.example.com/" in text_of(notification)
    assert "New hours" in text_of(notification)


def test_editor_is_notified_of_a_conflict_and_later_of_publishing(world: World, reply: Reply, read: Read) -> None:
    yes = answer(read, "Yes", request_approval(world, reply))
    assert yes is not None
    clashed = Outcome(state="failed", failure=Failure.PUBLISH_CONFLICT, clashes=("Summer menu",))
    published = Outcome(state="done", result=Result.PUBLISHED, subject="New hours", live_url="https://x.example/")
    for number, outcome in enumerate((clashed, clashed, published)):
        reply.run(ReplyOrder(job=yes.model_copy(update={"job_id": f"yes-{number}"}), outcome=outcome))

    _, clash, notification = sent_mails(to="ada@example.com")
    assert "Summer menu" in text_of(clash)
    assert "https://bakery.sites.example.com/" not in text_of(clash)
    assert "https://bakery.sites.example.com/" in text_of(notification)


def test_editor_is_notified_if_nothing_is_left_to_publish(world: World, reply: Reply, read: Read) -> None:
    yes = answer(read, "Yes", request_approval(world, reply))
    assert yes is not None
    for number in range(2):
        job = yes.model_copy(update={"job_id": f"yes-{number}"})
        reply.run(ReplyOrder(job=job, outcome=Outcome(state="failed", failure=Failure.APPROVAL_OUTDATED)))

    _, notice = sent_mails(to="ada@example.com")
    assert "wasn't published" in text_of(notice)


@pytest.mark.parametrize("failure", [Failure.BUILD_FAILED, Failure.INTERNAL])
def test_approval_failures_do_not_notify_the_editor(world: World, reply: Reply, read: Read, failure: Failure) -> None:
    yes = answer(read, "Yes", request_approval(world, reply))
    assert yes is not None

    reply.run(ReplyOrder(job=yes, outcome=Outcome(state="failed", failure=failure)))

    assert len(sent_mails(to="ada@example.com")) == 1


def test_job_of_an_older_version_has_no_approval(world: World) -> None:
    wire = world.job().wire()
    wire["approved"] = Approval(thread_id=THREAD, commit="c0ffee").wire() | {"aFieldOfTheFuture": 1}

    assert "approved" not in world.job().wire()
    assert Job.read(wire).approved == Approval(thread_id=THREAD, commit="c0ffee")

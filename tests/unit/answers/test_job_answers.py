"""The reply to a job states each fact once, in a fixed order."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import unquote

import pytest

from tests.support.world import World
from webordinary.answers.as_html import as_html
from webordinary.answers.as_text import as_text
from webordinary.answers.developer_notes import note_about_failure
from webordinary.answers.facts import Facts
from webordinary.answers.job_answers import answer_to_job
from webordinary.answers.languages import MODULES
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.mail import Attachment, AttachmentRefusal
from webordinary.contract.messages.outcome import ChangedPage, EarlierWork, NotDone, Outcome, Usage
from webordinary.contract.outcomes import (
    AttachmentProblem,
    ChangeState,
    Command,
    EarlierFate,
    Failure,
    PageChange,
    Result,
)
from webordinary.mail.commands.finder import find_command

FACTS = Facts(preview="https://a--bakery.example.com/")
REPLY_HINT = "Just reply to this email to continue."


def answer(job: Job, outcome: Outcome, facts: Facts = FACTS) -> str:
    """The text of a reply without its last line."""
    text = as_text(answer_to_job(job, outcome, facts))
    assert text.endswith(REPLY_HINT)
    return text.removesuffix(REPLY_HINT).rstrip("\n")


def test_full_reply_to_a_change(world: World) -> None:
    too_large = AttachmentRefusal(problem=AttachmentProblem.TOO_LARGE, limit=20)
    job = world.job(attachments=(Attachment(name="film.mov", refused=too_large), Attachment(name="shop.webp", key="k")))
    outcome = Outcome(
        state="done",
        result=Result.CHANGED,
        summary="The shop opens at nine now.",
        subject="Change the opening hours.",
        changed_files=("src/pages/index.astro", "src/hours.json"),
        pages=(
            ChangedPage(
                path="about/index.html", change=PageChange.CHANGED, title="About us", before="at eight", after="at nine"
            ),
            ChangedPage(path="jobs/index.html", change=PageChange.NEW, title="Jobs"),
            ChangedPage(path="old.html", change=PageChange.REMOVED),
        ),
        more_pages=3,
        not_done=(NotDone(what="A new logo", why="No picture came with the mail."),),
        preview_url="https://anything.example.com/",
    )

    assert answer(job, outcome).splitlines() == [
        "The shop opens at nine now.",
        "",
        "See the change: https://a--bakery.example.com/about/",
        "",
        "These pages changed:",
        "- About us: https://a--bakery.example.com/about/",
        "  before: at eight",
        "  now: at nine",
        "- Jobs (new): https://a--bakery.example.com/jobs/",
        "- /old.html (removed)",
        "",
        "3 other pages changed too.",
        "",
        "What I couldn't do:",
        "- A new logo (No picture came with the mail.)",
        "",
        "Attachments I couldn't use:",
        "- film.mov (it's larger than 20 MB)",
        "",
        "Reply “publish” to put it live or “undo” to take it back. Or just tell me what else you'd like.",
    ]


def test_replies_name_no_source_files(world: World) -> None:
    done = Outcome(state="done", result=Result.CHANGED, changed_files=("src/pages/index.astro",))
    failed = Outcome(state="failed", failure=Failure.BUILD_FAILED, detail="src/pages/index.astro:3 Unexpected }")

    for outcome in (done, failed):
        assert "src/" not in answer(world.job(), outcome)


def test_question_reply_explains_how_to_continue(world: World) -> None:
    outcome = Outcome(state="done", result=Result.ASKED, question="Which menu?")

    assert answer(world.job(), outcome).splitlines() == [
        "Before I change anything, I have one question.",
        "",
        "Which menu?",
        "",
        "I haven't changed anything for this email yet. I'll continue as soon as you reply.",
    ]


def test_refusal_includes_the_agents_reason(world: World) -> None:
    outcome = Outcome(state="failed", failure=Failure.AGENT_REFUSED, summary="A shop needs a developer.")

    assert answer(world.job(), outcome) == "I couldn't do this, so nothing was changed. A shop needs a developer."


def test_agents_language_overrides_detected_language(world: World) -> None:
    outcome = Outcome(state="done", result=Result.NOTHING_CHANGED, language="ja")

    assert answer_to_job(world.job(language="de"), outcome).language == "ja"
    assert answer_to_job(world.job(language="de"), Outcome(state="done", language="sv")).language == "de"
    assert answer_to_job(world.job(language="sv"), Outcome(state="done")).language == "en"


def test_preempted_request_names_the_newer_one(world: World) -> None:
    outcome = Outcome(state="preempted", went_to="mail-2", handed_over=True)

    assert "My reply to “Also the phone” will cover both" in answer(world.job(), outcome, Facts(newer="Also the phone"))
    assert "will cover both" not in answer(world.job(), outcome, Facts())


def test_preempted_request_that_was_not_handed_over_says_so(world: World) -> None:
    outcome = Outcome(state="preempted", went_to="mail-2")

    assert "please send it again" in answer(world.job(), outcome, Facts(newer="Also the phone"))


def test_reply_says_what_happened_to_an_earlier_request(world: World) -> None:
    earlier = EarlierWork(job_id="mail-0", request="Change the hours", fate=EarlierFate.SEPARATE, commit="c0ffee")
    outcome = Outcome(state="failed", failure=Failure.AGENT_REFUSED, earlier=(earlier,))

    assert "earlier email “Change the hours” is on the preview too" in answer(world.job(), outcome)


def test_stopped_request_says_so(world: World) -> None:
    assert answer(world.job(), Outcome(state="preempted", stopped_by="mail-2")).startswith("You asked me to stop")


def test_time_and_cost_appear_only_if_enabled(world: World) -> None:
    outcome = Outcome(state="done", usage=Usage(seconds=12.4, dollars=0.071))

    assert answer(world.job(), outcome, Facts(with_cost=True)).endswith("12 seconds, $0.07")
    assert "$" not in answer(world.job(), outcome)


def test_page_links_stay_within_the_site(world: World) -> None:
    paths = ("//evil.example/", "https://evil.example/", "../../x", 'a" onclick="b/index.html', "menü/index.html")
    pages = tuple(ChangedPage(path=path, change=PageChange.CHANGED) for path in paths)
    links = [
        item.link
        for block in answer_to_job(world.job(), Outcome(state="done", pages=pages), FACTS).blocks
        for item in block.items
    ]

    assert all(link.startswith(FACTS.preview) for link in links)
    assert all(not set(link) & set("\"'<> ") for link in links)
    assert links[-1].endswith("/men%C3%BC/")


def test_agents_summary_replaces_the_result_sentence(world: World) -> None:
    outcome = Outcome(state="done", result=Result.NOTHING_CHANGED, summary="Es steht schon so da.")

    assert answer(world.job(), outcome) == "Es steht schon so da."


def test_change_without_summary_is_named_by_its_subject(world: World) -> None:
    outcome = Outcome(state="done", result=Result.CHANGED, subject="New hours")

    assert answer(world.job(), outcome).startswith("“New hours” is done.")


def test_change_without_subject_is_named_by_the_mail(world: World) -> None:
    assert answer(world.job(), Outcome(state="done")).startswith("“Opening hours” is done.")


def test_build_failure_details_go_only_to_the_developer(world: World) -> None:
    outcome = Outcome(state="failed", failure=Failure.BUILD_FAILED, detail="index.astro:3 Unexpected }")

    assert "index.astro" not in answer(world.job(), outcome)
    assert answer(world.job(), outcome, Facts(developer="dev@example.com")).endswith(
        "The technical details have been sent to dev@example.com."
    )
    assert "index.astro:3 Unexpected }" in as_text(note_about_failure(world.job(), outcome))


def test_summary_of_a_failed_agent_is_omitted(world: World) -> None:
    outcome = Outcome(state="failed", failure=Failure.AGENT_FAILED, summary="I changed the hours.")

    assert "I changed the hours." not in answer(world.job(), outcome)


def test_failure_without_code_is_an_internal_error(world: World) -> None:
    assert answer(world.job(), Outcome(state="failed")).startswith("Something went wrong on our side")


def test_unsupported_command_is_named(world: World) -> None:
    outcome = Outcome(state="failed", failure=Failure.UNSUPPORTED)

    assert answer(world.job(command=Command.PUBLISH), outcome) == "“publish” isn't available by email yet."


def test_partial_work_is_mentioned_only_if_committed(world: World) -> None:
    assert "kept" in answer(world.job(), Outcome(state="preempted", stopped_by="mail-2", commit="c0ffee"))
    assert "kept" not in answer(world.job(), Outcome(state="preempted"))


def test_status_lists_running_waiting_changed_and_live(world: World) -> None:
    outcome = Outcome(
        state="done",
        result=Result.STATUS,
        changes=2,
        made=("New hours", "A page"),
        made_states=(ChangeState.LIVE, ChangeState.TAKEN_OFF),
        something_live=True,
        running=("Logo",),
        waiting=("Jobs",),
    )

    assert answer(world.job(), outcome, Facts(live="https://bakery.example.com/")).splitlines() == [
        "2 changes have been made in this conversation.",
        "",
        "I'm working on this right now:",
        "- Logo",
        "",
        "Waiting to start:",
        "- Jobs",
        "",
        "Changed in this conversation:",
        "- New hours (live)",
        "- A page (taken off the live website)",
        "",
        "Visit the live website: https://bakery.example.com/",
    ]


def test_status_omits_link_to_a_missing_live_site(world: World) -> None:
    outcome = Outcome(state="done", result=Result.STATUS)

    assert "https://" not in answer(world.job(), outcome, Facts(live="https://bakery.example.com/"))


def test_braces_in_a_subject_are_not_placeholders(world: World) -> None:
    outcome = Outcome(state="done", result=Result.UNDONE, subject="Use {changes} and {subject.__class__}")

    assert answer(world.job(), outcome).startswith("“Use {changes} and {subject.__class__}” has been undone.")


ONE_TAP = Facts(
    preview="https://a--bakery.example.com/",
    reply_address="edit+t-token@edit.example.com",
    reply_subject="Re: Hours & more",
)
LINK = "mailto:edit+t-token@edit.example.com?subject=Re%3A%20Hours%20%26%20more&body="


def test_changed_reply_offers_publish_and_undo_with_one_tap(world: World) -> None:
    composed = answer_to_job(world.job(), Outcome(state="done", result=Result.CHANGED), ONE_TAP)

    assert f"Publish: {LINK}publish\nUndo: {LINK}undo" in as_text(composed)
    links = re.findall(r'<a class="action" href="([^"]*)"', as_html(composed))
    assert [unescape(link) for link in links] == [f"{LINK}publish", f"{LINK}undo"]


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome(state="failed", failure=Failure.BUILD_FAILED),
        Outcome(state="done", result=Result.ASKED, question="Which?"),
        Outcome(state="done", result=Result.PUBLISHED),
        Outcome(state="done", result=Result.STATUS, made=("one",), made_live=1),
    ],
)
def test_reply_without_unpublished_change_offers_no_command(world: World, outcome: Outcome) -> None:
    assert "mailto:" not in as_text(answer_to_job(world.job(), outcome, ONE_TAP))


def test_status_with_an_unpublished_change_offers_commands(world: World) -> None:
    outcome = Outcome(state="done", result=Result.STATUS, changes=2, made=("one", "two"), made_live=1)

    assert f"Publish: {LINK}publish" in as_text(answer_to_job(world.job(), outcome, ONE_TAP))


@pytest.mark.parametrize(("still_live", "offered"), [(True, f"Publish: {LINK}publish"), (False, "")])
def test_undo_offers_to_publish_only_what_is_still_live(world: World, still_live: bool, offered: str) -> None:
    outcome = Outcome(state="done", result=Result.UNDONE, subject="Hours", still_live=still_live)

    text = answer(world.job(), outcome, ONE_TAP)

    assert "put it live" not in text
    assert text.splitlines()[4:] == ([offered] if offered else [])


@pytest.mark.parametrize("code", list(MODULES))
def test_one_tap_words_are_commands_and_labels_are_not(world: World, code: str) -> None:
    """The label may remain of a quote that is not recognised."""
    composed = answer_to_job(world.job(language=code), Outcome(state="done", result=Result.CHANGED), ONE_TAP)

    bodies = [unquote(link.partition("&body=")[2]) for link in re.findall(r"mailto:\S+", as_text(composed))]
    assert [find_command(body, "Re: Hours").command for body in bodies] == [Command.PUBLISH, Command.UNDO]
    labels = re.findall(r'<a class="action"[^>]*>([^<]*)</a>', as_html(composed))
    assert len(labels) == 2
    assert {find_command(unescape(label), "Re: Hours").command for label in labels} == {Command.EDIT}

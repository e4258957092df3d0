"""Replies for pictures: the most common ones, composed by the production code from invented facts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from webordinary.answers.blocks import Answer
from webordinary.answers.facts import Facts
from webordinary.answers.job_answers import answer_to_job
from webordinary.answers.publisher_questions import notice_to_requester, question_to_publisher
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Approval, Job
from webordinary.contract.messages.mail import Envelope
from webordinary.contract.messages.outcome import ChangedPage, EarlierWork, NotDone, Outcome
from webordinary.contract.outcomes import ChangeState, EarlierFate, Failure, PageChange, Result
from webordinary.sites.screenshots import ScreenshotKind

ADDRESS = "edit+t-example@mail.example.com"
PREVIEW, LIVE = "https://a--bakery.preview.example.com/", "https://bakery.example.com/"


@dataclass(frozen=True)
class Words:
    """What a customer, their pages and the agent say."""

    subject: str
    before: str
    after: str
    hours: str  # names of changes
    menu: str
    summary: str
    in_part: str
    not_done: NotDone
    two_places: str
    which_place: str
    refused: str
    newer: str


WORDS = {
    "en": Words(
        subject="Opening hours",
        before="Sunday 8 am to noon",
        after="Sunday 9 am to 1 pm",
        hours="New opening hours on Sunday",
        menu="A page with the menu",
        summary="The bakery now opens from 9 am to 1 pm on Sundays.",
        in_part="The bakery now opens from 9 am to 1 pm on Sundays, and there's a page with the menu.",
        not_done=NotDone(what="The photo of the shop", why="there was no photo in your email"),
        two_places="There are two places with opening hours.",
        which_place="Should I change the hours of the shop or those of the market stall?",
        refused="An online shop with payments is one for your website's developer.",
        newer="Sorry, until 1 pm",
    ),
    "de": Words(
        subject="Öffnungszeiten",
        before="Sonntag 8 bis 12 Uhr",
        after="Sonntag 9 bis 13 Uhr",
        hours="Neue Öffnungszeiten am Sonntag",
        menu="Eine Seite mit der Speisekarte",
        summary="Die Bäckerei hat sonntags jetzt von 9 bis 13 Uhr geöffnet.",
        in_part="Die Bäckerei hat sonntags jetzt von 9 bis 13 Uhr geöffnet. Neu ist eine Seite mit der Speisekarte.",
        not_done=NotDone(what="Das Foto vom Laden", why="in Ihrer Mail war kein Foto"),
        two_places="Öffnungszeiten stehen an zwei Stellen.",
        which_place="Soll ich die Zeiten im Laden ändern oder die am Marktstand?",
        refused="Ein Onlineshop mit Bezahlung ist eine Aufgabe für die Entwicklung Ihrer Website.",
        newer="Entschuldigung, bis 13 Uhr",
    ),
}


def common_answers(code: str) -> dict[str, Answer]:
    """The ten most common replies, in one language."""
    words, job = WORDS[code], _job(code)
    pages = (
        ChangedPage(
            path="index.html",
            change=PageChange.CHANGED,
            title="The Little Bakery",
            before=words.before,
            after=words.after,
        ),
    )
    menu = ChangedPage(path="menu/index.html", change=PageChange.NEW, title=words.menu)
    earlier = EarlierWork(
        job_id="earlier", request=words.menu, fate=EarlierFate.SEPARATE, commit="c0ffee", subject=words.menu
    )
    changed = {"pages": pages, "preview_url": PREVIEW}
    back = pages[0].model_copy(update={"before": words.after, "after": words.before})
    reverted = {"pages": (back,), "preview_url": PREVIEW}
    outcomes = {
        "changed": Outcome(state="done", result=Result.CHANGED, summary=words.summary, **changed),
        "partly": Outcome(
            state="done",
            result=Result.PARTLY_CHANGED,
            summary=words.in_part,
            not_done=(words.not_done,),
            pages=(*pages, menu),
            preview_url=PREVIEW,
        ),
        "question": Outcome(
            state="done", result=Result.ASKED, summary=words.two_places, question=words.which_place, earlier=(earlier,)
        ),
        "refused": Outcome(state="failed", failure=Failure.AGENT_REFUSED, summary=words.refused),
        "failed build": Outcome(state="failed", failure=Failure.BUILD_FAILED, detail="index.astro:3"),
        "interrupted": Outcome(state="preempted", went_to="newer", handed_over=True),
        "undone": Outcome(state="done", result=Result.UNDONE, subject=words.hours, still_live=True, **reverted),
        "published": Outcome(state="done", result=Result.PUBLISHED, subject=words.hours, live_url=LIVE),
        "unpublished": Outcome(state="done", result=Result.UNPUBLISHED, subject=words.hours, live_url=LIVE),
        "status": Outcome(
            state="done",
            result=Result.STATUS,
            changes=2,
            made=(words.hours, words.menu),
            made_states=(ChangeState.LIVE, ChangeState.MADE),
            preview_url=PREVIEW,
            something_live=True,
            running=(words.newer,),
        ),
    }
    return {name: answer_to_job(job, outcome, _facts(words, name)) for name, outcome in outcomes.items()}


def questions_and_news() -> dict[str, Answer]:
    """The mails about an editor's request, which a publisher approves."""
    words, job = WORDS["en"], _job("en")
    facts = _facts(words)
    wish = Outcome(state="done", result=Result.PUBLISH_ASKED, subject=words.hours, preview_url=PREVIEW)
    approved = Approval(
        thread_id=job.thread_id, commit="c0ffee", subject=words.hours, asked_by=job.envelope, language="en"
    )
    return {
        "asked": answer_to_job(job, wish, facts),
        "question": question_to_publisher(job, wish, facts, datetime(2026, 1, 12, 8, 30, tzinfo=UTC)),
        "news": notice_to_requester(approved, Outcome(state="done", result=Result.PUBLISHED), facts),
    }


def _facts(words: Words, name: str = "") -> Facts:
    return Facts(
        preview=PREVIEW,
        live=LIVE,
        newer=words.newer,
        with_cost=True,
        developer="dev@example.com" if name == "failed build" else "",
        pictures=tuple(ScreenshotKind) if name in ("changed", "partly") else (),
        reply_address=ADDRESS,
        reply_subject=f"Re: {words.subject}",
    )


def _job(code: str) -> Job:
    subject = WORDS[code].subject
    envelope = Envelope(sender="ada@example.com", recipient=ADDRESS, subject=subject, message_id="<1@example.com>")
    return Job(
        job_id="example",
        pair=Pair(project="bakery", user="ada"),
        thread_id="a" * 26,
        instruction=subject,
        envelope=envelope,
        language=code,
        received_at=datetime(2026, 1, 5, 8, 30, tzinfo=UTC),
    )

"""Questions to publishers about an editor's request, and the news for that editor."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from webordinary.answers.blocks import Answer, Block, Style
from webordinary.answers.facts import Facts, clean
from webordinary.answers.foreign_links import one_line
from webordinary.answers.language import Language
from webordinary.answers.languages import language_of
from webordinary.answers.pages import what_would_go_live
from webordinary.answers.parts import as_items, command_words, complete
from webordinary.contract.messages.job import Approval, Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Failure, Result


def question_to_publisher(job: Job, outcome: Outcome, facts: Facts, until: datetime) -> Answer:
    """Asks a publisher to approve the request of an editor without that permission. Shows what would go live."""
    language = language_of(job.language)
    question = _publish_question(language, job, job.envelope.sender, outcome, until)
    return complete(language, [Block(question, Style.LEAD), *what_would_go_live(outcome, facts, language)])


def question_asked_again(job: Job, about: Approval, outcome: Outcome, facts: Facts, until: datetime) -> Answer:
    """Replies to a yes whose question no longer counts, and asks about the present state."""
    language = language_of(about.language or "", job.language)
    asker = about.asked_by.sender if about.asked_by is not None else job.envelope.sender
    blocks = [
        Block(str(language.results[Result.PUBLISH_ASKED_AGAIN]), Style.LEAD),
        Block(_publish_question(language, job, asker, outcome, until)),
        *what_would_go_live(outcome, facts, language),
    ]
    return complete(language, blocks)


def concerns_requester(outcome: Outcome) -> bool:
    """Whether the requester is notified of an approval's outcome; other outcomes concern only the approver."""
    failures = (Failure.PUBLISH_CONFLICT, Failure.APPROVAL_OUTDATED)
    return outcome.result in (Result.PUBLISHED, Result.PUBLISH_ASKED_AGAIN) or outcome.failure in failures


def notice_to_requester(approved: Approval, outcome: Outcome, facts: Facts) -> Answer:
    """Notifies the requester that the change is live, or why not."""
    language = language_of(approved.language or "")
    return complete(language, _news(language, clean(approved.subject), outcome, facts))


def _news(language: Language, subject: str, outcome: Outcome, facts: Facts) -> Iterator[Block]:
    if outcome.failure is Failure.APPROVAL_OUTDATED:
        yield Block(language.request_outdated.format(subject=subject, **command_words(language)), Style.LEAD)
    elif outcome.result is Result.PUBLISH_ASKED_AGAIN:
        yield Block(language.request_asked_again.format(subject=subject), Style.LEAD)
    elif outcome.failure is not None:
        yield Block(language.failures[outcome.failure], Style.LEAD)
        yield Block("", Style.LIST, items=as_items(outcome.clashes))
    else:
        yield Block(str(language.results[Result.PUBLISHED]).format(subject=subject), Style.LEAD)
        yield Block(language.live, Style.BUTTON, facts.live) if facts.live else Block(language.not_online)


def _publish_question(language: Language, job: Job, asker: str, outcome: Outcome, until: datetime) -> str:
    return language.publish_question.format(
        asker=one_line(asker),
        subject=clean(outcome.subject or job.envelope.subject),
        project=job.pair.project,
        time=language.date_and_time(until),
    )

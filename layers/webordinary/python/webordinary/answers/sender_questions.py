"""Questions to a publisher about the command that the agent found in the publisher's own mail."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from webordinary.answers.blocks import Answer, Block, Style
from webordinary.answers.facts import Facts, clean
from webordinary.answers.job_answers import earlier_work
from webordinary.answers.language import Language
from webordinary.answers.languages import language_of
from webordinary.answers.pages import what_would_go_live
from webordinary.answers.parts import complete
from webordinary.contract.messages.job import Approval, Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Command, Result


def question_to_sender(job: Job, outcome: Outcome, facts: Facts, until: datetime) -> Answer:
    language, command = language_of(outcome.language, job.language), outcome.understood or Command.PUBLISH
    question = Block(_question(language, command, job, outcome, until), Style.LEAD)
    return complete(language, [question, *_shown(command, outcome, facts, language)])


def question_to_sender_again(job: Job, about: Approval, outcome: Outcome, facts: Facts, until: datetime) -> Answer:
    """Replies to a yes whose question no longer counts, and asks about the present state."""
    language = language_of(about.language or "", job.language)
    blocks = [
        Block(str(language.results[Result.PUBLISH_ASKED_AGAIN]), Style.LEAD),
        Block(_question(language, Command.PUBLISH, job, outcome, until)),
        *what_would_go_live(outcome, facts, language),
    ]
    return complete(language, blocks)


def _question(language: Language, command: Command, job: Job, outcome: Outcome, until: datetime) -> str:
    subject = clean(outcome.subject or job.envelope.subject)
    return language.own_questions[command].format(subject=subject, time=language.date_and_time(until))


def _shown(command: Command, outcome: Outcome, facts: Facts, language: Language) -> Iterator[Block]:
    if command is Command.PUBLISH:
        yield from what_would_go_live(outcome, facts, language)
    elif facts.live:
        yield Block(language.live, Style.BUTTON, facts.live)
    yield from earlier_work(outcome, facts, language)

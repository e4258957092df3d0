"""The reply to a job: selects the sentences, orders them and fills in the facts. Each fact appears once."""

from __future__ import annotations

from collections.abc import Iterator

from webordinary.answers.blocks import Answer, Block, Item, Style
from webordinary.answers.facts import NO_FACTS, Facts, clean
from webordinary.answers.foreign_links import one_line
from webordinary.answers.language import Language, Plural
from webordinary.answers.languages import language_of
from webordinary.answers.pages import best_link, changed_pages, pictures
from webordinary.answers.parts import actions, as_items, command_words, complete
from webordinary.answers.risks import risks
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.mail import Attachment, AttachmentRefusal
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import ChangeState, Command, EarlierFate, Failure, Result

CHANGED = (Result.CHANGED, Result.PARTLY_CHANGED)


def answer_to_job(job: Job, outcome: Outcome, facts: Facts = NO_FACTS) -> Answer:
    language = language_of(outcome.language, job.language)
    return complete(language, _blocks(job, outcome, facts, language))


def _blocks(job: Job, outcome: Outcome, facts: Facts, language: Language) -> Iterator[Block]:
    yield Block(_opening(job, outcome, facts, language), Style.LEAD)
    if further := _further_lines(outcome, facts):
        yield Block("", Style.LIST, items=further)
    if outcome.question:
        yield Block(clean(outcome.question, facts), Style.QUESTION)
        yield Block(language.reply_to_question)
    if outcome.preview_url and facts.preview:
        yield Block(language.preview, Style.BUTTON, best_link(outcome, facts))
    if not facts.is_online and (outcome.preview_url or outcome.live_url):
        yield Block(language.not_online)
    yield from pictures(outcome, facts, language)
    yield from risks(outcome, language)
    yield from earlier_work(outcome, facts, language)
    yield from _lists(job, outcome, facts, language)
    if facts.live and (outcome.live_url or outcome.something_live):
        yield Block(language.live, Style.BUTTON, facts.live)
    if outcome.result is Result.HELP and facts.guide:
        yield Block(language.guide, Style.BUTTON, facts.guide)
    if outcome.result in CHANGED:
        yield Block(language.next_steps.format(**command_words(language)))
    yield from actions(language, facts, *_offered(outcome))
    if outcome.result is Result.PUBLISHED:
        yield Block(language.unpublish_hint.format(**command_words(language)))
    if facts.developer:
        yield Block(language.developer_informed.format(developer=facts.developer))
    if facts.with_cost and outcome.usage.seconds:
        seconds, dollars = round(outcome.usage.seconds), f"{outcome.usage.dollars:.2f}"
        yield Block(language.small_print.format(seconds=seconds, dollars=dollars), Style.SMALL)


def _opening(job: Job, outcome: Outcome, facts: Facts, language: Language) -> str:
    if outcome.state == "preempted":
        return " ".join(_preempted(outcome, facts, language))
    if outcome.state == "failed":
        if outcome.failure is Failure.MODEL_BUSY and facts.tries_again_at is not None:
            return language.tries_again.format(time=language.date_and_time(facts.tries_again_at))
        failed = language.failures[outcome.failure or Failure.INTERNAL].format(command=job.command)
        return (
            f"{failed} {clean(outcome.summary, facts)}".strip() if outcome.failure is Failure.AGENT_REFUSED else failed
        )
    if outcome.summary:
        is_answer = outcome.result is Result.NOTHING_CHANGED
        return clean(_lines(outcome.summary)[0] if is_answer else outcome.summary, facts)
    result = outcome.result or Result.CHANGED
    sentence = language.results[result]
    if outcome.subject:
        sentence = language.named_results.get(result, sentence)
    if isinstance(sentence, Plural):
        sentence = sentence.of(outcome.changes)
    return sentence.format(subject=clean(outcome.subject or job.envelope.subject), changes=outcome.changes)


def _further_lines(outcome: Outcome, facts: Facts) -> tuple[Item, ...]:
    """The rest of an answer to a question about the site: one line for each page or fact."""
    lines = _lines(outcome.summary) if outcome.result is Result.NOTHING_CHANGED else []
    return tuple(Item(clean(line.lstrip("-*•· "), facts)) for line in lines[1:])


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()] or [""]


def _preempted(outcome: Outcome, facts: Facts, language: Language) -> Iterator[str]:
    yield language.stopped if outcome.stopped_by else language.preempted
    if outcome.stopped_by:
        if outcome.commit:
            yield language.partial_work_kept
    elif not outcome.handed_over and not outcome.commit:
        yield language.not_handed_over
    elif facts.newer:
        yield language.went_to.format(subject=clean(facts.newer))


def earlier_work(outcome: Outcome, facts: Facts, language: Language) -> Iterator[Block]:
    """What happened to the work for earlier mails."""
    sentences = {
        EarlierFate.INCLUDED: language.earlier_included,
        EarlierFate.SEPARATE: language.earlier_separate,
        EarlierFate.UNDONE: str(language.results[Result.UNDONE]),
        EarlierFate.REMOVED: language.earlier_removed,
        EarlierFate.NOT_STARTED: language.earlier_not_started,
        EarlierFate.KEPT: language.earlier_kept,
    }
    if outcome.still_live:
        yield Block(language.still_live)
    for work in outcome.earlier:
        names = (work.subject, work.request) if work.fate is EarlierFate.UNDONE else (work.request, work.subject)
        yield Block(sentences[work.fate].format(subject=clean(next(filter(None, names), "…"), facts)))


def _lists(job: Job, outcome: Outcome, facts: Facts, language: Language) -> Iterator[Block]:
    yield from changed_pages(outcome, facts, language)
    refused = tuple(_refused(item, item.refused, language) for item in job.attachments if item.refused is not None)
    not_done = tuple(Item(clean(part.what, facts), note=clean(part.why, facts)) for part in outcome.not_done)
    reverted = as_items(outcome.reverted_files)
    for heading, items in (
        (language.not_done, not_done),
        (language.reverted_files, reverted),
        (language.running, as_items(outcome.running)),
        (language.waiting, as_items(outcome.waiting)),
        (language.changes_made, _changes_made(outcome, language)),
        ("", as_items(outcome.stopped)),
        ("", as_items(outcome.clashes)),
        (language.refused_attachments, refused),
    ):
        if items:
            yield Block(heading, Style.LIST, items=items)
        if items is reverted and outcome.more_reverted_files:
            number = outcome.more_reverted_files
            yield Block(language.more_reverted_files.of(number).format(number=number))


def _refused(attachment: Attachment, refused: AttachmentRefusal, language: Language) -> Item:
    why = language.attachment_problems[refused.problem].format(limit=refused.limit)
    return Item(one_line(attachment.name), note=why)


def _changes_made(outcome: Outcome, language: Language) -> tuple[Item, ...]:
    notes = {
        ChangeState.LIVE: language.is_live,
        ChangeState.TAKEN_OFF: language.taken_off,
        ChangeState.UNDONE_STILL_LIVE: language.undone_still_live,
    }
    made = zip(_states(outcome), outcome.made, strict=True)
    return tuple(Item(clean(line), note=notes.get(state, "")) for state, line in made if line)


def _offered(outcome: Outcome) -> tuple[Command, ...]:
    """The commands that make sense for the changes of the thread that are not live."""
    if outcome.result is Result.UNDONE:
        return (Command.PUBLISH,) if outcome.still_live else ()
    not_live = outcome.result is Result.STATUS and any(state is not ChangeState.LIVE for state in _states(outcome))
    return (Command.PUBLISH, Command.UNDO) if outcome.result in CHANGED or not_live else ()


def _states(outcome: Outcome) -> list[ChangeState]:
    """The state of each change that was made. An older version counts those that are live."""
    known = outcome.made_states or (ChangeState.LIVE,) * outcome.made_live
    unknown = (ChangeState.MADE,) * len(outcome.made)
    return [*known, *unknown][: len(outcome.made)]

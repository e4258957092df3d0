"""Composes an answer: selects the sentences, orders them and fills in the facts. Each fact appears once.

Text from an agent or a page is untrusted: it becomes one line without control characters, and only links to the
project's own hosts stay clickable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, urlsplit

from webordinary.answers.blocks import Answer, AttachedPicture, Block, Item, Style
from webordinary.answers.foreign_links import defang_foreign_links, one_line
from webordinary.answers.language import Language, Plural
from webordinary.answers.languages import language_of
from webordinary.answers.risks import risk_lines
from webordinary.contract.messages.job import Approval, Job
from webordinary.contract.messages.mail import Attachment, AttachmentRefusal
from webordinary.contract.messages.outcome import ChangedPage, EmptyFolders, Outcome, StaleLock
from webordinary.contract.messages.parse import Refusal
from webordinary.contract.outcomes import (
    ChangeState,
    Command,
    EarlierFate,
    Failure,
    PageChange,
    RefusalReason,
    Result,
)
from webordinary.sites.screenshots import ScreenshotKind

LONGEST_MAILTO_SUBJECT = 100
CHANGED = (Result.CHANGED, Result.PARTLY_CHANGED, Result.UNDONE)


@dataclass(frozen=True)
class Facts:
    """Facts that the reply step adds to the worker's report: links and project settings."""

    preview: str = ""  # ends with a slash
    live: str = ""
    newer: str = ""  # subject of the request that replaced this one
    developer: str = ""  # received the technical details
    with_cost: bool = False
    pictures: tuple[ScreenshotKind, ...] = ()  # attached to the mail
    reply_address: str = ""  # of the thread
    reply_subject: str = ""
    is_online: bool = True  # whether the hosts of sites resolve; without, there are no links


NO_FACTS = Facts()
NO_SITES: Mapping[str, str] = {}


def answer_to_job(job: Job, outcome: Outcome, facts: Facts = NO_FACTS) -> Answer:
    language = language_of(outcome.language, job.language)
    return _answer(language, *_blocks(job, outcome, facts, language))


def answer_to_refusal(refusal: Refusal, facts: Facts = NO_FACTS, sites: Mapping[str, str] = NO_SITES) -> Answer:
    """`sites` are the names of the sites between which the sender is to choose, with the address of each."""
    language = language_of(refusal.language)
    sentence = language.refusals[refusal.reason].format(
        addresses=", ".join(refusal.addresses),
        project=refusal.project,
        moment=f"{refusal.resumes_at:%Y-%m-%d %H:%M} UTC" if refusal.resumes_at else "",
        command=language.words.get(refusal.command, refusal.command) if refusal.command else "",
    )
    actions = _actions(language, facts, *([refusal.command] if refusal.command else []))
    return _answer(language, Block(sentence, Style.LEAD), *_choices(refusal, facts, sites), *actions)


def question_to_publisher(job: Job, outcome: Outcome, facts: Facts, until: datetime) -> Answer:
    """Asks a publisher to approve the request of an editor without that permission. Shows what would go live."""
    language = language_of(job.language)
    question = _publish_question(language, job, job.envelope.sender, outcome, until)
    return _answer(language, Block(question, Style.LEAD), *_what_would_go_live(outcome, facts, language))


def question_asked_again(job: Job, about: Approval, outcome: Outcome, facts: Facts, until: datetime) -> Answer:
    """Replies to a yes whose question no longer counts, and asks about the present state."""
    language = language_of(about.language or "", job.language)
    asker = about.asked_by.sender if about.asked_by is not None else job.envelope.sender
    return _answer(
        language,
        Block(str(language.results[Result.PUBLISH_ASKED_AGAIN]), Style.LEAD),
        Block(_publish_question(language, job, asker, outcome, until)),
        *_what_would_go_live(outcome, facts, language),
    )


def _publish_question(language: Language, job: Job, asker: str, outcome: Outcome, until: datetime) -> str:
    return language.publish_question.format(
        asker=one_line(asker),
        subject=clean(outcome.subject or job.envelope.subject),
        project=job.pair.project,
        moment=f"{until:%Y-%m-%d %H:%M} UTC",
    )


def concerns_requester(outcome: Outcome) -> bool:
    """Whether the requester is notified of an approval's outcome; other outcomes concern only the approver."""
    failures = (Failure.PUBLISH_CONFLICT, Failure.APPROVAL_OUTDATED)
    return outcome.result in (Result.PUBLISHED, Result.PUBLISH_ASKED_AGAIN) or outcome.failure in failures


def notice_to_requester(approved: Approval, outcome: Outcome, facts: Facts) -> Answer:
    """Notifies the requester that the change is live, or why not."""
    language = language_of(approved.language or "")
    subject = clean(approved.subject)
    if outcome.failure is Failure.APPROVAL_OUTDATED:
        sentence = language.request_outdated.format(subject=subject, **_command_words(language))
        return _answer(language, Block(sentence, Style.LEAD))
    if outcome.result is Result.PUBLISH_ASKED_AGAIN:
        return _answer(language, Block(language.request_asked_again.format(subject=subject), Style.LEAD))
    if outcome.failure is not None:
        clashes = Block("", Style.LIST, items=_items(outcome.clashes))
        return _answer(language, Block(language.failures[outcome.failure], Style.LEAD), clashes)
    sentence = str(language.results[Result.PUBLISHED]).format(subject=subject)
    shown = Block(language.live, Style.BUTTON, facts.live) if facts.live else Block(language.not_online)
    return _answer(language, Block(sentence, Style.LEAD), shown)


def note_to_developer(job: Job, outcome: Outcome) -> Answer:
    """The technical details of a failure, for the site's developer."""
    language = language_of(outcome.language, job.language)
    note = language.developer_note.format(project=job.pair.project)
    return Answer(language.code, (Block(note), Block(outcome.detail, Style.TECHNICAL)))


def note_about_lock(job: Job, stale: StaleLock) -> Answer:
    """For the site's developer. The job succeeded, so the sender is not notified."""
    language = language_of(job.language)
    return Answer(
        language.code, (Block(language.stale_lock.format(project=job.pair.project, lock=one_line(stale.file))),)
    )


def note_about_empty_folders(job: Job, empty: EmptyFolders) -> Answer:
    language = language_of(job.language)
    folders = ", ".join(map(one_line, empty.folders))
    sentence = language.empty_folders.format(project=job.pair.project, folders=folders)
    return Answer(language.code, (Block(sentence), Block(empty.detail, Style.TECHNICAL)))


def _answer(language: Language, *blocks: Block) -> Answer:
    last = Block(language.reply_hint, Style.SMALL)
    return Answer(language.code, (*blocks, last), before_label=language.before, after_label=language.after)


def _blocks(job: Job, outcome: Outcome, facts: Facts, language: Language) -> Iterator[Block]:
    yield Block(_opening(job, outcome, facts, language), Style.LEAD)
    if outcome.question:
        yield Block(clean(outcome.question, facts), Style.QUESTION)
        yield Block(language.reply_to_question)
    if outcome.preview_url and facts.preview:
        yield Block(language.preview, Style.BUTTON, _best_link(outcome, facts))
    if not facts.is_online and (outcome.preview_url or outcome.live_url):
        yield Block(language.not_online)
    if facts.pictures:
        yield _pictures(outcome, facts, language)
    yield from _risks(outcome, language)
    yield from _earlier(outcome, facts, language)
    yield from _lists(job, outcome, facts, language)
    if facts.live and (outcome.live_url or outcome.something_live):
        yield Block(language.live, Style.BUTTON, facts.live)
    if outcome.result in CHANGED:
        yield Block(language.next_steps.format(**_command_words(language)))
    yield from _actions(language, facts, *_offered(outcome))
    if outcome.result is Result.PUBLISHED:
        yield Block(language.unpublish_hint.format(**_command_words(language)))
    if facts.developer:
        yield Block(language.developer_informed.format(developer=facts.developer))
    if facts.with_cost and outcome.usage.seconds:
        seconds, dollars = round(outcome.usage.seconds), f"{outcome.usage.dollars:.2f}"
        yield Block(language.small_print.format(seconds=seconds, dollars=dollars), Style.SMALL)


def _offered(outcome: Outcome) -> tuple[Command, ...]:
    """The commands that make sense for the changes of the thread that are not live."""
    changed = outcome.result in (Result.CHANGED, Result.PARTLY_CHANGED)
    not_live = outcome.result is Result.STATUS and any(state is not ChangeState.LIVE for state in _states(outcome))
    return (Command.PUBLISH, Command.UNDO) if changed or not_live else ()


def _actions(language: Language, facts: Facts, *commands: Command) -> Iterator[Block]:
    """Links that write the mail with the command. The word is the text: a subject is never a command."""
    words = [language.words[command] for command in commands if command in language.words]
    if words and facts.reply_address:
        items = (Item(_heading(word), link=_mailto(facts.reply_address, facts.reply_subject, word)) for word in words)
        yield Block("", Style.ACTIONS, items=tuple(items))


def _mailto(address: str, subject: str, text: str) -> str:
    # The plus sign stays, so that the token in it is found in a quote.
    subject = one_line(subject)[:LONGEST_MAILTO_SUBJECT]
    return f"mailto:{quote(address, safe='@+')}?subject={quote(subject)}&body={quote(text)}"


def _choices(refusal: Refusal, facts: Facts, sites: Mapping[str, str]) -> Iterator[Block]:
    """The sites to choose from; each link writes the mail that names one."""
    if refusal.reason is RefusalReason.AMBIGUOUS_PROJECT:
        named = [Item(clean(name), link=_mailto(to, facts.reply_subject, name)) for name, to in sites.items()]
        yield Block("", Style.LIST, items=tuple(named or map(Item, refusal.addresses)))


def _earlier(outcome: Outcome, facts: Facts, language: Language) -> Iterator[Block]:
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


def _pictures(outcome: Outcome, facts: Facts, language: Language) -> Block:
    labels = {ScreenshotKind.BEFORE: language.before, ScreenshotKind.AFTER: language.after}
    pictures = tuple(AttachedPicture(kind.content_id, _heading(labels[kind])) for kind in facts.pictures)
    return Block("", Style.PICTURES, _best_link(outcome, facts), pictures=pictures)


def _risks(outcome: Outcome, language: Language) -> Iterator[Block]:
    """A refused change is introduced by the failure's own sentence."""
    heading = "" if outcome.failure is Failure.RISK_FORBIDDEN else language.risks
    if lines := risk_lines(outcome, language):
        yield Block(heading, Style.LIST, items=tuple(Item(line) for line in lines))


def _heading(label: str) -> str:
    """A label as a heading: `before:` becomes `Before`."""
    return label.rstrip(":： ").capitalize()


def _what_would_go_live(outcome: Outcome, facts: Facts, language: Language) -> Iterator[Block]:
    link = _best_link(outcome, facts)
    yield Block(language.preview, Style.BUTTON, link) if link else Block(language.not_online)
    if facts.pictures:
        yield _pictures(outcome, facts, language)
    yield from _risks(outcome, language)
    yield from _changed_pages(outcome, facts, language)


def _changed_pages(outcome: Outcome, facts: Facts, language: Language) -> Iterator[Block]:
    if outcome.pages:
        yield Block(language.pages, Style.LIST, items=tuple(_page(page, facts, language) for page in outcome.pages))
    if outcome.more_pages:
        yield Block(language.more_pages.of(outcome.more_pages).format(number=outcome.more_pages))


def _lists(job: Job, outcome: Outcome, facts: Facts, language: Language) -> Iterator[Block]:
    yield from _changed_pages(outcome, facts, language)
    refused = tuple(_refused(item, item.refused, language) for item in job.attachments if item.refused is not None)
    not_done = tuple(Item(clean(part.what, facts), note=clean(part.why, facts)) for part in outcome.not_done)
    reverted = _items(outcome.reverted_files)
    for heading, items in (
        (language.not_done, not_done),
        (language.reverted_files, reverted),
        (language.running, _items(outcome.running)),
        (language.waiting, _items(outcome.waiting)),
        (language.changes_made, _changes_made(outcome, language)),
        ("", _items(outcome.stopped)),
        ("", _items(outcome.clashes)),
        (language.refused_attachments, refused),
    ):
        if items:
            yield Block(heading, Style.LIST, items=items)
        if items is reverted and outcome.more_reverted_files:
            number = outcome.more_reverted_files
            yield Block(language.more_reverted_files.of(number).format(number=number))


def _opening(job: Job, outcome: Outcome, facts: Facts, language: Language) -> str:
    if outcome.state == "preempted":
        return " ".join(_preempted(outcome, facts, language))
    if outcome.state == "failed":
        failed = language.failures[outcome.failure or Failure.INTERNAL].format(command=job.command)
        return (
            f"{failed} {clean(outcome.summary, facts)}".strip() if outcome.failure is Failure.AGENT_REFUSED else failed
        )
    if outcome.summary:
        return clean(outcome.summary, facts)
    result = outcome.result or Result.CHANGED
    sentence = language.results[result]
    if isinstance(sentence, Plural):
        sentence = sentence.of(outcome.changes)
    return sentence.format(subject=clean(outcome.subject or job.envelope.subject), changes=outcome.changes)


def _preempted(outcome: Outcome, facts: Facts, language: Language) -> Iterator[str]:
    yield language.stopped if outcome.stopped_by else language.preempted
    if outcome.stopped_by:
        if outcome.commit:
            yield language.partial_work_kept
    elif not outcome.handed_over and not outcome.commit:
        yield language.not_handed_over
    elif facts.newer:
        yield language.went_to.format(subject=clean(facts.newer))


def _page(page: ChangedPage, facts: Facts, language: Language) -> Item:
    notes = {PageChange.NEW: language.new_page, PageChange.REMOVED: language.removed_page}
    return Item(
        clean(page.title) or f"/{_address(page.path)}",
        link=_link(page, facts),
        note=notes.get(page.change, ""),
        before=clean(page.before, facts),
        after=clean(page.after, facts),
    )


def _link(page: ChangedPage, facts: Facts) -> str:
    if not facts.preview or page.change is PageChange.REMOVED:
        return ""
    return facts.preview + _address(page.path)


def _best_link(outcome: Outcome, facts: Facts) -> str:
    """Link to the page that changed most, otherwise to the home page."""
    return next((link for page in outcome.pages if (link := _link(page, facts))), facts.preview)


def _address(path: str) -> str:
    """A page's URL path within its site: `menu/index.html` becomes `menu/`."""
    return quote(path.removesuffix("index.html").lstrip("/"))


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


def _states(outcome: Outcome) -> list[ChangeState]:
    """The state of each change that was made. An older version counts those that are live."""
    known = outcome.made_states or (ChangeState.LIVE,) * outcome.made_live
    unknown = (ChangeState.MADE,) * len(outcome.made)
    return [*known, *unknown][: len(outcome.made)]


def _items(lines: tuple[str, ...]) -> tuple[Item, ...]:
    return tuple(Item(clean(line)) for line in lines)


def _command_words(language: Language) -> dict[str, str]:
    return {command.value: language.words[command] for command in (Command.PUBLISH, Command.UNPUBLISH, Command.UNDO)}


def clean(text: str, facts: Facts = NO_FACTS) -> str:
    """Untrusted text on one line, without control characters, and with links to the project's own sites only."""
    own_hosts = [urlsplit(address).hostname or "" for address in (facts.preview, facts.live)]
    return defang_foreign_links(one_line(text), own_hosts)

"""Puts an answer together: which sentences, in which order, with which facts. Each thing is said once.

An answer is a row of blocks, so that it can be written as text today and as HTML beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from webordinary.answers.english import ENGLISH
from webordinary.answers.language import Counted, Language
from webordinary.platform.messages import Attachment, AttachmentRefusal, Failure, Job, Outcome, Refusal, Result


@dataclass(frozen=True)
class Block:
    """A sentence, with what belongs below or beside it."""

    sentence: str
    link: str = ""
    quoted: str = ""
    items: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    blocks: tuple[Block, ...]

    def text(self) -> str:
        return "\n\n".join(_as_text(block) for block in self.blocks)


def answer_to_job(job: Job, outcome: Outcome, language: Language = ENGLISH) -> Answer:
    return Answer(tuple(_blocks(job, outcome, language)))


def answer_to_refusal(refusal: Refusal, language: Language = ENGLISH) -> Answer:
    sentence = language.refusals[refusal.reason].format(
        addresses=", ".join(refusal.addresses),
        project=refusal.project,
        moment=f"{refusal.goes_on_at:%Y-%m-%d %H:%M} UTC" if refusal.goes_on_at else "",
    )
    return Answer((Block(sentence),))


def _blocks(job: Job, outcome: Outcome, language: Language) -> Iterator[Block]:
    yield Block(_opening(job, outcome, language))
    if outcome.detail:
        yield Block(language.detail, quoted=outcome.detail)
    if outcome.preview_url:
        yield Block(language.preview, link=outcome.preview_url)
    if outcome.live_url:
        yield Block(language.live, link=outcome.live_url)
    if outcome.changed_files:
        yield Block(language.changed_files, items=outcome.changed_files)
    refused = tuple(_why(item, item.refused, language) for item in job.attachments if item.refused is not None)
    if refused:
        yield Block(language.refused_attachments, items=refused)


def _opening(job: Job, outcome: Outcome, language: Language) -> str:
    if outcome.state == "preempted":
        return f"{language.preempted} {language.partial_work_kept}" if outcome.commit else language.preempted
    if outcome.state == "failed":
        return language.failures[outcome.failure or Failure.INTERNAL].format(command=job.command)
    if outcome.summary:
        return outcome.summary
    sentence = language.results[outcome.result or Result.CHANGED]
    if isinstance(sentence, Counted):
        sentence = sentence.of(outcome.changes)
    return sentence.format(subject=outcome.subject or job.envelope.subject, changes=outcome.changes)


def _why(attachment: Attachment, refused: AttachmentRefusal, language: Language) -> str:
    return f"{attachment.name}: {language.attachment_problems[refused.problem].format(limit=refused.limit)}"


def _as_text(block: Block) -> str:
    first = f"{block.sentence} {block.link}" if block.link else block.sentence
    lines = [first, *(f"- {item}" for item in block.items)]
    return "\n".join(lines) + (f"\n\n{block.quoted}" if block.quoted else "")

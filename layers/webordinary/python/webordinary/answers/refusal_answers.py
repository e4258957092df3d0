"""The reply to a mail that became no job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from webordinary.answers.blocks import Answer, Block, Item, Style
from webordinary.answers.facts import NO_FACTS, Facts, clean
from webordinary.answers.languages import language_of
from webordinary.answers.parts import actions, complete, mailto
from webordinary.contract.messages.parse import Refusal
from webordinary.contract.outcomes import RefusalReason

NO_SITES: Mapping[str, str] = {}


def answer_to_refusal(refusal: Refusal, facts: Facts = NO_FACTS, sites: Mapping[str, str] = NO_SITES) -> Answer:
    """`sites` are the names of the sites between which the sender is to choose, with the address of each."""
    language = language_of(refusal.language)
    sentence = language.refusals[refusal.reason].format(
        addresses=", ".join(refusal.addresses),
        project=refusal.project,
        time=language.date_and_time(refusal.resumes_at) if refusal.resumes_at else "",
        command=language.words.get(refusal.command, refusal.command) if refusal.command else "",
    )
    offered = actions(language, facts, *([refusal.command] if refusal.command else []))
    return complete(language, [Block(sentence, Style.LEAD), *_choices(refusal, facts, sites), *offered])


def _choices(refusal: Refusal, facts: Facts, sites: Mapping[str, str]) -> Iterator[Block]:
    """The sites to choose from; each link writes the mail that names one."""
    if refusal.reason is RefusalReason.AMBIGUOUS_PROJECT:
        named = [Item(clean(name), link=mailto(to, facts.reply_subject, name)) for name, to in sites.items()]
        yield Block("", Style.LIST, items=tuple(named or map(Item, refusal.addresses)))

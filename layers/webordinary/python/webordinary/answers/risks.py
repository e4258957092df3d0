"""What a change adds that can hurt visitors, as one line each. The names of hosts and files are untrusted text."""

from __future__ import annotations

from collections.abc import Iterator

from webordinary.answers.blocks import Block, Item, Style
from webordinary.answers.foreign_links import defang_foreign_links, one_line
from webordinary.answers.language import Language
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Failure


def risks(outcome: Outcome, language: Language) -> Iterator[Block]:
    """A refused change is introduced by the failure's own sentence."""
    heading = "" if outcome.failure is Failure.RISK_FORBIDDEN else language.risks
    if lines := risk_lines(outcome, language):
        yield Block(heading, Style.LIST, items=tuple(Item(line) for line in lines))


def risk_lines(outcome: Outcome, language: Language) -> tuple[str, ...]:
    lines = [
        language.risk_lines[risk.kind].format(detail=defang_foreign_links(one_line(risk.detail), ()))
        for risk in outcome.risks
    ]
    if outcome.more_risks:
        lines.append(language.more_risks.of(outcome.more_risks).format(number=outcome.more_risks))
    return tuple(lines)

"""What a change adds that can hurt visitors, as one line each. The names of hosts and files are untrusted text."""

from __future__ import annotations

from webordinary.answers.foreign_links import defang_foreign_links, one_line
from webordinary.answers.language import Language
from webordinary.contract.messages.outcome import Outcome


def risk_lines(outcome: Outcome, language: Language) -> tuple[str, ...]:
    lines = [
        language.risk_lines[risk.kind].format(detail=defang_foreign_links(one_line(risk.detail), ()))
        for risk in outcome.risks
    ]
    if outcome.more_risks:
        lines.append(language.more_risks.of(outcome.more_risks).format(number=outcome.more_risks))
    return tuple(lines)

"""The name of a request in answers: its first line that is more than a greeting."""

from __future__ import annotations

from webordinary.contract.values import limit
from webordinary.mail.commands.finder import is_pleasantry

PUNCTUATION = " ,.;:!?\u2026\u3001\u3002\uff01\uff0c"


def request_name(instruction: str, subject: str = "") -> str:
    lines = [line for part in (instruction, subject) for line in part.splitlines() if line.strip()]
    named = next((line for line in lines if not is_pleasantry(line.strip(PUNCTUATION))), lines[0] if lines else "")
    return " ".join(named.split())[: limit("phrase_characters")]

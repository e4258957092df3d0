"""Untrusted text in the operator's terminal."""

from __future__ import annotations

import pytest

from webordinary.contract.messages.base import Message
from webordinary_ops.output import Output

HOSTILE = "\x1b]52;c;ZXZpbA==\x07\x9b2J\x08\u202eevil"


class Row(Message):
    subject: str
    facts: dict[str, str]


@pytest.mark.parametrize("as_json", [True, False])
def test_control_characters_are_replaced(capsys: pytest.CaptureFixture[str], as_json: bool) -> None:
    output, row = Output(as_json), Row(subject=HOSTILE, facts={HOSTILE: HOSTILE})
    output.one(row)
    output.rows([row], HOSTILE)
    output.say(HOSTILE)
    if not as_json:
        output.rows([], HOSTILE)
        output.text(f"first line\n{HOSTILE}")

    printed = capsys.readouterr().out
    assert all(char in "\n\t" or char.isprintable() for char in printed)
    assert "evil" in printed

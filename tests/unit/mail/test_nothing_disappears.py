"""Every word of any mail is in the instruction, in the forwarded text, or in what was cut off.

A rule that cuts too much then costs a question, not a sentence. The mails are random: own words, quotes, introductions,
header blocks, signatures and forwards in any order, as plain text, as HTML and as both.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from html import escape

import pytest

from tests.unit.mail.mails import ANSWERS, multipart, part, with_body
from tests.unit.mail.test_client_styles import BAKERY, BLOCKS, INTRODUCTIONS
from webordinary.mail import KnownText, fingerprints_of, parse

SEEDS = 10
MAILS_PER_SEED = 150
FORWARD = (
    "---------- Forwarded message ---------\nFrom: Carl Example <carl@example.net>\n"
    "Date: Sun, Mar 2, 2025 at 6:00 PM\nSubject: Summer fair\nTo: <anna@example.com>\n\n"
)
AROUND = [
    ("<p>", "</p>"),
    ("<div>", "</div>"),
    ('<p style="color:red">', "</p>"),
    ('<div class="gmail_quote">', "</div>"),
    ('<div class="gmail_signature">', "</div>"),
    ('<div id="appendonsend"></div><p>', "</p>"),
    ('<div id="divRplyFwdMsg">', "</div>"),
    ('<div name="quote">', "</div>"),
    ("<table><tr><td>", "</td></tr></table>"),
    ("<ul><li>", "</li></ul>"),
]


class RandomMail:
    def __init__(self, seed: str) -> None:
        self._rng = random.Random(seed)  # noqa: S311 - the same mails on every run
        self._words = 0
        self.text = "\n\n".join(self._block() for _ in range(self._rng.randint(1, 7)))

    def _line(self, most: int = 9) -> str:
        words = []
        for _ in range(self._rng.randint(1, most)):
            self._words += 1
            words.append(f"{self._rng.choice(['word', 'Name', 'Ort', 'שם', 'слово'])}{self._words}")
        return " ".join(words) + self._rng.choice(["", "", ".", ":", "?", ",", "!"])

    def _lines(self, mark: str = "") -> str:
        return "\n".join(mark + self._line() for _ in range(self._rng.randint(1, 4)))

    def _block(self) -> str:
        choose = self._rng.choice
        blocks: list[Callable[[], str]] = [
            *([self._lines] * 4),
            lambda: self._lines("> "),
            lambda: self._lines("> > "),
            lambda: f"{choose(list(INTRODUCTIONS.values()))}\n\n{self._lines('> ')}",
            lambda: f"{choose(list(BLOCKS.values())).format(b=BAKERY)}\n\n{self._lines()}",
            lambda: f"{choose(['Best regards,', 'Viele Grüße', 'Thanks'])}\nAnna Berg\n{self._line(3)}",
            lambda: f"{choose(['-- ', '--', '---', '_______', '***'])}\nAnna Berg\n{self._lines()}",
            lambda: f"{choose(['-- ', '---', '======='])}\n{self._lines()}",
            lambda: FORWARD + self._lines(),
            lambda: choose(["Sent from my iPhone", "Get Outlook for iOS"]),
            lambda: f"CONFIDENTIALITY NOTICE: this mail is confidential. {self._lines()}",
            lambda: f"PS: {self._lines()}",
            lambda: f"```\n{self._lines()}\n\n{self._lines()}\n```",
        ]
        return choose(blocks)()

    def html(self) -> str:
        pieces = []
        for block in self.text.split("\n\n"):
            lines = block.split("\n")
            opening, closing = self._rng.choice(AROUND)
            if all(line.startswith("> ") for line in lines):
                kind = self._rng.choice([' class="gmail_quote"', ' type="cite"', ""])
                opening, closing, lines = f"<blockquote{kind}>", "</blockquote>", [line[2:] for line in lines]
            pieces.append(f"{opening}{'<br>'.join(map(escape, lines))}{closing}")
        return self._rng.choice(["", "<p>&nbsp;</p>", "<br>"]).join(pieces)

    def raw(self) -> bytes:
        subject = self._rng.choice(["Website", "Re: Website", "Fwd: Website"])
        headers = ANSWERS if subject == "Re: Website" else ""
        plain = part("text/plain; charset=utf-8", self.text)
        html = part("text/html; charset=utf-8", self.html())
        parts = self._rng.choice([[plain], [html], [plain, html]])
        line, body = multipart("alternative", *parts)
        return with_body((headers + line, body), subject=subject)

    def known(self) -> KnownText | None:
        """About half of the lines, as if they were in earlier mails; or nothing."""
        if self._rng.random() < 0.6:
            return None
        lines = [line for line in self.text.split("\n") if self._rng.random() < 0.5]
        return KnownText(b"secret", "thread", sent=[fingerprints_of("\n".join(lines), b"secret", "thread")])


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_every_word_is_given_or_named_as_cut(seed: int) -> None:
    for number in range(MAILS_PER_SEED):
        mail = RandomMail(f"{seed}-{number}")
        parsed = parse(mail.raw(), known=mail.known())
        given = (parsed.request.instruction, parsed.forwarded_text, parsed.history_text, parsed.removed_text)
        assert not _words(mail.text) - _words("\n".join(given)), (number, mail.text, given)

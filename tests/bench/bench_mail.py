"""Speed of the mail parser: against the standard library, and on hostile mails against splitting them into lines."""

from __future__ import annotations

import email
import sys
import time
from collections.abc import Callable, Sequence

from tests.unit.mail.hostile_mails import HOSTILE, MEGABYTE
from tests.unit.mail.mails import ORDINARY
from webordinary.mail import KnownText, fingerprints_of, parse

ROUNDS = 250


def plain_parse(raw: bytes) -> None:
    """What the standard library does: parse, walk, decode every part."""
    for part in email.message_from_bytes(raw).walk():
        if not part.is_multipart():
            part.get_payload(decode=True)


# The sent mails that ORDINARY quotes.
SENT = (
    "Hello Anna,\n\nthe opening hours are changed. Have a look:\nhttps://preview.example.org/session/abc/\n",
    "Which colour should the headline have?\nAnd the font?\n\nKind regards\nBakery",
    *("The menu is online.", "Die Preise stehen jetzt online.", "Passt das so?", "了解しました。", "Готово."),
)


def _known() -> KnownText:
    return KnownText(b"secret", "thread", sent=[fingerprints_of(text, b"secret", "thread") for text in SENT])


def _seconds(actions: Sequence[Callable[[bytes], object]], mails: Sequence[bytes]) -> list[float]:
    """The best of many short alternating rounds, because other load only makes a round slower."""
    best = [float("inf")] * len(actions)
    for _ in range(ROUNDS):
        for number, action in enumerate(actions):
            started = time.process_time()
            for raw in mails:
                action(raw)
            best[number] = min(best[number], time.process_time() - started)
    return best


def run() -> list[tuple[str, float, str]]:
    """(name, ratio, explanation) per measurement. Higher is better for ordinary mail, lower for hostile mail."""
    mails = list(ORDINARY.values())
    known = _known()
    theirs, ours, recognising = _seconds([plain_parse, parse, lambda raw: parse(raw, known=known)], mails)
    count = len(mails)
    results = [
        (
            "mail: parse, against the standard library",
            theirs / ours,
            f"{count / ours:,.0f} mails/s read in full; the plain parse does {count / theirs:,.0f}/s (goal: 0.5)",
        ),
        (
            "mail: parse with fingerprints, against the standard library",
            theirs / recognising,
            f"{count / recognising:,.0f} mails/s with their history recognised (goal: 0.45)",
        ),
    ]
    for name, build in HOSTILE.items():
        raw = build()
        started = time.process_time()
        parse(raw)
        spent = time.process_time() - started
        started = time.process_time()
        len(raw.splitlines())
        read = max(time.process_time() - started, 1e-6)
        explanation = (
            f"{len(raw) / MEGABYTE:.1f} MB in {spent * 1000:.0f} ms; splitting it into lines takes {read * 1000:.0f} ms"
        )
        results.append((f"hostile mail: {name}", spent / read, explanation))
    return results


if __name__ == "__main__":
    for name, ratio, explanation in run():
        sys.stdout.write(f"{ratio:8.2f}  {name}: {explanation}\n")

"""The parser never fails, and stays within time and memory limits."""

from __future__ import annotations

import random
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pytest

from tests.unit.mail.hostile_mails import HOSTILE
from tests.unit.mail.mails import ANSWERS, ORDINARY, mail
from webordinary.mail import KnownText, classify, fingerprints_of, parse

MUTATIONS = 5_500
# Seconds of the processor, many times what a slow machine needs.
LONGEST_FUZZED = 5
LONGEST_HOSTILE = 20
MOST_EXTRA_MEMORY = 60 * 1024 * 1024

_PIECES = (
    *(b"\r\n", b"\n", b"\r", b"\x00", b"\xff\xfe", b">", b"=?utf-8?b?", b"?=", b"=", b'"', b"<", b"\\", b"("),
    *(b"--edge", b"--edge--\r\n", b"Content-Type: multipart/mixed; boundary=edge\r\n\r\n"),
    *(b"Content-Transfer-Encoding: base64\r\n", b"charset=utf-16", b"charset=idna"),
    *(b"On Mon, Mar 3, 2025 wrote:\n", b"From: x\nSent: y\nSubject: z\n", b"```\n", b"-- \n"),
    *(b"<blockquote>", b"<div class=gmail_quote>", b"&#"),
)


def _mutated(rng: random.Random, raw: bytes) -> bytes:
    data = bytearray(raw)
    for _ in range(rng.randint(1, 12)):
        at = rng.randrange(len(data) + 1)
        action = rng.randrange(5)
        if action == 0:
            data[at:at] = rng.choice(_PIECES)
        elif action == 1:
            del data[at : at + rng.randint(1, 200)]
        elif action == 2:
            data[at : at + 1] = bytes([rng.randrange(256)])
        elif action == 3:
            data[at:at] = data[rng.randrange(len(data) + 1) :][: rng.randint(1, 400)]
        else:
            data[at:at] = rng.choice(_PIECES) * rng.randint(1, 60)
    return bytes(data)


def _known() -> KnownText:
    texts = [parse(raw).full_text for raw in ORDINARY.values()]
    packed = [fingerprints_of(text, b"secret", "thread") for text in texts]
    return KnownText(b"secret", "thread", sent=packed[::2], received=packed[1::2])


def test_mutated_mails_neither_fail_nor_are_slow() -> None:
    rng = random.Random(20250303)  # noqa: S311 - the same mails on every run
    seeds = list(ORDINARY.values())
    known = _known()
    slowest = 0.0
    for number in range(MUTATIONS):
        raw = _mutated(rng, rng.choice(seeds))
        started = time.process_time()
        parsed = parse(raw, known=known if number % 2 else None)
        slowest = max(slowest, time.process_time() - started)
        parsed.wire_text()
    assert slowest < LONGEST_FUZZED


@pytest.mark.parametrize("name", list(HOSTILE))
def test_hostile_mail_is_parsed_quickly(name: str) -> None:
    raw = HOSTILE[name]()
    started = time.process_time()
    parse(raw)
    classify(raw)
    assert time.process_time() - started < LONGEST_HOSTILE


_EARLIER_TEXT = "\n".join(f"this is line {number} of what was said before in here" for number in range(3_000))
KNOWN_HOSTILE = {
    "everything is known": _EARLIER_TEXT,
    "answers between all lines": _EARLIER_TEXT.replace("\n", "\nyes\n"),
    "answers inside all lines": _EARLIER_TEXT.replace(" of what", " yes of what"),
    "half of every line is known": _EARLIER_TEXT.replace("said before", "never said"),
    "marked lines between known ones": "> " + _EARLIER_TEXT.replace("\n", "\n> who are you\n> "),
    "introductions everywhere": _EARLIER_TEXT.replace("\n", "\nOn 3 May 2025 at 10:00, a <a@example.com> wrote:\n"),
    "labels everywhere": _EARLIER_TEXT.replace("\n", "\nA: b@example.com\nC: 2025\nD: 10:00\n"),
}


@pytest.mark.parametrize("name", list(KNOWN_HOSTILE))
def test_hostile_mail_with_known_text_is_parsed_quickly(name: str) -> None:
    known = KnownText(b"secret", "thread", sent=[fingerprints_of(_EARLIER_TEXT, b"secret", "thread")])
    raw = mail("Hello\n\n" + KNOWN_HOSTILE[name], headers=ANSWERS)
    started = time.process_time()
    parse(raw, known=known)
    assert time.process_time() - started < LONGEST_HOSTILE


@pytest.mark.parametrize(
    "name",
    [
        "20 MB of quoted empty lines",
        "3 million parts",
        "a header of 20 MB",
        "an attachment of 28 MB",
        "a million nodes",
    ],
)
def test_hostile_mail_needs_little_memory(name: str) -> None:
    raw = HOSTILE[name]()
    tracemalloc.start()
    parse(raw)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MOST_EXTRA_MEMORY


def test_importing_the_package_does_not_load_pydantic_or_email() -> None:
    program = (
        "import sys, webordinary.mail; print([name for name in sys.modules if name.startswith(('pydantic', 'email'))])"
    )
    layer = Path(__file__).parents[3] / "layers" / "webordinary" / "python"
    found = subprocess.run([sys.executable, "-c", program], cwd=layer, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"

"""Stores every mail that the emulator accepted for sending, as a file that is written atomically.

Like SES, it replaces Message-ID and Date. Differs from SES: nothing is signed or sent; Bcc headers stay; Return-Path
and Delivered-To, which the receiving server would add, are added here to record the envelope.
"""

import re
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

# A header with its continuation lines.
REPLACED_HEADERS = re.compile(rb"^(?:message-id|date):.*\r?\n(?:[ \t].*\r?\n)*", re.IGNORECASE | re.MULTILINE)
END_OF_HEADERS = re.compile(rb"\r?\n\r?\n")


class SentMailFolder:
    """`on_stored` receives the file of every mail once it is complete."""

    def __init__(
        self,
        folder: Path,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        on_stored: Callable[[Path], None] = lambda _path: None,
    ) -> None:
        self._folder = folder
        self._now = now
        self._on_stored = on_stored
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)
        self._count = len(list(folder.glob("*.eml")))

    def store(self, raw: bytes, *, message_id: str, region: str, sender: str, recipients: Sequence[str]) -> Path:
        """Writes the mail to `<number>-<message id>.eml`; numbers follow the order of acceptance."""
        added = [
            f"Return-Path: <{sender}>",
            f"Delivered-To: {', '.join(recipients)}",
            f"Message-ID: <{message_id}@{'email' if region == 'us-east-1' else region}.amazonses.com>",
            f"Date: {format_datetime(self._now())}",
        ]
        content = "".join(f"{line}\r\n" for line in added).encode() + _without_replaced_headers(raw)
        with self._lock:
            self._count += 1
            target = self._folder / f"{self._count:04d}-{message_id}.eml"
            unfinished = target.with_suffix(".unfinished")
            unfinished.write_bytes(content)
            unfinished.replace(target)
        self._on_stored(target)
        return target


def _without_replaced_headers(raw: bytes) -> bytes:
    end = END_OF_HEADERS.search(raw)
    boundary = end.start() + 2 if end else len(raw)
    return REPLACED_HEADERS.sub(b"", raw[:boundary]) + raw[boundary:]

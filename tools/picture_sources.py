"""What each picture of the documentation shows: digests of templates and stylesheets, stored with the pictures.

Spaces do not count, so formatting a template makes no picture old.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs/pictures"
RECORD = FOLDER / "sources.json"
_CONSOLE = "ops/webordinary_ops/console"
_LOOKS = (f"{_CONSOLE}/assets/console.css", f"{_CONSOLE}/templates/layout.html", f"{_CONSOLE}/templates/marks.html")
_OVERVIEW = (f"{_CONSOLE}/templates/overview.html", "local/page/templates/local_overview.html",
             "local/page/templates/write_form.html")  # fmt: skip
_CONVERSATION = (f"{_CONSOLE}/templates/conversation.html", "local/page/templates/mail_body.html",
                 "local/page/templates/reply_body.html", "local/page/templates/reply_fields.html")  # fmt: skip
_JOB = (f"{_CONSOLE}/templates/job.html", f"{_CONSOLE}/machine/layout.py")
_REPLY = ("layers/webordinary/python/webordinary/answers/as_html.py",)
SOURCES = {
    "run.webp": (*_LOOKS, *_OVERVIEW, *_CONVERSATION, *_JOB),
    "console-overview.png": (*_LOOKS, *_OVERVIEW),
    "console-conversation.png": (*_LOOKS, *_CONVERSATION),
    "console-job.png": (*_LOOKS, *_JOB),
    "console-fleet.png": (*_LOOKS, f"{_CONSOLE}/templates/fleet.html"),
    "answer-changed-desktop.png": _REPLY,
    "answer-changed-phone.png": _REPLY,
    "answer-changed-phone-dark.png": _REPLY,
    "answers-de.png": _REPLY,
    "answers-en.png": _REPLY,
    "answers-to-publishers.png": _REPLY,
}


def digest(file: str, root: Path = ROOT) -> str:
    words = "".join((root / file).read_text(encoding="utf-8").split())
    return hashlib.sha256(words.encode()).hexdigest()[:16]


def record() -> None:
    digests = {picture: {file: digest(file) for file in files} for picture, files in SOURCES.items()}
    RECORD.write_text(json.dumps(digests, indent=2) + "\n", encoding="utf-8")


def changed_since() -> dict[str, list[str]]:
    """The pictures whose sources have changed since they were taken, with these sources."""
    recorded = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}
    found = {
        picture: [file for file in files if recorded.get(picture, {}).get(file) != digest(file)]
        for picture, files in SOURCES.items()
    }
    return {picture: files for picture, files in found.items() if files}

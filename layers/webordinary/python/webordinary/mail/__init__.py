"""Understands mail: what a person wrote, what they ask for, who they are, and whether a person wrote at all.

Text and bytes in, models out; nothing here talks to a network, a clock or a disk. The names below are loaded when
they are first used, so that a function which needs one of them does not pay for all.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webordinary.mail.classification import classify
    from webordinary.mail.consent import says_yes
    from webordinary.mail.context import Turn
    from webordinary.mail.file_names import safe_name
    from webordinary.mail.fingerprints import add_fingerprints, fingerprints_of
    from webordinary.mail.known_text import KnownText
    from webordinary.mail.languages import language_of
    from webordinary.mail.models import Address, AttachmentInfo, Authentication, CommandRequest, MailKind, ParsedMail
    from webordinary.mail.parsing import OpenedMail, open_mail, parse
    from webordinary.mail.quoting import visible_reply

__all__ = [
    "Address",
    "AttachmentInfo",
    "Authentication",
    "CommandRequest",
    "KnownText",
    "MailKind",
    "OpenedMail",
    "ParsedMail",
    "Turn",
    "add_fingerprints",
    "classify",
    "fingerprints_of",
    "language_of",
    "open_mail",
    "parse",
    "safe_name",
    "says_yes",
    "visible_reply",
]

_HOMES = {
    "classify": "classification",
    "safe_name": "file_names",
    "says_yes": "consent",
    "Turn": "context",
    "KnownText": "known_text",
    "add_fingerprints": "fingerprints",
    "fingerprints_of": "fingerprints",
    "language_of": "languages",
    "OpenedMail": "parsing",
    "open_mail": "parsing",
    "parse": "parsing",
    "visible_reply": "quoting",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES.get(name, 'models')}"), name)
    globals()[name] = value
    return value

"""Parses mail: what the person wrote, which command it gives, whether the sender is authenticated or a machine.

Text and bytes in, models out; no network, clock or disk. The names below are imported on first use, which keeps the
cold start of a function short.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webordinary.mail.classification import classify
    from webordinary.mail.commands.consent import AnswerKind, has_subject_of, read_answer
    from webordinary.mail.commands.near_misses import near_command
    from webordinary.mail.context import Turn, sender_names
    from webordinary.mail.file_names import safe_name
    from webordinary.mail.history.fingerprints import add_fingerprints, fingerprints_of
    from webordinary.mail.history.known_text import KnownText
    from webordinary.mail.history.quoting import visible_reply
    from webordinary.mail.models import Address, AttachmentInfo, Authentication, CommandRequest, MailKind, ParsedMail
    from webordinary.mail.parsing import OpenedMail, open_mail, parse
    from webordinary.mail.site_names import names_only, sites_named
    from webordinary.mail.vocabulary.languages import language_of

__all__ = [
    "Address",
    "AnswerKind",
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
    "has_subject_of",
    "language_of",
    "names_only",
    "near_command",
    "open_mail",
    "parse",
    "read_answer",
    "safe_name",
    "sender_names",
    "sites_named",
    "visible_reply",
]

_MODULES = {
    "classify": "classification",
    "safe_name": "file_names",
    "AnswerKind": "commands.consent",
    "near_command": "commands.near_misses",
    "has_subject_of": "commands.consent",
    "read_answer": "commands.consent",
    "Turn": "context",
    "sender_names": "context",
    "KnownText": "history.known_text",
    "add_fingerprints": "history.fingerprints",
    "fingerprints_of": "history.fingerprints",
    "language_of": "vocabulary.languages",
    "OpenedMail": "parsing",
    "open_mail": "parsing",
    "parse": "parsing",
    "visible_reply": "history.quoting",
    "names_only": "site_names",
    "sites_named": "site_names",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES.get(name, 'models')}"), name)
    globals()[name] = value
    return value

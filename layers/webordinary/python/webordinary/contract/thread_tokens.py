"""Tokens: how a reply to one of our mails is matched to its thread, or to the question that the mail asked.

A thread id is 26 characters, safe in a branch, a path, a queue attribute and an address. The first 8 are the same for
all threads of a pair, so that a policy can name the previews of one pair; the others are random. In mails it carries a
keyed checksum, so that guessed or altered ids are rejected. Mail clients lose headers, so the token is sent twice: in
the Reply-To address (`edit+t-TOKEN@example.com`) and in a link at the end of the HTML. It is not in the Message-ID:
SES sets that, and the threads table stores it.

A question to a publisher has its own id, and its mail carries `q-` instead of `t-`. So a yes answers that mail,
not a later one of the same thread.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Callable, Iterable, Sequence

ID_LENGTH = 26
PAIR_LENGTH = 8
CHECK_LENGTH = 10
LONGEST_SEARCH = 300_000
MARK = "t-"
QUESTION_MARK = "q-"
# On every reply we send, so that a returned one is recognised even if its text was changed.
OWN_HEADER = "x-webordinary-thread"

_TOKEN = re.compile(
    rf"(?<![a-z0-9])({MARK}|{QUESTION_MARK})([a-z2-7]{{{ID_LENGTH}}})([a-z2-7]{{{CHECK_LENGTH}}})(?![a-z0-9])",
    re.IGNORECASE,
)
# What the checksum is about, so that the token of one kind is not valid as the other.
_KINDS = {MARK: b"webordinary thread ", QUESTION_MARK: b"webordinary question "}
_THREAD_ID = re.compile(rf"[a-z2-7]{{{ID_LENGTH}}}$")


class InvalidThreadIdError(ValueError):
    def __init__(self) -> None:
        super().__init__("Invalid thread id: it must have 26 characters of a-z and 2-7.")


def new_thread_id(random_bytes: Callable[[int], bytes], pair_key: str) -> str:
    """A random thread id of a pair; `random_bytes` is `secrets.token_bytes` outside of tests."""
    return pair_prefix(pair_key) + base64.b32encode(random_bytes(12)).decode().lower()[: ID_LENGTH - PAIR_LENGTH]


def pair_prefix(pair_key: str) -> str:
    """How the ids of a pair's threads begin. Ids of older threads are random."""
    digest = hashlib.sha256(b"webordinary threads of " + pair_key.encode()).digest()
    return base64.b32encode(digest).decode().lower()[:PAIR_LENGTH]


def is_thread_of(thread_id: str, pair_key: str) -> bool:
    """Whether the id alone says that the thread belongs to the pair: its preview is writable for this pair only."""
    return thread_id.startswith(pair_prefix(pair_key))


def question_id(job_id: str, user: str) -> str:
    """The id of the question that a job asks a user. The same for every attempt, so a repeated mail asks it once."""
    digest = hashlib.sha256(f"webordinary question {job_id} {user}".encode()).digest()
    return base64.b32encode(digest).decode().lower()[:ID_LENGTH]


def token_for(thread_id: str, secret: bytes, mark: str = MARK) -> str:
    """The token of a thread or question: its mark, its id, its checksum."""
    if not _THREAD_ID.match(thread_id):
        raise InvalidThreadIdError
    return f"{mark}{thread_id}{_checksum(mark, thread_id, secret)}"


def reply_address(address: str, thread_id: str, secret: bytes, mark: str = MARK) -> str:
    """The Reply-To address: the project's address with the token as its tag."""
    local, _, domain = address.rpartition("@")
    return f"{local.partition('+')[0]}+{token_for(thread_id, secret, mark)}@{domain}"


def find_thread(texts: Iterable[str], secrets: Sequence[bytes]) -> str | None:
    """The thread of the first valid token in `texts`. Tokens of the previous secret are valid too."""
    return _find(MARK, texts, secrets)


def find_question(texts: Iterable[str], secrets: Sequence[bytes]) -> str | None:
    """The question of the first valid token in `texts`."""
    return _find(QUESTION_MARK, texts, secrets)


def is_token(tag: str) -> bool:
    """Whether the tag of an address is meant as a token, valid or not."""
    return tag.startswith((MARK, QUESTION_MARK))


def _find(mark: str, texts: Iterable[str], secrets: Sequence[bytes]) -> str | None:
    for text in texts:
        for match in _TOKEN.finditer(text[:LONGEST_SEARCH]):
            found, checksum = match[2].lower(), match[3].lower()
            if match[1].lower() == mark and any(
                hmac.compare_digest(_checksum(mark, found, secret), checksum) for secret in secrets
            ):
                return found
    return None


def without_tag(address: str) -> tuple[str, str]:
    """An address without its tag, and the tag: ("bakery@example.com", "anna") for bakery+anna@example.com."""
    local, _, domain = address.rpartition("@")
    plain, _, tag = local.partition("+")
    return f"{plain}@{domain}", tag


def _checksum(mark: str, found: str, secret: bytes) -> str:
    digest = hmac.new(secret, _KINDS[mark] + found.encode(), hashlib.sha256).digest()
    return base64.b32encode(digest).decode().lower()[:CHECK_LENGTH]

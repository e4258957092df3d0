"""The mark by which our own answers are recognised when somebody replies to them.

A thread's id is 26 random characters, safe in a branch, a path, a queue attribute and an address. Where it leaves
the house it carries a check, so that an id that was guessed or altered is refused. Mail programs lose headers, so
the token travels two ways: in the Reply-To address (`edit+t-TOKEN@example.com`) and behind the link at the end of the
HTML. It is not in the Message-ID, because SES gives every mail one of its own; the threads table remembers those.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Callable, Iterable, Sequence

ID_LENGTH = 26
CHECK_LENGTH = 10
LONGEST_SEARCH = 300_000
MARK = "t-"
# On every answer, so that one which comes back is known even where its text was changed.
OWN_HEADER = "x-webordinary-thread"

_TOKEN = re.compile(
    rf"(?<![a-z0-9]){MARK}([a-z2-7]{{{ID_LENGTH}}})([a-z2-7]{{{CHECK_LENGTH}}})(?![a-z0-9])", re.IGNORECASE
)
_THREAD_ID = re.compile(rf"[a-z2-7]{{{ID_LENGTH}}}$")


class InvalidThreadIdError(ValueError):
    def __init__(self) -> None:
        super().__init__("A thread id has 26 characters out of a-z and 2-7. No token was made.")


def new_thread_id(random_bytes: Callable[[int], bytes]) -> str:
    """A thread id that cannot be guessed; `random_bytes` is `secrets.token_bytes` outside of tests."""
    return base64.b32encode(random_bytes(17)).decode().lower()[:ID_LENGTH]


def token_for(thread_id: str, secret: bytes) -> str:
    """The token of a thread: "t-", its id, its check."""
    if not _THREAD_ID.match(thread_id):
        raise InvalidThreadIdError
    return f"{MARK}{thread_id}{_check(thread_id, secret)}"


def reply_address(address: str, thread_id: str, secret: bytes) -> str:
    """The address that a reply should go to: the project's own, with the token as its tag."""
    local, _, domain = address.rpartition("@")
    return f"{local.partition('+')[0]}+{token_for(thread_id, secret)}@{domain}"


def find_thread(places: Iterable[str], secrets: Sequence[bytes]) -> str | None:
    """The first thread whose genuine token stands in one of `places`, looked through in order.

    Genuine is a token of the secret, or of the one before it was rotated.
    """
    for place in places:
        for match in _TOKEN.finditer(place[:LONGEST_SEARCH]):
            thread_id = match[1].lower()
            if any(hmac.compare_digest(_check(thread_id, secret), match[2].lower()) for secret in secrets):
                return thread_id
    return None


def without_tag(address: str) -> tuple[str, str]:
    """An address without its tag, and the tag: ("bakery@example.com", "anna") for bakery+anna@example.com."""
    local, _, domain = address.rpartition("@")
    plain, _, tag = local.partition("+")
    return f"{plain}@{domain}", tag


def _check(thread_id: str, secret: bytes) -> str:
    digest = hmac.new(secret, b"webordinary thread " + thread_id.encode(), hashlib.sha256).digest()
    return base64.b32encode(digest).decode().lower()[:CHECK_LENGTH]

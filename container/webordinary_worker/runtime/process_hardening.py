"""Leaves nothing in the worker's own process that is worth reading.

Whoever may look at a process finds its first environment in /proc, whatever has become of it since. So the values of
secrets are wiped out of that memory, they are taken out of `os.environ`, and the process forbids to be looked at: then
its environment, memory and descriptors are closed even to programs of the same user.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from webordinary.aws import telemetry

PR_SET_DUMPABLE = 4
# Fields of /proc/self/stat behind the program's name, where the environment begins and ends.
ENVIRONMENT_BEGINS, ENVIRONMENT_ENDS = 47, 48
SECRETS = (
    "ANTHROPIC_API_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
)


def hide(secrets: Iterable[str] = SECRETS) -> None:
    """To be called before anything that is not trusted runs, and once whoever needs the secrets has read them."""
    forbid_to_look()
    wipe(secrets)


def forbid_to_look() -> None:
    with suppress(AttributeError):  # only Linux has it
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def wipe(names: Iterable[str]) -> None:
    wanted = {name.encode() for name in names}
    try:
        begin, end = _place_of_the_environment()
        memory = ctypes.string_at(begin, end - begin)
    except OSError as error:
        telemetry.logger().warning("The first environment was not wiped.", extra={"cause": str(error)})
        return
    at = begin
    for entry in memory.split(b"\0"):
        name, _, value = entry.partition(b"=")
        if name in wanted and value:
            ctypes.memset(at + len(name) + 1, ord("x"), len(value))
        at += len(entry) + 1
    for name in wanted:
        os.environ.pop(name.decode(), None)


def _place_of_the_environment() -> tuple[int, int]:
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    return int(fields[ENVIRONMENT_BEGINS]), int(fields[ENVIRONMENT_ENDS])

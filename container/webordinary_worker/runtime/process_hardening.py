"""Removes secrets from the worker's own process.

/proc shows a process's initial environment, even after changes. So the values of secrets are overwritten in that
memory and removed from `os.environ`, and the process is made undumpable: then its environment, memory and descriptors
are unreadable even for other processes of the same user.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from webordinary.aws import telemetry

PR_SET_DUMPABLE = 4
# Fields of /proc/self/stat after the program's name: start and end of the environment.
ENVIRONMENT_START, ENVIRONMENT_END = 47, 48
SECRETS = (
    "ANTHROPIC_API_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
)


def hide_secrets(secrets: Iterable[str] = SECRETS) -> None:
    """Called before any untrusted program runs, and after all users of the secrets have read them."""
    make_undumpable()
    wipe(secrets)


def make_undumpable() -> None:
    with suppress(AttributeError):  # only Linux has it
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def wipe(names: Iterable[str]) -> None:
    wanted = {name.encode() for name in names}
    try:
        begin, end = _environment_range()
        memory = ctypes.string_at(begin, end - begin)
    except OSError as error:
        telemetry.logger().warning(
            "Could not overwrite secrets in the initial environment.", extra={"cause": str(error)}
        )
        return
    at = begin
    for entry in memory.split(b"\0"):
        name, _, value = entry.partition(b"=")
        if name in wanted and value:
            ctypes.memset(at + len(name) + 1, ord("x"), len(value))
        at += len(entry) + 1
    for name in wanted:
        os.environ.pop(name.decode(), None)


def _environment_range() -> tuple[int, int]:
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    return int(fields[ENVIRONMENT_START]), int(fields[ENVIRONMENT_END])

"""Errors that a caller can tell apart. Each carries a sentence for the person who will read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError


class WebordinaryError(Exception):
    """Something went wrong that this system foresees."""


class InvalidMessageError(WebordinaryError):
    """A message does not fit its model. Sending it again cannot help."""

    def __init__(self, message_name: str, cause: ValidationError) -> None:
        problems = "; ".join(
            f"field '{'.'.join(str(part) for part in error['loc']) or 'the whole message'}': {error['msg']}"
            for error in cause.errors(include_url=False, include_input=False)
        )
        super().__init__(f"{message_name} was refused: {problems}.")


class PairLostError(WebordinaryError):
    """The pair belongs to another worker by now, or to nobody: this one must publish nothing more."""


class SettingsError(WebordinaryError):
    """The environment lacks a setting or holds a wrong one."""


class UnknownProjectError(WebordinaryError):
    """A pair names a project that is not onboarded."""

    def __init__(self, project: str) -> None:
        super().__init__(f"There is no project '{project}'. Add it with `webordinary projects add`.")


class UnknownJobError(WebordinaryError):
    """A report, an answer or an operator names a job that was never recorded."""

    def __init__(self, pair_key: str, job_id: str) -> None:
        super().__init__(f"There is no job {job_id} of {pair_key}; nothing was changed.")

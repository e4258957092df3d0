"""Errors that callers distinguish. Each has a message for the operator."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError


class WebordinaryError(Exception):
    """Base of all expected errors."""


class InvalidMessageError(WebordinaryError):
    """A message does not match its model. A retry cannot help."""

    def __init__(self, message_name: str, cause: ValidationError) -> None:
        problems = "; ".join(
            f"field '{'.'.join(str(part) for part in error['loc']) or 'whole message'}': {error['msg']}"
            for error in cause.errors(include_url=False, include_input=False)
        )
        super().__init__(f"Invalid {message_name}: {problems}.")


class PairLostError(WebordinaryError):
    """The worker has lost its pair and must publish nothing more."""


class SettingsError(WebordinaryError):
    """A setting in the environment is missing or invalid."""


class UnknownProjectError(WebordinaryError):
    """The project is not onboarded."""

    def __init__(self, project: str) -> None:
        super().__init__(f"Unknown project '{project}'. Add it with `webordinary projects add`.")


class UnknownJobError(WebordinaryError):
    """The job was never recorded."""

    def __init__(self, pair_key: str, job_id: str) -> None:
        super().__init__(f"Unknown job {job_id} of {pair_key}; nothing was changed.")

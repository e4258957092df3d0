"""The errors with which a job ends unsuccessfully, with their codes. The texts are in `answers`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from webordinary.aws.telemetry import logger
from webordinary.contract.errors import WebordinaryError
from webordinary.contract.outcomes import Failure

T = TypeVar("T")


def best_effort(task: Callable[[], T], otherwise: T, what: str) -> T:
    """Runs a task whose failure must not fail the job: what the job did is already deployed."""
    try:
        return task()
    except Exception:
        logger().exception("Skipped a step after the deployment.", extra={"step": what})
        return otherwise


class JobFailedError(WebordinaryError):
    """The job ends with this failure. `detail` is optional technical text."""

    def __init__(self, failure: Failure, detail: str = "") -> None:
        super().__init__(f"{failure}: {detail}" if detail else failure)
        self.failure = failure
        self.detail = detail


class BuildFailedError(JobFailedError):
    """The site does not build; changing its files may help."""

    def __init__(self, failure: Failure = Failure.BUILD_FAILED, detail: str = "") -> None:
        super().__init__(failure, detail)


class LinkLeavesTreeError(BuildFailedError):
    """The repository has a link to a file outside it, which must not be read, written or published."""

    def __init__(self, path: Path) -> None:
        super().__init__(Failure.LINK_LEAVES_SITE, str(path))


class TooLargeError(BuildFailedError):
    """The tree or the built site exceeds its quota."""

    def __init__(self, what: str) -> None:
        super().__init__(Failure.SITE_TOO_LARGE, what)


class ConflictError(JobFailedError):
    """Other commits changed the same lines."""

    def __init__(self) -> None:
        super().__init__(Failure.CONFLICT)


class PublishConflictError(JobFailedError):
    """A thread conflicts with changes published meanwhile; `clashes` are their subjects."""

    def __init__(self, clashes: tuple[str, ...]) -> None:
        super().__init__(Failure.PUBLISH_CONFLICT)
        self.clashes = clashes

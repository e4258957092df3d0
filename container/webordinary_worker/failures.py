"""The ways in which a job ends without doing what was asked."""

from __future__ import annotations

from webordinary.platform.errors import WebordinaryError
from webordinary.platform.messages import Failure


class JobFailedError(WebordinaryError):
    """The job is over. The sentence is for the person who wrote the mail."""

    def __init__(self, failure: Failure, sentence: str) -> None:
        super().__init__(sentence)
        self.failure = failure


class BuildFailedError(JobFailedError):
    """The site does not build. `excerpt` is what the build said about it."""

    def __init__(self, excerpt: str) -> None:
        super().__init__(
            Failure.BUILD_FAILED, f"The site could not be built, so nothing was changed. The build said:\n\n{excerpt}"
        )
        self.excerpt = excerpt


class ConflictError(JobFailedError):
    """Somebody else changed the same lines."""

    def __init__(self, branch: str) -> None:
        super().__init__(
            Failure.CONFLICT,
            f"Somebody else changed the same lines on {branch} at the same time. Their version was kept and yours was "
            "not published; please look at it and ask again.",
        )

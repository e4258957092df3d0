"""The ways in which a job ends without doing what was asked, as codes. Sentences are made where answers are made."""

from __future__ import annotations

from pathlib import Path

from webordinary.contract.errors import WebordinaryError
from webordinary.contract.outcomes import Failure


class JobFailedError(WebordinaryError):
    """The job is over. `detail` are technical lines, where there are any."""

    def __init__(self, failure: Failure, detail: str = "") -> None:
        super().__init__(f"{failure}: {detail}" if detail else failure)
        self.failure = failure
        self.detail = detail


class BuildFailedError(JobFailedError):
    """The site does not build as it is; another change of its files may help."""

    def __init__(self, failure: Failure = Failure.BUILD_FAILED, detail: str = "") -> None:
        super().__init__(failure, detail)


class LinkLeavesTreeError(BuildFailedError):
    """The repository has a link to something outside it, which must not be read, written or copied onto the site."""

    def __init__(self, path: Path) -> None:
        super().__init__(Failure.LINK_LEAVES_SITE, str(path))


class TooLargeError(BuildFailedError):
    """There is more in the tree or in the built site than is taken."""

    def __init__(self, what: str) -> None:
        super().__init__(Failure.SITE_TOO_LARGE, what)


class ConflictError(JobFailedError):
    """Somebody else changed the same lines."""

    def __init__(self) -> None:
        super().__init__(Failure.CONFLICT)


class PublishConflictError(JobFailedError):
    """A conversation cannot be joined with what was published meanwhile: these changes."""

    def __init__(self, clashes: tuple[str, ...]) -> None:
        super().__init__(Failure.PUBLISH_CONFLICT)
        self.clashes = clashes

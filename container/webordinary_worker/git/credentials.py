"""What opens a project's repository: fetched with the project's own rights, handed to the one git that needs it.

A token is read anew for every call that always reaches the remote, so a new one counts at once; calls that only may do
so take the one of the call before. Where a GitHub App opens the repository, the broker makes tokens of an hour: the key
of an App is not for workers. Git gets a token from `git_askpass`, which answers the repository's own host only; it is
in no address, no configuration and no file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, SecretStr, TypeAdapter, ValidationError

from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.telemetry import count, logger
from webordinary.contract.errors import WebordinaryError
from webordinary.contract.messages.broker import RepositoryAccess
from webordinary.contract.names import Names
from webordinary.contract.outcomes import Failure
from webordinary_worker.failures import JobFailedError

if TYPE_CHECKING:
    from mypy_boto3_ssm import SSMClient

ASKPASS = Path(__file__).with_name("git_askpass")
REACHES_THE_REMOTE = frozenset({"fetch", "push", "ls-remote"})
# A clone has the contents of files only once they were needed; these may have to fetch some.
NEEDS_CONTENTS = frozenset({"worktree", "checkout", "reset", "rebase", "revert", "merge-recursive", "archive", "diff"})
# What git says when the host does not let it in; GitHub says 404 of what one may not see.
REFUSED = (
    "Authentication failed",
    "could not read Username",
    "could not read Password",
    "The requested URL returned error: 401",
    "The requested URL returned error: 403",
    "Repository not found",
    "not granted",
)


# A token that ends sooner is not begun with: what git does may take minutes.
SHORTEST = timedelta(minutes=10)


class Credential(BaseModel):
    """What git is let in with. A token's user name means nothing to most hosts, but has to be there."""

    model_config = ConfigDict(frozen=True)

    token: SecretStr
    username: str = "x-access-token"
    expires_at: datetime | None = None

    def lasts(self, now: datetime) -> bool:
        return self.expires_at is not None and now + SHORTEST < self.expires_at


class ByGithubApp(BaseModel):
    """Stored in place of a token: the broker makes them."""

    github_app: Literal[True]


Stored: TypeAdapter[Credential | ByGithubApp] = TypeAdapter(Credential | ByGithubApp)


class RepositoryRefusedError(JobFailedError):
    """The repository's host does not let us in. The sender cannot mend it, an operator can."""

    def __init__(self, project_id: str, why: str = "its host does not let us in") -> None:
        super().__init__(Failure.REPOSITORY_REFUSED)
        facts = {"milestone": "repository_refused", "project": project_id, "why": why}
        logger().error("The repository refused its credential.", extra=facts)
        count("RepositoryRefused")


class TokenUnavailableError(WebordinaryError):
    """GitHub could not be reached for a token."""

    def __init__(self, project_id: str) -> None:
        super().__init__(f"There is no token for the repository of {project_id} at the moment; its job fails.")


@dataclass(frozen=True)
class GitCredentials:
    """The credential of one project, if it has one."""

    client: SSMClient
    names: Names
    project_id: str
    repository: str
    request_token: Callable[[], RepositoryAccess] = lambda: RepositoryAccess(unreachable=True)
    is_site_repository: bool = True  # and not for another repository of the same host, which may well refuse
    clock: Clock = utc_now
    _read_last: list[Credential | None] = field(default_factory=list, init=False, repr=False, compare=False)

    def environment(self, *, anew: bool = True) -> dict[str, str]:
        """What git has to find in its environment to be let in."""
        address = urlsplit(self.repository)
        if address.scheme != "https" or not address.hostname:
            return {}  # a token goes over TLS or not at all
        credential = self._credential(anew)
        if credential is None:
            return {}
        host = address.hostname if address.port is None else f"{address.hostname}:{address.port}"
        return {
            "GIT_ASKPASS": str(ASKPASS),
            "WEBORDINARY_GIT_HOST": host,
            "WEBORDINARY_GIT_USERNAME": credential.username,
            "WEBORDINARY_GIT_PASSWORD": credential.token.get_secret_value(),
        }

    def check(self, output: str) -> None:
        """Raises if what git said means that it was not let in."""
        if self.is_site_repository and any(words in output for words in REFUSED):
            raise RepositoryRefusedError(self.project_id)

    def _credential(self, anew: bool) -> Credential | None:
        last = self._read_last[0] if self._read_last else None
        if last is not None and last.expires_at is not None:
            again = not last.lasts(self.clock())
        else:
            again = anew or not self._read_last
        if again:
            self._read_last[:] = [self._find()]
        return self._read_last[0]

    def _find(self) -> Credential | None:
        try:
            answer = self.client.get_parameter(
                Name=self.names.project_parameter("git_credential", self.project_id), WithDecryption=True
            )
            stored = Stored.validate_json(answer["Parameter"]["Value"])
        except self.client.exceptions.ParameterNotFound:
            return None
        except ValidationError as error:
            raise RepositoryRefusedError(self.project_id, "what is stored for it cannot be read") from error
        return self._made() if isinstance(stored, ByGithubApp) else stored

    def _made(self) -> Credential:
        made = self.request_token()
        if made.refusal:
            raise RepositoryRefusedError(self.project_id, made.refusal)
        if made.unreachable or made.expires_at is None:
            raise TokenUnavailableError(self.project_id)
        return Credential(token=SecretStr(made.token), expires_at=made.expires_at)

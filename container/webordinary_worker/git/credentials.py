"""The credential of a project's repository, passed only to git commands that need it.

The token is read again for every command that always uses the remote, so a new one takes effect at once; commands that
may have to fetch contents reuse the last one. For a GitHub App the broker creates tokens that last an hour: workers
never see the App's key. Git gets the token from `git_askpass`, which answers only for the repository's own host; it is
in no URL, no configuration and no file.
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
REMOTE_COMMANDS = frozenset({"fetch", "push", "ls-remote"})
# A partial clone lacks file contents; these commands may have to fetch some.
CONTENT_COMMANDS = frozenset(
    {"show", "worktree", "checkout", "reset", "rebase", "revert", "merge-recursive", "archive", "diff"}
)
# Messages of git when the host denies access; GitHub reports 404 for private repositories.
ACCESS_DENIED = (
    "Authentication failed",
    "could not read Username",
    "could not read Password",
    "The requested URL returned error: 401",
    "The requested URL returned error: 403",
    "Repository not found",
    "not granted",
)


# A token must last at least this long: a git command may take minutes.
MIN_VALIDITY = timedelta(minutes=10)


class Credential(BaseModel):
    """A token for git. Most hosts ignore its user name, but git requires one."""

    model_config = ConfigDict(frozen=True)

    token: SecretStr
    username: str = "x-access-token"
    expires_at: datetime | None = None

    def is_valid(self, now: datetime) -> bool:
        return self.expires_at is not None and now + MIN_VALIDITY < self.expires_at


class GithubAppCredential(BaseModel):
    """Stored instead of a token: the broker creates one."""

    github_app: Literal[True]


StoredCredential: TypeAdapter[Credential | GithubAppCredential] = TypeAdapter(Credential | GithubAppCredential)


class RepositoryRefusedError(JobFailedError):
    """The repository's host denies access. An operator has to fix it."""

    def __init__(self, project_id: str, why: str = "its host denies access") -> None:
        super().__init__(Failure.REPOSITORY_REFUSED)
        facts = {"milestone": "repository_refused", "project": project_id, "why": why}
        logger().error("Access to the repository was denied; the job fails.", extra=facts)
        count("RepositoryRefused")


class TokenUnavailableError(WebordinaryError):
    """No token could be created, because GitHub is unreachable."""

    def __init__(self, project_id: str) -> None:
        super().__init__(f"No token for the repository of {project_id} is available now; the job fails.")


@dataclass(frozen=True)
class GitCredentials:
    """The credential of one project, if it has one."""

    client: SSMClient
    names: Names
    project_id: str
    repository: str
    request_token: Callable[[], RepositoryAccess] = lambda: RepositoryAccess(unreachable=True)
    is_site_repository: bool = True  # not a submodule, which may deny access
    clock: Clock = utc_now
    _last_read: list[Credential | None] = field(default_factory=list, init=False, repr=False, compare=False)

    def environment(self, *, refresh: bool = True) -> dict[str, str]:
        """The variables from which git gets the credential."""
        url = urlsplit(self.repository)
        if url.scheme != "https" or not url.hostname:
            return {}  # tokens are only sent over TLS
        credential = self._credential(refresh)
        if credential is None:
            return {}
        host = url.hostname if url.port is None else f"{url.hostname}:{url.port}"
        return {
            "GIT_ASKPASS": str(ASKPASS),
            "WEBORDINARY_GIT_HOST": host,
            "WEBORDINARY_GIT_USERNAME": credential.username,
            "WEBORDINARY_GIT_PASSWORD": credential.token.get_secret_value(),
        }

    def check(self, output: str) -> None:
        """Raises if the output of git means that access was denied."""
        if self.is_site_repository and any(message in output for message in ACCESS_DENIED):
            raise RepositoryRefusedError(self.project_id)

    def _credential(self, refresh: bool) -> Credential | None:
        last = self._last_read[0] if self._last_read else None
        if last is not None and last.expires_at is not None:
            read_again = not last.is_valid(self.clock())
        else:
            read_again = refresh or not self._last_read
        if read_again:
            self._last_read[:] = [self._read()]
        return self._last_read[0]

    def _read(self) -> Credential | None:
        try:
            response = self.client.get_parameter(
                Name=self.names.project_parameter("git_credential", self.project_id), WithDecryption=True
            )
            stored = StoredCredential.validate_json(response["Parameter"]["Value"])
        except self.client.exceptions.ParameterNotFound:
            return None
        except ValidationError as error:
            raise RepositoryRefusedError(self.project_id, "its stored credential is invalid") from error
        return self._app_credential() if isinstance(stored, GithubAppCredential) else stored

    def _app_credential(self) -> Credential:
        access = self.request_token()
        if access.refusal:
            raise RepositoryRefusedError(self.project_id, access.refusal)
        if access.unreachable or access.expires_at is None:
            raise TokenUnavailableError(self.project_id)
        return Credential(token=SecretStr(access.token), expires_at=access.expires_at)

"""What opens a project's repository: fetched with the project's own rights, handed to the one git that needs it.

It is read anew for every call that always reaches the remote, so a new one counts at once; calls that only may do so
take the one of the call before. Git gets it from `git_askpass`,
which answers the repository's own host only; it is in no address, no configuration and no file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError

from webordinary.platform.messages import Failure
from webordinary.platform.names import Names
from webordinary.platform.observability import count, logger
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


class Credential(BaseModel):
    """As an operator stored it. A token's user name means nothing to most hosts, but has to be there."""

    model_config = ConfigDict(frozen=True)

    token: SecretStr
    username: str = "x-access-token"


class RepositoryRefusedError(JobFailedError):
    """The repository's host does not let us in. The sender cannot mend it, an operator can."""

    def __init__(self, project_id: str) -> None:
        super().__init__(Failure.REPOSITORY_REFUSED)
        logger().error("The repository refused its credential.", extra={"project": project_id})
        count("RepositoryRefused")


@dataclass(frozen=True)
class GitCredentials:
    """The credential of one project, if it has one."""

    client: SSMClient
    names: Names
    project_id: str
    repository: str
    is_for_the_site: bool = True  # and not for another repository of the same host, which may well refuse
    _read_last: list[Credential | None] = field(default_factory=list, init=False, repr=False, compare=False)

    def environment(self, *, anew: bool = True) -> dict[str, str]:
        """What git has to find in its environment to be let in."""
        address = urlsplit(self.repository)
        if address.scheme != "https" or not address.hostname:
            return {}  # a token goes over TLS or not at all
        if anew or not self._read_last:
            self._read_last[:] = [self._find()]
        (credential,) = self._read_last
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
        if self.is_for_the_site and any(words in output for words in REFUSED):
            raise RepositoryRefusedError(self.project_id)

    def _find(self) -> Credential | None:
        try:
            answer = self.client.get_parameter(
                Name=self.names.project_parameter("git_credential", self.project_id), WithDecryption=True
            )
            return Credential.model_validate_json(answer["Parameter"]["Value"])
        except self.client.exceptions.ParameterNotFound:
            return None
        except ValidationError as error:
            raise RepositoryRefusedError(self.project_id) from error

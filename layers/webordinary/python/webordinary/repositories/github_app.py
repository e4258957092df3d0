"""A GitHub App that opens a repository: its key makes tokens of an hour, for that one repository and its contents only.

The key signs a statement of who asks (RFC 7519, RS256, ten minutes at most); GitHub answers with a token of the App's
installation. What signs is loaded when it is first needed: most projects have a token of their own.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, StringConstraints

from webordinary.aws.clients import USER_AGENT, Clock, utc_now
from webordinary.contract.errors import InvalidMessageError, WebordinaryError
from webordinary.contract.ids import Timestamp
from webordinary.contract.messages.base import Message

# GitHub refuses a statement that is valid for more than ten minutes, or from its future: clocks differ.
VALID = timedelta(minutes=9)
BACKDATED = timedelta(seconds=60)
SECONDS_TO_CONNECT, SECONDS_TO_ANSWER = 5, 10
RIGHTS = {"contents": "write"}

Number = Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]{0,18}$")]
AppId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9.]{1,40}$")]  # its number, or its client id


class GithubApp(Message):
    """As an operator stored it."""

    app_id: AppId
    installation_id: Number
    private_key: Annotated[str, Field(repr=False)]  # PEM


class NamedRepository(Message):
    model_config = ConfigDict(alias_generator=None)

    full_name: str


class InstallationToken(Message):
    # What GitHub answers is written with underscores.
    model_config = ConfigDict(alias_generator=None)

    token: Annotated[str, StringConstraints(min_length=1), Field(repr=False)]
    expires_at: Timestamp
    repositories: tuple[NamedRepository, ...]

    def opens_only(self, full_name: str) -> bool:
        return [one.full_name.lower() for one in self.repositories] == [full_name.lower()]


class AppRefusal(StrEnum):
    """Why no token was made, for whoever can mend it."""

    NO_KEY = "the key of the App cannot be read; store it again"
    KEY = "GitHub does not know the App by this key; it was withdrawn, or belongs to another App"
    SUSPENDED = "the App's installation is suspended, or may not do this"
    INSTALLATION = "there is no such App, or no such installation of it"
    REPOSITORY = "the installation does not include the repository, or may not write its contents"
    ADDRESS = "the repository's address is none of GitHub: https://host/owner/name"


class AppRefusedError(WebordinaryError):
    """No token is made, and asking again does not help."""

    def __init__(self, why: AppRefusal) -> None:
        super().__init__(f"The GitHub App makes no token: {why}.")
        self.why = why


class GithubUnreachableError(WebordinaryError):
    """GitHub gave no answer that decides anything. Asking again may help."""

    def __init__(self, said: object) -> None:
        super().__init__(f"GitHub makes no token at the moment: {said}.")


_REFUSALS = {
    401: AppRefusal.KEY,
    403: AppRefusal.SUSPENDED,
    404: AppRefusal.INSTALLATION,
    422: AppRefusal.REPOSITORY,
}


@dataclass(frozen=True)
class GithubApps:
    """Makes tokens. `trusted` is a file of certificates, where those of the machine are not meant."""

    clock: Clock = utc_now
    trusted: str | None = None

    def token(self, app: GithubApp, repository: str) -> InstallationToken:
        """A token for this repository alone. Raises AppRefusedError or GithubUnreachableError."""
        api, full_name = api_and_name(repository)
        wanted = {"repositories": [full_name.partition("/")[2]], "permissions": RIGHTS}
        status, headers, content = self._ask(
            f"{api}/app/installations/{app.installation_id}/access_tokens", self._statement(app), wanted
        )
        if status in _REFUSALS and not _is_for_now(headers):
            raise AppRefusedError(_REFUSALS[status])
        if status != 201:
            raise GithubUnreachableError(f"it answers with status {status}")
        try:
            made = InstallationToken.read(content)
        except InvalidMessageError as error:
            raise GithubUnreachableError(error) from error
        # Repositories are asked for by their short names: another owner's of the same name is none of ours.
        if not made.opens_only(full_name):
            raise AppRefusedError(AppRefusal.REPOSITORY)
        return made

    def _statement(self, app: GithubApp) -> str:
        import jwt

        now = self.clock()
        says = {"iat": now - BACKDATED, "exp": now + VALID, "iss": app.app_id}
        try:
            return jwt.encode(says, app.private_key, algorithm="RS256")
        except (ValueError, TypeError, jwt.PyJWTError) as error:
            raise AppRefusedError(AppRefusal.NO_KEY) from error

    def _ask(self, address: str, statement: str, wanted: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        from botocore.awsrequest import AWSRequest
        from botocore.exceptions import BotoCoreError
        from botocore.httpsession import URLLib3Session

        timeouts: Any = (SECONDS_TO_CONNECT, SECONDS_TO_ANSWER)
        trusted: Any = self.trusted or True
        headers = {
            "accept": "application/vnd.github+json",
            "authorization": f"Bearer {statement}",
            "content-type": "application/json",
            "user-agent": USER_AGENT,
            "x-github-api-version": "2022-11-28",
        }
        request = AWSRequest("POST", address, headers, json.dumps(wanted))
        try:
            answer = URLLib3Session(verify=trusted, timeout=timeouts).send(request.prepare())
        except BotoCoreError as error:
            raise GithubUnreachableError(error) from error
        return answer.status_code, {name.lower(): value for name, value in answer.headers.items()}, answer.content


def _is_for_now(headers: dict[str, str]) -> bool:
    """Whether a refusal only says that too much was asked for in too short a time."""
    return "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0"


def api_and_name(repository: str) -> tuple[str, str]:
    """Where GitHub's interface for a repository is, and what the repository is called there, with its owner."""
    address = urlsplit(repository)
    parts = address.path.strip("/").split("/")
    host = address.netloc.rpartition("@")[2].lower()
    if address.scheme != "https" or not host or len(parts) != 2 or not all(parts):
        raise AppRefusedError(AppRefusal.ADDRESS)
    name = f"{parts[0]}/{parts[1].removesuffix('.git')}"
    if host in ("github.com", "www.github.com"):
        return "https://api.github.com", name
    # In a tenant of its own GitHub has a host for its interface, on a server of one's own a folder.
    return (f"https://api.{host}" if host.endswith(".ghe.com") else f"https://{host}/api/v3"), name

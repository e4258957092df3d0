"""GitHub App access: creates installation tokens for the contents of one repository, valid for an hour.

The App's key signs a JWT (RFC 7519, RS256, at most ten minutes); GitHub returns an installation token. PyJWT is
imported on first use: most projects use a personal token instead.
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

# GitHub rejects a JWT that is valid for more than ten minutes or issued in the future; clocks differ.
VALID = timedelta(minutes=9)
BACKDATED = timedelta(seconds=60)
SECONDS_TO_CONNECT, SECONDS_TO_ANSWER = 5, 10
RIGHTS = {"contents": "write"}

Number = Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]{0,18}$")]
AppId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9.]{1,40}$")]  # its number, or its client id


class GithubApp(Message):
    """The App's credentials, as stored by an operator."""

    app_id: AppId
    installation_id: Number
    private_key: Annotated[str, Field(repr=False)]  # PEM


class NamedRepository(Message):
    model_config = ConfigDict(alias_generator=None)

    full_name: str


class InstallationToken(Message):
    # GitHub's response uses snake_case.
    model_config = ConfigDict(alias_generator=None)

    token: Annotated[str, StringConstraints(min_length=1), Field(repr=False)]
    expires_at: Timestamp
    repositories: tuple[NamedRepository, ...]

    def opens_only(self, full_name: str) -> bool:
        return [one.full_name.lower() for one in self.repositories] == [full_name.lower()]


class AppRefusal(StrEnum):
    """Why no token was created, for the operator."""

    NO_KEY = "the App's key cannot be read; store it again"
    KEY = "GitHub rejects the App's key; it was revoked or belongs to another App"
    SUSPENDED = "the App's installation is suspended or lacks the permission"
    INSTALLATION = "the App or its installation does not exist"
    REPOSITORY = "the installation does not include the repository or may not write its contents"
    ADDRESS = "not a GitHub repository URL (https://host/owner/name)"


class AppRefusedError(WebordinaryError):
    """GitHub creates no token; a retry does not help."""

    def __init__(self, why: AppRefusal) -> None:
        super().__init__(f"The GitHub App cannot create a token: {why}.")
        self.why = why


class GithubUnreachableError(WebordinaryError):
    """GitHub gave no definite answer. A retry may help."""

    def __init__(self, cause: object) -> None:
        super().__init__(f"GitHub created no token: {cause}.")


_REFUSALS = {
    401: AppRefusal.KEY,
    403: AppRefusal.SUSPENDED,
    404: AppRefusal.INSTALLATION,
    422: AppRefusal.REPOSITORY,
}


@dataclass(frozen=True)
class GithubApps:
    """Creates tokens. `trusted` is a CA bundle to use instead of the machine's."""

    clock: Clock = utc_now
    trusted: str | None = None

    def token(self, app: GithubApp, repository: str) -> InstallationToken:
        """A token for this repository only. Raises AppRefusedError or GithubUnreachableError."""
        api, full_name = api_and_name(repository)
        scope = {"repositories": [full_name.partition("/")[2]], "permissions": RIGHTS}
        status, headers, content = self._post(
            f"{api}/app/installations/{app.installation_id}/access_tokens", self._jwt(app), scope
        )
        if status in _REFUSALS and not _is_rate_limited(headers):
            raise AppRefusedError(_REFUSALS[status])
        if status != 201:
            raise GithubUnreachableError(f"status {status}")
        try:
            token = InstallationToken.read(content)
        except InvalidMessageError as error:
            raise GithubUnreachableError(error) from error
        # Repositories are requested by short name: reject one of another owner.
        if not token.opens_only(full_name):
            raise AppRefusedError(AppRefusal.REPOSITORY)
        return token

    def _jwt(self, app: GithubApp) -> str:
        import jwt

        now = self.clock()
        claims = {"iat": now - BACKDATED, "exp": now + VALID, "iss": app.app_id}
        try:
            return jwt.encode(claims, app.private_key, algorithm="RS256")
        except (ValueError, TypeError, jwt.PyJWTError) as error:
            raise AppRefusedError(AppRefusal.NO_KEY) from error

    def _post(self, url: str, token: str, body: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        from botocore.awsrequest import AWSRequest
        from botocore.exceptions import BotoCoreError
        from botocore.httpsession import URLLib3Session

        timeouts: Any = (SECONDS_TO_CONNECT, SECONDS_TO_ANSWER)
        trusted: Any = self.trusted or True
        headers = {
            "accept": "application/vnd.github+json",
            "authorization": f"Bearer {token}",
            "content-type": "application/json",
            "user-agent": USER_AGENT,
            "x-github-api-version": "2022-11-28",
        }
        request = AWSRequest("POST", url, headers, json.dumps(body))
        try:
            answer = URLLib3Session(verify=trusted, timeout=timeouts).send(request.prepare())
        except BotoCoreError as error:
            raise GithubUnreachableError(error) from error
        return answer.status_code, {name.lower(): value for name, value in answer.headers.items()}, answer.content


def _is_rate_limited(headers: dict[str, str]) -> bool:
    return "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0"


def api_and_name(repository: str) -> tuple[str, str]:
    """The base URL of GitHub's API for a repository, and its name with its owner."""
    address = urlsplit(repository)
    parts = address.path.strip("/").split("/")
    host = address.netloc.rpartition("@")[2].lower()
    if address.scheme != "https" or not host or len(parts) != 2 or not all(parts):
        raise AppRefusedError(AppRefusal.ADDRESS)
    name = f"{parts[0]}/{parts[1].removesuffix('.git')}"
    if host in ("github.com", "www.github.com"):
        return "https://api.github.com", name
    # GitHub Enterprise Cloud has an API host per tenant, GitHub Enterprise Server a path.
    return (f"https://api.{host}" if host.endswith(".ghe.com") else f"https://{host}/api/v3"), name

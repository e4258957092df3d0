"""Starts an emulator from a snapshot of an earlier Terraform apply, because an apply mostly waits: the provider polls
every new queue for 25 s, and that cannot be configured.

A snapshot holds the requests with which Terraform changed an empty emulator, and Terraform's state. Its key is a digest
of all that decides the resources, except the content of the packages. A snapshot is never trusted: a real apply runs
on top of it. If that apply fails or changes more than functions, the snapshot is discarded, the emulator is replaced by
an empty one, and Terraform creates everything.

    apply(emulator, workspace, Inputs(variables, packages), run_terraform)
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import gzip
import hashlib
import http.client
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from local.emulator.process import EmulatorProcess
from local.paths import CACHE
from tools.errors import SetupError
from tools.terraform_workspace import LOCK_FILE, SHIPPED, TerraformWorkspace

FOLDER = CACHE / "snapshots"
KEPT = 12
STATE = "terraform.tfstate"
# Read by Terraform or by the emulator, in addition to the workspace's files.
OTHER_SOURCES = (
    f"{SHIPPED}/{LOCK_FILE}",
    "layers/webordinary/python/webordinary/contract/contract.json",
    "statemachine/*.json",
    "local/aws.py",
    "local/emulator/**/*.py",
    "local/stack/snapshots.py",
)
REPLAY_SECONDS = 300

CHANGED = re.compile(r"^  # (\S+) (?:will be|must be|is tainted)")
FUNCTIONS = re.compile(r"\baws_(?:lambda_\w+|s3_object|sfn_\w+)\.")

# Runs `terraform apply` and returns the lines of its output; raises SetupError if it fails.
RunTerraform = Callable[[], Sequence[str]]
Report = Callable[[str], None]


class SnapshotError(SetupError):
    """A snapshot cannot be used or written; the message says why."""


@dataclass(frozen=True)
class Inputs:
    """What decides the resources, in addition to files of the repository.

    `texts` are values that differ between runs, such as a port, by a name: a snapshot holds the names.
    """

    variables: Mapping[str, Any]
    packages: Path
    texts: Mapping[str, str] = field(default_factory=dict)

    def varying_texts(self) -> dict[str, str]:
        return {**self.texts, "packages": str(self.packages)}


def apply(
    emulator: EmulatorProcess,
    workspace: TerraformWorkspace,
    inputs: Inputs,
    run: RunTerraform,
    report: Report = lambda _text: None,
    folder: Path = FOLDER,
) -> None:
    """Applies the workspace's configuration to an empty emulator. `report` receives what happens to the snapshot."""
    snapshot = Snapshot(folder / f"{key(workspace, inputs)}.json.gz", _Placeholders.of(emulator.endpoint, inputs))
    state = _state_file(workspace)
    if not snapshot.file.exists():
        with snapshot.locked():
            if not snapshot.file.exists():  # another process may have written it meanwhile
                snapshot.record(emulator, state, run, report)
                return
    try:
        report(f"{snapshot.restore(emulator, state)} resources restored from an earlier apply")
        _check_changes(run())
    except SetupError as error:
        report(f"discarded, Terraform creates everything: {str(error).splitlines()[0]}")
        snapshot.file.unlink(missing_ok=True)
        state.unlink(missing_ok=True)
        emulator.restart()
        snapshot.record(emulator, state, run, report)


def _check_changes(output: Iterable[str]) -> None:
    changed = [found[1] for line in output if (found := CHANGED.match(line))]
    if unexpected := [address for address in changed if not FUNCTIONS.search(address)]:
        raise SnapshotError(f"Terraform changed {', '.join(unexpected)}")


def key(workspace: TerraformWorkspace, inputs: Inputs) -> str:
    decisive = {
        "python": sys.version,
        "moto": version("moto"),
        "variables": _hide(json.dumps(inputs.variables, sort_keys=True), inputs.varying_texts()),
    }
    digest = hashlib.sha256(json.dumps(decisive).encode())
    others = {file.relative_to(workspace.root): file for name in OTHER_SOURCES for file in workspace.root.glob(name)}
    for path, file in sorted({**workspace.sources(), **others}.items()):
        content = file.read_bytes()
        digest.update(f"{path} {len(content)} ".encode() + content)
    return digest.hexdigest()[:32]


@dataclass(frozen=True)
class Snapshot:
    file: Path
    placeholders: _Placeholders

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """One process at a time records a snapshot; others wait for it. A lock ends with its process."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def record(self, emulator: EmulatorProcess, state: Path, run: RunTerraform, report: Report) -> None:
        _post(emulator.endpoint, "start", {"archives": list(self.placeholders.archives())})
        try:
            run()
        finally:
            recorded = _post(emulator.endpoint, "stop", {})
        try:
            self._write({**recorded, "state": state.read_text(encoding="utf-8")})
        except SnapshotError as error:
            report(f"no snapshot was written: {error}")

    def restore(self, emulator: EmulatorProcess, state: Path) -> int:
        """Replays the requests in the emulator and writes Terraform's state; returns its number of resources."""
        try:
            text = gzip.decompress(self.file.read_bytes()).decode()
            self.file.touch()  # the most recently used ones are kept
            content = json.loads(self.placeholders.fill(text))
            requests, terraform = content["requests"], content["state"]
            managed = [one for one in json.loads(terraform)["resources"] if one["mode"] == "managed"]
        except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
            raise SnapshotError(f"the snapshot is unreadable: {error!r}") from error
        _post(emulator.endpoint, "replay", {"requests": requests, "archives": self.placeholders.archives()})
        state.parent.mkdir(parents=True, exist_ok=True)
        state.write_text(terraform, encoding="utf-8")
        return sum(len(resource["instances"]) for resource in managed)

    def _write(self, content: Mapping[str, Any]) -> None:
        text = self.placeholders.hide(json.dumps(content))
        unfinished = self.file.with_suffix(f".{os.getpid()}")
        self.file.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_bytes(gzip.compress(text.encode(), compresslevel=6))
        unfinished.replace(self.file)
        newest_first = sorted(self.file.parent.glob("*.json.gz"), key=_used_at, reverse=True)
        for old in newest_first[KEPT:]:
            old.unlink(missing_ok=True)
            old.with_suffix(".lock").unlink(missing_ok=True)


@dataclass(frozen=True)
class _Placeholders:
    """Texts that differ between two runs of one configuration, by their placeholders."""

    packages: Path
    digests: Mapping[str, str]  # of each package, hexadecimal
    texts: Mapping[str, str]

    @classmethod
    def of(cls, endpoint: str, inputs: Inputs) -> _Placeholders:
        files = sorted(inputs.packages.glob("*/*.zip"))
        contents = {str(file.relative_to(inputs.packages)): file.read_bytes() for file in files}
        texts = {**inputs.varying_texts(), "endpoint": endpoint.partition("://")[2]}
        # Bodies of requests may be encoded as forms.
        texts |= {f"{name}, encoded": quote(text, safe="") for name, text in texts.items()}
        digests = {name: hashlib.sha256(content) for name, content in contents.items()}
        for name, digest in digests.items():
            texts[f"{name}, sha256"] = digest.hexdigest()
            texts[f"{name}, base64"] = base64.b64encode(digest.digest()).decode()
            texts[f"{name}, md5"] = hashlib.md5(contents[name], usedforsecurity=False).hexdigest()
        return cls(inputs.packages, {name: digest.hexdigest() for name, digest in digests.items()}, texts)

    def archives(self) -> dict[str, str]:
        return {digest: str(self.packages / name) for name, digest in self.digests.items()}

    def hide(self, text: str) -> str:
        return _hide(text, self.texts)

    def fill(self, text: str) -> str:
        return re.sub("«([^»]+)»", lambda found: self.texts[found[1]], text)


def _hide(text: str, names: Mapping[str, str]) -> str:
    """Replaces texts by their placeholders; the longest first, because one may contain another."""
    for name, value in sorted(names.items(), key=lambda named: -len(named[1])):
        text = text.replace(value, f"«{name}»")
    return text


def _post(endpoint: str, command: str, content: Mapping[str, Any]) -> dict[str, Any]:
    connection = http.client.HTTPConnection(endpoint.partition("://")[2], timeout=REPLAY_SECONDS)
    try:
        connection.request("POST", f"/recording/{command}", json.dumps(content))
        response = connection.getresponse()
        answer: dict[str, Any] = json.load(response)
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise SnapshotError(f"{command} failed: {error!r}") from error
    finally:
        connection.close()
    if response.status != HTTPStatus.OK:
        raise SnapshotError(f"{command} failed: {answer['message']}")
    return answer


def _state_file(workspace: TerraformWorkspace) -> Path:
    if workspace.state_dir is None:
        raise SnapshotError("the workspace has no local state")
    return workspace.state_dir / STATE


def _used_at(file: Path) -> float:
    with contextlib.suppress(FileNotFoundError):
        return file.stat().st_mtime
    return 0.0

"""The folder in which Terraform runs for one environment: links to the real files, and all files Terraform writes."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.errors import SetupError
from tools.provider_source import find_mirror

MINIMUM_VERSION = (1, 11)
PARALLELISM = 30  # an apply mostly waits for AWS
SHARED_FOLDERS = ("build", "layers", "statemachine")
SHIPPED, LOCAL_OVERRIDES = "terraform", "local/terraform_overrides"
LOCK_FILE = ".terraform.lock.hcl"
CHECKS = "checks"  # the deployed configuration without a state, for validate and test
DOWNLOAD_PAGE = "https://developer.hashicorp.com/terraform/install"

OnLine = Callable[[str], None]


class TerraformMissingError(SetupError):
    def __init__(self) -> None:
        super().__init__(
            f"Terraform was not found. Run make setup, or install version 1.11 or newer from {DOWNLOAD_PAGE}."
        )


class TerraformTooOldError(SetupError):
    def __init__(self, found: str) -> None:
        super().__init__(f"Terraform {found} is too old. Install version 1.11 or newer from {DOWNLOAD_PAGE}.")


class TerraformFailedError(SetupError):
    def __init__(self, command: str, environment: str, output: Sequence[str]) -> None:
        super().__init__(
            f"terraform {command} failed for {environment}. Last lines of its output:\n" + "\n".join(output)
        )


@dataclass(frozen=True)
class TerraformWorkspace:
    """`folder` contains terraform/ (links to the real files) and data/ (downloads of init). It can be deleted.

    `local` and `checks` have no account: they run with the emulator's fake credentials only.
    """

    root: Path
    folder: Path
    environment: str
    endpoint: str | None = None
    state_dir: Path | None = None

    @property
    def configuration(self) -> Path:
        return self.folder / "terraform"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def prepare(self, on_line: OnLine) -> None:
        """Links the files and runs `terraform init` if its inputs have changed."""
        version = find_version(self.process_environment())
        self.data.mkdir(parents=True, exist_ok=True)
        # Two processes may prepare the same workspace at once; the second finds it ready.
        with (self.folder / "preparing").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._prepare(version, on_line)

    def _prepare(self, version: str, on_line: OnLine) -> None:
        self._link_files()
        self._copy_lock()
        fingerprint = self._fingerprint(version)
        stamp = self.data / "initialised"
        if stamp.exists() and stamp.read_text(encoding="utf-8") == fingerprint and self._has_provider():
            return
        mirror = find_mirror(os.environ, Path.home())
        source = [f"-plugin-dir={mirror}"] if mirror else []
        shutil.rmtree(self.data / "modules", ignore_errors=True)  # init would reuse the recorded folders
        self.run(
            "init",
            "-no-color",
            "-input=false",
            "-lockfile=readonly",
            "-reconfigure",
            *source,
            *self._backend(),
            on_line=on_line,
        )
        stamp.write_text(fingerprint, encoding="utf-8")

    def run(self, command: str, *arguments: str, on_line: OnLine) -> None:
        """Runs Terraform, passes every line of output to `on_line`, and raises if it fails."""
        tail: deque[str] = deque(maxlen=40)
        with subprocess.Popen(
            self._command(command, arguments),
            cwd=self.configuration,
            env=self.process_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            for line in process.stdout or ():
                tail.append(line.rstrip())
                on_line(line.rstrip())
        if process.returncode:
            raise TerraformFailedError(command, self.environment, tail)

    def show(self, command: str, *arguments: str) -> int:
        """Runs Terraform at the terminal, with input; returns its exit code."""
        return subprocess.run(
            self._command(command, arguments), cwd=self.configuration, env=self.process_environment(), check=False
        ).returncode

    def outputs(self) -> dict[str, Any]:
        answer = subprocess.run(
            self._command("output", ["-json", *self.state_arguments()]),
            cwd=self.configuration,
            env=self.process_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if answer.returncode:
            raise TerraformFailedError("output", self.environment, answer.stderr.splitlines())
        return {name: output["value"] for name, output in json.loads(answer.stdout).items()}

    def variables(self, given: Mapping[str, Any]) -> list[str]:
        """Arguments for the state and the variables; `given` overrides the environment's variables."""
        arguments = [*self.state_arguments(), "-input=false", f"-parallelism={PARALLELISM}"]
        arguments += [f"-var-file=environments/{self.environment}.tfvars"]
        if given:
            file = (self.state_dir or self.folder) / "variables.tfvars.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(given), encoding="utf-8")
            arguments += [f"-var-file={file}"]
        return arguments

    def state_arguments(self) -> list[str]:
        if not self._is_local:
            return []
        folder = self.state_dir or self.folder
        folder.mkdir(parents=True, exist_ok=True)
        return [f"-state={folder / 'terraform.tfstate'}"]

    def process_environment(self) -> dict[str, str]:
        environment = {**os.environ, "TF_DATA_DIR": str(self.data), "TF_IN_AUTOMATION": "1", "CHECKPOINT_DISABLE": "1"}
        if not os.access(environment.get("TF_CLI_CONFIG_FILE", ""), os.R_OK):
            environment.pop("TF_CLI_CONFIG_FILE", None)  # Terraform fails if it cannot read the file
        if self.environment not in ("local", CHECKS):
            return environment
        # Keep credentials of real accounts away from the emulator.
        environment = {name: value for name, value in environment.items() if not name.startswith("AWS_")}
        keys = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_EC2_METADATA_DISABLED": "true"}
        endpoint = {"AWS_ENDPOINT_URL": self.endpoint} if self.endpoint else {}
        return {**environment, **keys, **endpoint}

    @property
    def _is_local(self) -> bool:
        return self.environment == "local"

    def _backend(self) -> list[str]:
        if self.environment == CHECKS:
            return ["-backend=false"]
        return [] if self._is_local else [f"-backend-config=environments/{self.environment}.s3.tfbackend"]

    def _command(self, command: str, arguments: Sequence[str]) -> list[str]:
        return [_program(), command, *arguments]

    def _link_files(self) -> None:
        sources = self.sources()
        _remove_stale(self.configuration, sources)
        for path, source in sources.items():
            _link(self.configuration / path, source)
        for name in SHARED_FOLDERS:
            _link(self.folder / name, self.root / name)

    def _copy_lock(self) -> None:
        """Copies the lock file, because Terraform writes to it; the reviewed file selects the provider."""
        lock, copy = self.root / SHIPPED / LOCK_FILE, self.configuration / LOCK_FILE
        if not copy.exists() or copy.read_bytes() != lock.read_bytes():
            shutil.copyfile(lock, copy)

    def sources(self) -> dict[Path, Path]:
        """The real files by their path in the configuration. Overrides share the folder of the file they change."""
        sources: dict[Path, Path] = {}
        for name in [SHIPPED, LOCAL_OVERRIDES] if self._is_local else [SHIPPED]:
            folder = self.root / name
            sources |= {file.relative_to(folder): file for file in folder.rglob("*") if file.is_file()}
        return {path: file for path, file in sources.items() if not any(part[0] == "." for part in path.parts)}

    def _fingerprint(self, version: str) -> str:
        digest = hashlib.sha256(f"{version} {os.environ.get('TF_PLUGIN_DIR', '')}".encode())
        digest.update((self.root / SHIPPED / LOCK_FILE).read_bytes())
        for path, source in sorted(self.sources().items()):
            if path.suffix in (".tf", ".hcl", ".tfbackend"):
                digest.update(str(path).encode())
                digest.update(source.read_bytes())
        return digest.hexdigest()

    def _has_provider(self) -> bool:
        return any(self.data.glob("providers/*/*/*/*/*"))


def _program() -> str:
    """Terraform on the PATH, or the one that make setup installed into .venv."""
    program = shutil.which("terraform") or shutil.which("terraform", path=str(Path(sys.executable).parent))
    if program is None:
        raise TerraformMissingError
    return program


def find_version(environment: Mapping[str, str]) -> str:
    answer = subprocess.run(
        [_program(), "version", "-json"], env=dict(environment), capture_output=True, text=True, check=True
    )
    version = str(json.loads(answer.stdout)["terraform_version"])
    if tuple(int(part) for part in version.split(".")[:2]) < MINIMUM_VERSION:
        raise TerraformTooOldError(version)
    return version


def _remove_stale(configuration: Path, sources: Mapping[Path, Path]) -> None:
    """Removes links to deleted files, and links to folders, which could not hold overrides."""
    for path in list(configuration.rglob("*")):
        if path.is_symlink() and path.name[0] != "." and path.relative_to(configuration) not in sources:
            path.unlink(missing_ok=True)


def _link(link: Path, target: Path) -> None:
    if link.is_symlink() and link.readlink() == target:
        return
    link.parent.mkdir(parents=True, exist_ok=True)
    fresh = link.with_name(f".{link.name}.{os.getpid()}")
    fresh.symlink_to(target)
    fresh.replace(link)  # atomic: another process may be using the folder

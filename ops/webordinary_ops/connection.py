"""Connects to a deployment: by an environment's settings, or by the connection file of a local stack."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import boto3
import psutil
from botocore.config import Config

from webordinary_ops.errors import OperatorError

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENTS = ROOT / "terraform/environments"
RUNS = ROOT / ".cache/local"
FILE = "connection.json"
RUN = "WEBORDINARY_RUN"  # the folder of a local stack's run; otherwise the newest running stack is used
LOCAL = "local"
PROGRAM = "webordinary"
LOCAL_PREFIX = "webordinary"
LOCAL_REGION = "us-east-1"

_SETTING = re.compile(r'^(prefix|region)\s*=\s*"([^"]+)"', re.MULTILINE)


class UnknownDeploymentError(OperatorError):
    def __init__(self, environment: str) -> None:
        known = ", ".join(sorted({LOCAL, *(file.stem for file in ENVIRONMENTS.glob("*.tfvars"))}))
        super().__init__(f"Unknown environment '{environment}'. Use one of: {known}.")


class NoLocalStackError(OperatorError):
    def __init__(self) -> None:
        super().__init__(
            "No local stack is running. Start one with `make up`, or select a deployment: webordinary --env dev …"
        )


@dataclass(frozen=True)
class Connection:
    """The location of a deployment. On AWS, `endpoint` and `smtp_port` are None."""

    environment: str
    prefix: str
    region: str
    endpoint: str | None = None
    smtp_port: int | None = None
    pid: int | None = None

    @property
    def is_local(self) -> bool:
        return self.endpoint is not None

    def command(self, words: str) -> str:
        """A command line of this command that works in this terminal, for hints."""
        program = PROGRAM if shutil.which(PROGRAM) else f".venv/bin/{PROGRAM}"
        return " ".join([program, *([] if self.environment == LOCAL else ["--env", self.environment]), words])

    def client(self, service: str) -> Any:
        make: Any = boto3.client  # its overloads require a literal name
        keys = {"aws_access_key_id": "local", "aws_secret_access_key": "local"} if self.is_local else {}
        config = Config(retries={"mode": "standard", "max_attempts": 4}, read_timeout=70)
        return make(service, region_name=self.region, endpoint_url=self.endpoint, config=config, **keys)

    def write(self, folder: Path) -> None:
        """Writes the connection file of a running stack. It is valid while this process lives."""
        text = json.dumps({**asdict(self), "pid": os.getpid()})
        unfinished = folder / f"{FILE}.new"
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(folder / FILE)


def connect(environment: str, runs: Path = RUNS, environments: Path = ENVIRONMENTS) -> Connection:
    if environment == LOCAL:
        return _running_stack(runs) or _background_emulator(runs) or _fail(NoLocalStackError())
    file = environments / f"{environment}.tfvars"
    if not re.fullmatch(r"[a-z0-9-]+", environment) or not file.is_file():
        raise UnknownDeploymentError(environment)
    settings = dict(_SETTING.findall(file.read_text(encoding="utf-8")))
    return Connection(environment, settings.get("prefix", LOCAL_PREFIX), settings["region"])


def _running_stack(runs: Path) -> Connection | None:
    """The stack that the environment names, or the newest one whose process is running."""
    files = sorted(runs.glob(f"run-*/{FILE}"), key=lambda file: file.stat().st_mtime, reverse=True)
    if chosen := os.environ.get(RUN):
        files = [file for file in files if file.parent == Path(chosen).resolve()]
    for file in files:
        connection = Connection(**json.loads(file.read_text(encoding="utf-8")))
        if connection.pid is not None and psutil.pid_exists(connection.pid):
            return connection
    return None


def _background_emulator(runs: Path) -> Connection | None:
    """The emulator started by `make apply ENV=local`."""
    record = runs / "emulator.json"
    if not record.is_file():
        return None
    emulator = json.loads(record.read_text(encoding="utf-8"))
    if not psutil.pid_exists(emulator["pid"]):
        return None
    return Connection(LOCAL, LOCAL_PREFIX, LOCAL_REGION, endpoint=emulator["endpoint"], pid=emulator["pid"])


def _fail(error: OperatorError) -> Connection:
    raise error

"""`make walk`: from an empty account to a website and back, with the README's commands and the emulator as the account.

    bootstrap ─▶ image ─▶ plan ─▶ apply ─▶ projects add, credential, change, remove ─▶ destroy ─▶ nothing left over

The environment is `dev` as it is deployed, with all that `local` switches off. What only AWS or a container program can
do is said where it is left out: the image is not built, and CloudFront's distributions are not waited for.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from local.aws import Emulated
from local.emulator.process import EmulatorProcess
from local.paths import BUILD

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = "dev"
PREFIX = "webordinarydev"
REGION = "eu-west-1"
IMAGE = f"123456789012.dkr.ecr.{REGION}.amazonaws.com/{PREFIX}-worker@sha256:{'0' * 64}"
MANY = 1000
MOST_LONGER = 1.2


class Walk:
    def __init__(self, endpoint: str) -> None:
        self.emulated = Emulated(endpoint, REGION)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "TF_VAR_"))}
        self.environment = {**kept, **self.emulated.environment(), "AWS_EC2_METADATA_DISABLED": "true"}

    def run(self, *command: str, given: str = "") -> str:
        began = time.monotonic()
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, input=given, capture_output=True, text=True, check=False
        )
        print(f"{time.monotonic() - began:7.1f} s  {' '.join(command)}", flush=True)
        if done.returncode != 0:
            raise SystemExit(f"It failed ({done.returncode}):\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
        return done.stdout

    def make(self, target: str, *more: str) -> str:
        return self.run("make", target, f"ENV={ENVIRONMENT}", *more)

    def terraform(self, command: str) -> str:
        return self.run(sys.executable, "-m", "tools.terraform", command, "--env", ENVIRONMENT, "--auto-approve")

    def webordinary(self, *arguments: str, given: str = "") -> Any:
        command = [str(ROOT / "ops/webordinary"), "--env", ENVIRONMENT, "--json", "--yes", *arguments]
        return json.loads(self.run(*command, given=given))

    def seconds(self, step: Sequence[str]) -> float:
        began = time.monotonic()
        self.make(*step)
        return time.monotonic() - began


@contextmanager
def empty_account() -> Iterator[Walk]:
    with (
        tempfile.TemporaryDirectory(prefix="webordinary-walk-") as folder,
        EmulatorProcess(state=Path(folder), runtime=BUILD / "runtime") as emulator,
    ):
        yield Walk(emulator.endpoint)


def main() -> int:
    with empty_account() as walk:
        said = walk.make("bootstrap")
        assert "What only a person can do" in said
        ssm = walk.emulated.client("ssm")
        # In place of `make image push`, which needs a container program, and of the key that is asked for.
        ssm.put_parameter(Name=f"/{PREFIX}/worker-image", Type="String", Value=IMAGE)
        ssm.put_parameter(Name=f"/{PREFIX}/anthropic-api-key", Type="SecureString", Value="made-up")
        walk.make("plan")
        walk.make("apply")
        assert walk.webordinary("status")["notes"] == ["all is well"]
        add_and_remove(walk)
        many_projects(walk)
        walk.terraform("destroy")
        left = left_over(walk.emulated)
        assert left == [], f"left over: {left}"
    print("From an empty account and back.")
    return 0


def add_and_remove(walk: Walk) -> None:
    entry = ["--domain=bakery.example.com", "--repository=https://git.example.com/bakery.git"]
    walk.webordinary("projects", "add", "bakery", *entry, "--person=ada=ada@example.com")
    assert walk.webordinary("projects", "credential", "bakery", given="a-token\n")["stored"] is True
    assert "No changes" in walk.make("plan")
    walk.webordinary("projects", "change", "bakery", "--set", "interrupts=always")
    walk.webordinary("projects", "remove", "bakery")
    assert walk.webordinary("projects", "list") == []


def many_projects(walk: Walk) -> None:
    """Terraform takes as long with a thousand projects as with none."""
    few = walk.seconds(["plan"])
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump({f"site-{number}": _entry(number) for number in range(MANY)}, file)
    assert len(walk.webordinary("projects", "apply", file.name)["added"]) == MANY
    many = walk.seconds(["plan"])
    Path(file.name).unlink()
    print(f"           a plan took {few:.1f} s with no project and {many:.1f} s with {MANY}", flush=True)
    assert many <= MOST_LONGER * few


def _entry(number: int) -> dict[str, Any]:
    return {
        "domain": f"site-{number}.example.com",
        "repository": f"https://git.example.com/site-{number}.git",
        "people": {"ada": {"addresses": [f"ada{number}@example.com"]}},
    }


def left_over(emulated: Emulated) -> list[str]:
    """What bears our name after the end, besides what bootstrap made for Terraform itself."""
    names = [
        *emulated.client("sqs").list_queues(QueueNamePrefix=PREFIX).get("QueueUrls", []),
        *emulated.client("dynamodb").list_tables()["TableNames"],
        *(one["FunctionName"] for one in emulated.client("lambda").list_functions()["Functions"]),
        *(one["RoleName"] for one in emulated.client("iam").list_roles()["Roles"]),
        *(one["Name"] for one in emulated.client("s3").list_buckets()["Buckets"]),
        *(one["AlarmName"] for one in emulated.client("cloudwatch").describe_alarms()["MetricAlarms"]),
        *(one["stateMachineArn"] for one in emulated.client("stepfunctions").list_state_machines()["stateMachines"]),
    ]
    return [name for name in names if PREFIX in name and name != f"{PREFIX}-terraform-state"]


if __name__ == "__main__":
    sys.exit(main())

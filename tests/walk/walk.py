"""An account that is walked through with the README's commands, and the stack that plays AWS behind it."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

from local.aws import ACCOUNT, EmulatedAws
from local.paths import BUILD
from local.stack.stack import Stack
from tests.walk.readme import deploy_commands

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = "dev"
PREFIX = "webordinarydev"
REGION = "eu-west-1"
IMAGE = f"{ACCOUNT}.dkr.ecr.{REGION}.amazonaws.com/{PREFIX}-worker@sha256:{'0' * 64}"

# Where one machine is not AWS: its processor and Python, queues that know one sender, and nobody who waits for hours.
OF_THIS_MACHINE = {
    "TF_VAR_architecture": "x86_64",
    "TF_VAR_package_dir": str(BUILD),
    "TF_VAR_compare_report_senders": "false",
    "TF_VAR_timing": json.dumps(
        {
            "lease_seconds": 9,
            "renewal_seconds": 3,
            "clock_margin_seconds": 1,
            "idle_seconds": 10,
            "beat_seconds": 2,
            "heartbeat_seconds": 60,
            "claim_window_seconds": 5,
            "input_visibility_seconds": 20,
            "surplus_seconds": 10,
            "live_hold_seconds": 10,
        }
    ),
}


class Walk:
    def __init__(self, emulated: EmulatedAws) -> None:
        self.emulated = emulated
        self.commands = deploy_commands()
        self.followed: list[str] = []
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "TF_VAR_"))}
        self.environment = {**kept, **emulated.environment(), **OF_THIS_MACHINE, "AWS_EC2_METADATA_DISABLED": "true"}

    def follow(self, start: str, given: str = "", *, may_fail: bool = False) -> str:
        """Types the README's command that begins so, letter for letter, and what it asks for."""
        (command,) = (one for one in self.commands if one.startswith(start))
        self.followed.append(command)
        return self.run("bash", "-c", command, given=given, may_fail=may_fail)

    def run(self, *command: str, given: str = "", may_fail: bool = False) -> str:
        began = time.monotonic()
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, input=given, capture_output=True, text=True, check=False
        )
        said = " ".join(command).replace(f"{ROOT}/", "").removeprefix("bash -c ")
        print(f"{time.monotonic() - began:7.1f} s  {said}", flush=True)
        if done.returncode != 0 and not may_fail:
            raise SystemExit(f"It failed ({done.returncode}):\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
        return done.stdout

    def make(self, target: str, *more: str) -> str:
        return self.run("make", target, f"ENV={ENVIRONMENT}", *more)

    def webordinary(self, *arguments: str, given: str = "") -> Any:
        command = [str(ROOT / "ops/webordinary"), "--env", ENVIRONMENT, "--json", "--yes", *arguments]
        return json.loads(self.run(*command, given=given))


class EmptyAccount:
    """The stack's deployment: from nothing to `make apply`, as the README says it."""

    region = REGION
    walk: Walk

    def deploy(self, stack: Stack) -> dict[str, Any]:
        self.walk = Walk(stack.emulated)
        assert "What only a person can do" in self.walk.follow("make bootstrap")
        ssm = stack.emulated.client("ssm")
        # In place of `make image push`, which needs a container program, and of the key that is asked for.
        ssm.put_parameter(Name=f"/{PREFIX}/worker-image", Type="String", Value=IMAGE)
        ssm.put_parameter(Name=f"/{PREFIX}/anthropic-api-key", Type="SecureString", Value="made-up")
        self.walk.follow("make plan")
        self.walk.follow("make apply")
        noted = json.loads(ssm.get_parameter(Name=f"/{PREFIX}/deployment")["Parameter"]["Value"])
        return {"prefix": PREFIX, "account": ACCOUNT, "reply_from": noted["replyFrom"]}

    def publish_sites(self, stack: Stack, sites: Path) -> None:
        """Nothing is live in a new account."""

"""Runs the README's commands against an emulated account."""

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

# Differences from AWS: processor and Python, no sender ids in queues, and short intervals.
LOCAL_VARIABLES = {
    "TF_VAR_architecture": "x86_64",
    "TF_VAR_package_dir": str(BUILD),
    "TF_VAR_compare_report_senders": "false",
    "TF_VAR_sandbox_addresses": json.dumps(["ada@example.com"]),
    "TF_VAR_timing": json.dumps(
        {
            "lease_seconds": 9,
            "renewal_seconds": 3,
            "clock_margin_seconds": 1,
            "idle_seconds": 10,
            "idle_after_question_seconds": 10,
            "idle_after_end_seconds": 10,
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
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "TF_VAR_"))}
        self.environment = {
            **inherited,
            **emulated.environment(),
            **LOCAL_VARIABLES,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def follow(self, start: str, given: str = "", *, may_fail: bool = False) -> str:
        """Runs the README's command that starts with `start`, with `given` as standard input."""
        (command,) = (one for one in self.commands if one.startswith(start))
        self.followed.append(command)
        return self.run("bash", "-c", command, given=given, may_fail=may_fail)

    def run(self, *command: str, given: str = "", may_fail: bool = False) -> str:
        started = time.monotonic()
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, input=given, capture_output=True, text=True, check=False
        )
        shown = " ".join(command).replace(f"{ROOT}/", "").removeprefix("bash -c ")
        print(f"{time.monotonic() - started:7.1f} s  {shown}", flush=True)
        if done.returncode != 0 and not may_fail:
            raise SystemExit(
                f"The command failed with status {done.returncode}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
            )
        return done.stdout

    def make(self, target: str, *more: str) -> str:
        return self.run("make", target, f"ENV={ENVIRONMENT}", *more)

    def webordinary(self, *arguments: str, given: str = "") -> Any:
        command = [str(ROOT / "ops/webordinary"), "--env", ENVIRONMENT, "--json", "--yes", *arguments]
        return json.loads(self.run(*command, given=given))


class EmptyAccount:
    """Deploys the stack into an empty account with the README's commands.

    The account is new: ten concurrent Lambda executions, SES in its sandbox, and no hosted zone.
    """

    region = REGION
    walk: Walk

    def prepare(self) -> None:
        """The README's commands prepare everything."""

    def deploy(self, stack: Stack) -> dict[str, Any]:
        self.walk = Walk(stack.emulated)
        stack.emulated.client("sesv2").put_account_details(
            ProductionAccessEnabled=False, MailType="TRANSACTIONAL", WebsiteURL="https://example.com"
        )
        self._check_new_account()
        assert "Steps to do by hand" in self.walk.follow("make bootstrap")
        ssm = stack.emulated.client("ssm")
        # Replaces `make image push`, which needs a container engine, and the prompt for the API key.
        ssm.put_parameter(Name=f"/{PREFIX}/worker-image", Type="String", Value=IMAGE)
        ssm.put_parameter(Name=f"/{PREFIX}/anthropic-api-key", Type="SecureString", Value="made-up")
        self.walk.follow("make plan")
        applied = self.walk.follow("make apply")
        assert "DNS records to add" in applied, applied[-2000:]
        assert "set sites_certificate_ready = true" in applied, applied[-2000:]
        facts = json.loads(ssm.get_parameter(Name=f"/{PREFIX}/deployment")["Parameter"]["Value"])
        return {"prefix": PREFIX, "account": ACCOUNT, "reply_from": facts["replyFrom"]}

    def _check_new_account(self) -> None:
        found = self.walk.follow("make preflight", may_fail=True)
        for words in (
            "SES is in its sandbox",
            "The account allows 10 concurrent Lambda executions",
            "example.com: set",
        ):
            assert words in found, found

    def publish_sites(self, stack: Stack, sites: Path) -> None:
        """A new account has no live sites."""

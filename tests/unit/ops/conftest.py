"""Fixtures for the operator's command on a deployment in memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from local.emulator.gaps import bedrock, stepfunctions
from tests.support.world import ACCOUNT, REGION, World, client
from webordinary_ops import cli
from webordinary_ops.connection import Connection
from webordinary_ops.deployment import Deployment

MACHINE = f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:webordinary-email-processor"
BUCKETS = ("raw_mail", "media", "sites")

Command = Callable[..., Any]

stepfunctions.start_executions_of_aliases()  # moto does not start aliases
bedrock.keep_inference_profiles()  # nor has it inference profiles


@pytest.fixture
def deployment(world: World) -> Deployment:
    facts = {
        "mailDomain": "edit.example.com",
        "replyFrom": "edit@edit.example.com",
        "stateMachineArn": MACHINE,
        "cluster": "webordinary",
        "siteUrl": "https://${project}.sites.example.com/",
        "previewUrl": "https://${thread}--${project}.preview.example.com/",
        "ownDomains": {"garden": "www.garden.example.org"},
        "timing": world.timing.model_dump(),
    }
    client("ssm").put_parameter(Name="/webordinary/deployment", Type="String", Value=json.dumps(facts))
    role = f"arn:aws:iam::{ACCOUNT}:role/machine"
    states = {"StartAt": "Only", "States": {"Only": {"Type": "Succeed"}}}
    machines = client("stepfunctions")
    machine = machines.create_state_machine(
        name="webordinary-email-processor", definition=json.dumps(states), roleArn=role, publish=True
    )
    route = [{"stateMachineVersionArn": machine["stateMachineVersionArn"], "weight": 100}]
    machines.create_state_machine_alias(name="live", routingConfiguration=route)
    location = {"LocationConstraint": REGION}
    for kind in BUCKETS:
        world.s3.create_bucket(Bucket=world.names.bucket(kind), CreateBucketConfiguration=location)
    found = Deployment(Connection("dev", "webordinary", REGION), clock=world.clock)
    found.__dict__["tokens"] = world.tokens  # records what is sent to the state machine
    return found


@pytest.fixture
def run(deployment: Deployment, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command with --json; returns its result, or fails with its error."""

    def run_command(*arguments: str) -> Any:
        status = cli.main(["--json", "--yes", *arguments], lambda _: deployment)
        captured = capsys.readouterr()
        assert status == 0, captured.err
        return json.loads(captured.out) if captured.out else None

    return run_command


@pytest.fixture
def refused(deployment: Deployment, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command that must fail; returns its error text."""

    def run_command(*arguments: str) -> str:
        status = cli.main(["--yes", *arguments], lambda _: deployment)
        captured = capsys.readouterr()
        assert status in (1, 2), captured.out
        return captured.err

    return run_command


@pytest.fixture
def bakery(run: Command) -> Any:
    return run(
        "projects",
        "add",
        "bakery",
        "--domain=bakery.example.com",
        "--repository=https://git.example.com/bakery.git",
        "--person=ada=ada@example.com,ada@work.example.com",
    )

"""`webordinary releases` and `rollback`."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.world import ACCOUNT, World, client
from tests.unit.ops.conftest import MACHINE, Command
from webordinary.contract.values import contract
from webordinary_ops.deployment import Deployment

MANY = ["claim", "fleet", "reply"]
PARAMETER = "/webordinary/release"


def code(text: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("handler.py", text)
    return content.getvalue()


def definition(name: str) -> str:
    return json.dumps({"StartAt": name, "States": {name: {"Type": "Succeed"}}})


@dataclass
class Account:
    """Publishes versions of functions and state machine as Terraform does, and records them."""

    world: World

    def create(self) -> None:
        role = f"arn:aws:iam::{ACCOUNT}:role/functions"
        client("iam").create_role(RoleName="functions", AssumeRolePolicyDocument="{}")
        for name in MANY:
            arguments = {"Runtime": "python3.13", "Role": role, "Handler": "handler.handler"}
            function = self.world.names.function(name)
            client("lambda").create_function(
                FunctionName=function, Code={"ZipFile": code("1")}, Publish=True, **arguments
            )
            client("lambda").create_alias(FunctionName=function, Name="live", FunctionVersion="1")
        self.record()

    def apply(self, *functions: str, text: str, machine: str | None = None) -> None:
        for name in functions:
            function = self.world.names.function(name)
            published = client("lambda").update_function_code(FunctionName=function, ZipFile=code(text), Publish=True)
            client("lambda").update_alias(FunctionName=function, Name="live", FunctionVersion=published["Version"])
        if machine:
            states = client("stepfunctions")
            made = states.update_state_machine(stateMachineArn=MACHINE, definition=definition(machine), publish=True)
            route = [{"stateMachineVersionArn": made["stateMachineVersionArn"], "weight": 100}]
            states.update_state_machine_alias(stateMachineAliasArn=f"{MACHINE}:live", routingConfiguration=route)
        self.record()

    def record(self) -> None:
        machine, *functions = self.live()
        value = {"functions": dict(zip(MANY, functions, strict=True)), "stateMachine": machine}
        client("ssm").put_parameter(Name=PARAMETER, Type="String", Value=json.dumps(value), Overwrite=True)

    def live(self) -> list[str]:
        """The live versions of state machine, claim, fleet and reply."""
        route = client("stepfunctions").describe_state_machine_alias(stateMachineAliasArn=f"{MACHINE}:live")
        machine = route["routingConfiguration"][0]["stateMachineVersionArn"].rpartition(":")[2]
        aliases = [
            client("lambda").get_alias(FunctionName=self.world.names.function(name), Name="live") for name in MANY
        ]
        return [machine, *(alias["FunctionVersion"] for alias in aliases)]


@pytest.fixture
def account(world: World, deployment: Deployment) -> Account:
    account = Account(world)
    account.create()
    return account


def forget_cache(deployment: Deployment) -> None:
    """Drops cached versions, as a new command would."""
    deployment.__dict__.pop("versions", None)


def test_rollback_reverts_all_parts_of_an_apply(account: Account, run: Command) -> None:
    account.apply("claim", "reply", text="2", machine="Two")

    result = run("rollback")

    assert account.live() == ["1", "1", "1", "1"]
    assert [(move["part"], move["live"], move["becomes"]) for move in result["moved"]] == [
        ("state machine", "2", "1"),
        ("claim", "2", "1"),
        ("reply", "2", "1"),
    ]
    assert "make apply ENV=dev" in result["nextApply"]


def test_rollback_reverts_only_the_last_apply(account: Account, run: Command) -> None:
    account.apply("claim", text="2")
    account.apply("reply", text="2")

    run("rollback")

    assert account.live() == ["1", "2", "1", "1"]


def test_second_rollback_reverts_an_earlier_apply(account: Account, run: Command, deployment: Deployment) -> None:
    account.apply("claim", text="2")
    account.apply("claim", text="3")

    run("rollback")
    forget_cache(deployment)
    run("rollback")

    assert account.live()[1] == "1"


def test_rollback_skips_versions_that_were_rolled_back(account: Account, run: Command, deployment: Deployment) -> None:
    account.apply("claim", text="broken")
    run("rollback")
    account.apply("claim", text="fixed")
    forget_cache(deployment)

    run("rollback")

    assert account.live()[1] == "1"


def test_interrupted_rollback_can_be_repeated(account: Account, run: Command) -> None:
    account.apply("claim", "reply", text="2", machine="Two")
    client("stepfunctions").update_state_machine_alias(
        stateMachineAliasArn=f"{MACHINE}:live",
        routingConfiguration=[{"stateMachineVersionArn": f"{MACHINE}:1", "weight": 100}],
    )

    run("rollback")

    assert account.live() == ["1", "1", "1", "1"]


def test_rollback_reverts_a_failed_apply(account: Account, run: Command) -> None:
    function = account.world.names.function("claim")
    client("lambda").update_function_code(FunctionName=function, ZipFile=code("half"), Publish=True)
    client("lambda").update_alias(FunctionName=function, Name="live", FunctionVersion="2")

    run("rollback")

    assert account.live() == ["1", "1", "1", "1"]


def test_rollback_to_number_and_releases_show_live(account: Account, run: Command, deployment: Deployment) -> None:
    account.apply("claim", text="2")
    account.apply("claim", text="3")
    first = run("releases")[-1]

    run("rollback", "--to", str(first["release"]))
    forget_cache(deployment)

    assert account.live()[1] == "1"
    assert [(row["live"], row["functions"]["claim"]) for row in run("releases")] == [
        (True, "1"),
        (False, "3"),
        (False, "2"),
        (True, "1"),
    ]


@pytest.mark.usefixtures("account")
def test_rollback_of_first_release_fails(refused: Command) -> None:
    assert "No earlier release" in refused("rollback")
    assert "Release 99 not found" in refused("rollback", "--to", "99")
    assert "99" in refused("rollback", "--to", "99")


def test_rollback_to_missing_version_changes_nothing(account: Account, refused: Command) -> None:
    account.apply("claim", "reply", text="2", machine="Two")
    client("lambda").delete_function(FunctionName=account.world.names.function("reply"), Qualifier="1")

    assert "Version 1 of reply no longer exists" in refused("rollback")
    assert account.live() == ["2", "2", "1", "2"]


def test_rollback_ignores_functions_of_one_release_only(account: Account, run: Command) -> None:
    note: dict[str, Any] = json.loads(client("ssm").get_parameter(Name=PARAMETER)["Parameter"]["Value"])
    older = {**note, "functions": {"claim": "1", "forgotten": "7"}}
    client("ssm").put_parameter(Name=PARAMETER, Type="String", Value=json.dumps(older), Overwrite=True)
    account.apply("claim", "fleet", text="2")

    run("rollback")

    assert account.live() == ["1", "1", "2", "1"]


def test_release_parameter_matches_the_contract() -> None:
    assert contract()["parameters"]["release"].replace("${prefix}", "webordinary") == PARAMETER

"""`webordinary releases` and `rollback`, and `make rollback` with it."""

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
NOTE = "/webordinary/release"


def code(text: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("handler.py", text)
    return content.getvalue()


def definition(name: str) -> str:
    return json.dumps({"StartAt": name, "States": {name: {"Type": "Succeed"}}})


@dataclass
class Account:
    """What Terraform does to functions, state machine and note, as far as versions go."""

    world: World

    def make(self) -> None:
        role = f"arn:aws:iam::{ACCOUNT}:role/functions"
        client("iam").create_role(RoleName="functions", AssumeRolePolicyDocument="{}")
        for name in MANY:
            arguments = {"Runtime": "python3.13", "Role": role, "Handler": "handler.handler"}
            function = self.world.names.function(name)
            client("lambda").create_function(
                FunctionName=function, Code={"ZipFile": code("1")}, Publish=True, **arguments
            )
            client("lambda").create_alias(FunctionName=function, Name="live", FunctionVersion="1")
        self.note()

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
        self.note()

    def note(self) -> None:
        machine, *functions = self.live()
        value = {"functions": dict(zip(MANY, functions, strict=True)), "stateMachine": machine}
        client("ssm").put_parameter(Name=NOTE, Type="String", Value=json.dumps(value), Overwrite=True)

    def live(self) -> list[str]:
        """The versions of the state machine, claim, fleet and reply that are called now."""
        route = client("stepfunctions").describe_state_machine_alias(stateMachineAliasArn=f"{MACHINE}:live")
        machine = route["routingConfiguration"][0]["stateMachineVersionArn"].rpartition(":")[2]
        aliases = [
            client("lambda").get_alias(FunctionName=self.world.names.function(name), Name="live") for name in MANY
        ]
        return [machine, *(alias["FunctionVersion"] for alias in aliases)]


@pytest.fixture
def account(world: World, deployment: Deployment) -> Account:
    made = Account(world)
    made.make()
    return made


def fresh(deployment: Deployment) -> None:
    """As a command of its own finds it: nothing is remembered from the one before."""
    deployment.__dict__.pop("releases", None)


def test_what_changed_together_goes_back_together(account: Account, run: Command) -> None:
    account.apply("claim", "reply", text="2", machine="Two")

    said = run("rollback")

    assert account.live() == ["1", "1", "1", "1"]
    assert [(step["part"], step["live"], step["becomes"]) for step in said["moved"]] == [
        ("state machine", "2", "1"),
        ("claim", "2", "1"),
        ("reply", "2", "1"),
    ]
    assert "make apply ENV=dev" in said["nextApply"]


def test_only_the_last_apply_is_undone(account: Account, run: Command) -> None:
    account.apply("claim", text="2")
    account.apply("reply", text="2")

    run("rollback")

    assert account.live() == ["1", "2", "1", "1"]


def test_a_second_rollback_goes_further_back(account: Account, run: Command, deployment: Deployment) -> None:
    account.apply("claim", text="2")
    account.apply("claim", text="3")

    run("rollback")
    fresh(deployment)
    run("rollback")

    assert account.live()[1] == "1"


def test_what_was_rolled_back_from_is_passed_over_later(account: Account, run: Command, deployment: Deployment) -> None:
    account.apply("claim", text="broken")
    run("rollback")
    account.apply("claim", text="mended")
    fresh(deployment)

    run("rollback")

    assert account.live()[1] == "1"


def test_a_rollback_that_was_cut_short_is_taken_up(account: Account, run: Command) -> None:
    account.apply("claim", "reply", text="2", machine="Two")
    client("stepfunctions").update_state_machine_alias(
        stateMachineAliasArn=f"{MACHINE}:live",
        routingConfiguration=[{"stateMachineVersionArn": f"{MACHINE}:1", "weight": 100}],
    )

    run("rollback")

    assert account.live() == ["1", "1", "1", "1"]


def test_an_apply_that_failed_halfway_is_undone(account: Account, run: Command) -> None:
    function = account.world.names.function("claim")
    client("lambda").update_function_code(FunctionName=function, ZipFile=code("half"), Publish=True)
    client("lambda").update_alias(FunctionName=function, Name="live", FunctionVersion="2")

    run("rollback")

    assert account.live() == ["1", "1", "1", "1"]


def test_any_release_can_be_chosen_and_the_list_tells_which_is_live(
    account: Account, run: Command, deployment: Deployment
) -> None:
    account.apply("claim", text="2")
    account.apply("claim", text="3")
    first = run("releases")[-1]

    run("rollback", "--to", str(first["release"]))
    fresh(deployment)

    assert account.live()[1] == "1"
    assert [(row["live"], row["functions"]["claim"]) for row in run("releases")] == [
        (True, "1"),
        (False, "3"),
        (False, "2"),
        (True, "1"),
    ]


@pytest.mark.usefixtures("account")
def test_the_first_release_has_none_before_it(refused: Command) -> None:
    assert "no earlier release" in refused("rollback")
    assert "There is no release 99" in refused("rollback", "--to", "99")
    assert "99" in refused("rollback", "--to", "99")


def test_a_version_that_is_gone_changes_nothing(account: Account, refused: Command) -> None:
    account.apply("claim", "reply", text="2", machine="Two")
    client("lambda").delete_function(FunctionName=account.world.names.function("reply"), Qualifier="1")

    assert "Version 1 of reply is gone" in refused("rollback")
    assert account.live() == ["2", "2", "1", "2"]


def test_a_function_that_only_one_release_has_stays_as_it_is(account: Account, run: Command) -> None:
    note: dict[str, Any] = json.loads(client("ssm").get_parameter(Name=NOTE)["Parameter"]["Value"])
    older = {**note, "functions": {"claim": "1", "forgotten": "7"}}
    client("ssm").put_parameter(Name=NOTE, Type="String", Value=json.dumps(older), Overwrite=True)
    account.apply("claim", "fleet", text="2")

    run("rollback")

    assert account.live() == ["1", "1", "2", "1"]


def test_the_note_is_the_one_that_the_contract_names() -> None:
    assert contract()["parameters"]["release"].replace("${prefix}", "webordinary") == NOTE

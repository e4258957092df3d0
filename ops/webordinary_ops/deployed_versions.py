"""The history of deployed versions, and rollback to an earlier one.

Every function and the state machine have numbered versions and one alias, which all callers use. Terraform and rollback
record the live versions in an SSM parameter; its history is the list of releases. A rollback only moves aliases. It
builds nothing, so it works when a build does not.

    rollback:  state machine ──▶ functions ──▶ parameter

The state machine moves first: every apply briefly runs an older state machine with newer functions, but never the
reverse. Each step is idempotent; an interrupted rollback is finished by running it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import Field, ValidationError

from webordinary.contract.messages.base import Message
from webordinary.contract.names import Names
from webordinary.contract.values import contract
from webordinary_ops.errors import OperatorError

MACHINE = "state machine"


class NoEarlierVersionsError(OperatorError):
    def __init__(self) -> None:
        super().__init__("No earlier release is recorded. Check out an older commit and deploy it with make apply.")


class VersionMissingError(OperatorError):
    def __init__(self, part: str, version: str) -> None:
        super().__init__(
            f"Version {version} of {part} no longer exists; nothing was changed. Choose another release: --to NUMBER."
        )


class VersionSet(Message):
    """Versions that were live together. `number` is the version of the SSM parameter that records them."""

    functions: dict[str, str]
    state_machine: str
    number: int = Field(default=0, exclude=True)

    def versions(self) -> dict[str, int]:
        return {MACHINE: int(self.state_machine), **{name: int(one) for name, one in self.functions.items()}}

    def is_before(self, live: Mapping[str, int]) -> bool:
        """Whether no part is newer than the live one, and one is older. Ignores parts that only one set has."""
        common = [(version, live[part]) for part, version in self.versions().items() if part in live]
        return all(mine <= theirs for mine, theirs in common) and any(mine < theirs for mine, theirs in common)


class AliasMove(Message):
    """An alias that moves from the version `live` to `becomes`."""

    part: str
    live: str
    becomes: str


@dataclass(frozen=True)
class DeployedVersions:
    functions: Any
    machines: Any
    parameters: Any
    names: Names
    machine_arn: str

    def history(self) -> list[VersionSet]:
        """The recorded version sets, newest first."""
        pages = self.parameters.get_paginator("get_parameter_history").paginate(Name=self._parameter)
        try:
            records = [(record["Version"], record["Value"]) for page in pages for record in page["Parameters"]]
        except self.parameters.exceptions.ParameterNotFound:
            return []
        return [found for number, text in sorted(records, reverse=True) if (found := _read(text, number)) is not None]

    @cached_property
    def live(self) -> dict[str, int]:
        """The versions that the aliases point to."""
        routes = self.machines.describe_state_machine_alias(stateMachineAliasArn=self._machine_alias)
        found = {MACHINE: int(routes["routingConfiguration"][0]["stateMachineVersionArn"].rpartition(":")[2])}
        for function in contract()["functions"]:
            try:
                alias = self.functions.get_alias(FunctionName=self.names.function(function), Name=self.names.alias)
            except self.functions.exceptions.ResourceNotFoundException:
                continue  # the deployment is of another version than this clone
            found[function] = int(alias["FunctionVersion"])
        return found

    def previous(self) -> VersionSet:
        """The newest set that precedes the live one. Sets that were rolled back are newer, so they are skipped."""
        for versions in self.history():
            if versions.is_before(self.live):
                return versions
        raise NoEarlierVersionsError

    def numbered(self, number: int) -> VersionSet:
        for versions in self.history():
            if versions.number == number:
                return versions
        raise OperatorError(f"Release {number} not found. `webordinary releases` lists all releases.")

    def moves_to(self, target: VersionSet) -> list[AliasMove]:
        versions = target.versions()
        parts = [part for part in versions if part in self.live and versions[part] != self.live[part]]
        return [AliasMove(part=part, live=str(self.live[part]), becomes=str(versions[part])) for part in parts]

    def require(self, moves: list[AliasMove]) -> None:
        """Raises if a version no longer exists, before the first alias moves."""
        for move in moves:
            if not self._exists(move):
                raise VersionMissingError(move.part, move.becomes)

    def apply(self, moves: list[AliasMove]) -> Iterator[AliasMove]:
        """Moves the aliases, then records the live versions."""
        for move in moves:
            self._move(move)
            yield move
        live = {**self.live, **{move.part: int(move.becomes) for move in moves}}
        machine = str(live.pop(MACHINE))
        record = VersionSet(functions={part: str(one) for part, one in live.items()}, state_machine=machine)
        self.parameters.put_parameter(Name=self._parameter, Type="String", Value=record.wire_text(), Overwrite=True)

    def _exists(self, move: AliasMove) -> bool:
        try:
            if move.part == MACHINE:
                self.machines.describe_state_machine(stateMachineArn=f"{self.machine_arn}:{move.becomes}")
            else:
                self.functions.get_function_configuration(
                    FunctionName=self.names.function(move.part), Qualifier=move.becomes
                )
        except (
            self.machines.exceptions.StateMachineDoesNotExist,
            self.functions.exceptions.ResourceNotFoundException,
        ):
            return False
        return True

    def _move(self, move: AliasMove) -> None:
        if move.part == MACHINE:
            route = {"stateMachineVersionArn": f"{self.machine_arn}:{move.becomes}", "weight": 100}
            self.machines.update_state_machine_alias(
                stateMachineAliasArn=self._machine_alias, routingConfiguration=[route]
            )
        else:
            self.functions.update_alias(
                FunctionName=self.names.function(move.part), Name=self.names.alias, FunctionVersion=move.becomes
            )

    @property
    def _machine_alias(self) -> str:
        return f"{self.machine_arn}:{self.names.alias}"

    @property
    def _parameter(self) -> str:
        return self.names.parameter("release")


def _read(text: str, number: int) -> VersionSet | None:
    try:
        return VersionSet.model_validate_json(text).model_copy(update={"number": number})
    except ValidationError:
        return None  # written in the format of another version

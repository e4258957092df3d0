"""What was live when, and the way back to it.

Every function and the state machine have numbered versions and one alias, which everybody calls. Terraform notes in a
parameter which versions an apply made live, and so does a rollback: the parameter's history is what was live when.
Going back moves the aliases only. It builds nothing, so it works where a build does not.

    rollback:  state machine ──▶ functions ──▶ note

The state machine goes first: an older one with newer functions is what every apply has for a moment, the other way is
not. Each step can be done again; a rollback that was cut short is taken up by calling it once more.
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
        super().__init__(
            "There is no earlier release to go back to. Check out the commit that you want, and apply it: make apply."
        )


class VersionMissingError(OperatorError):
    def __init__(self, part: str, version: str) -> None:
        super().__init__(f"Version {version} of {part} is gone, so nothing was changed. Choose another: --to NUMBER.")


class VersionSet(Message):
    """The versions that were live together. `number` is that of its note in the parameter's history."""

    functions: dict[str, str]
    state_machine: str
    number: int = Field(default=0, exclude=True)

    def versions(self) -> dict[str, int]:
        return {MACHINE: int(self.state_machine), **{name: int(one) for name, one in self.functions.items()}}

    def is_before(self, live: Mapping[str, int]) -> bool:
        """No part is newer than what is live, and one is older. What one of both lacks says nothing."""
        common = [(version, live[part]) for part, version in self.versions().items() if part in live]
        return all(mine <= theirs for mine, theirs in common) and any(mine < theirs for mine, theirs in common)


class AliasMove(Message):
    """One alias that is moved."""

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

    def all(self) -> list[VersionSet]:
        """What was noted, newest first."""
        pages = self.parameters.get_paginator("get_parameter_history").paginate(Name=self._note)
        try:
            notes = [(note["Version"], note["Value"]) for page in pages for note in page["Parameters"]]
        except self.parameters.exceptions.ParameterNotFound:
            return []
        return [found for number, text in sorted(notes, reverse=True) if (found := _read(text, number)) is not None]

    @cached_property
    def live(self) -> dict[str, int]:
        """The versions that the aliases lead to now."""
        routes = self.machines.describe_state_machine_alias(stateMachineAliasArn=self._machine_alias)
        found = {MACHINE: int(routes["routingConfiguration"][0]["stateMachineVersionArn"].rpartition(":")[2])}
        for function in contract()["functions"]:
            try:
                alias = self.functions.get_alias(FunctionName=self.names.function(function), Name=self.names.alias)
            except self.functions.exceptions.ResourceNotFoundException:
                continue  # this deployment is older or newer than this clone, and has no such function
            found[function] = int(alias["FunctionVersion"])
        return found

    def before(self) -> VersionSet:
        """The newest release that has nothing newer than what is live; what was rolled back from is newer."""
        for release in self.all():
            if release.is_before(self.live):
                return release
        raise NoEarlierVersionsError

    def numbered(self, number: int) -> VersionSet:
        for release in self.all():
            if release.number == number:
                return release
        raise OperatorError(f"There is no release {number}. `webordinary releases` lists them.")

    def steps_to(self, release: VersionSet) -> list[AliasMove]:
        wanted = release.versions()
        parts = [part for part in wanted if part in self.live and wanted[part] != self.live[part]]
        return [AliasMove(part=part, live=str(self.live[part]), becomes=str(wanted[part])) for part in parts]

    def require(self, steps: list[AliasMove]) -> None:
        """Every version is there, before the first alias is moved."""
        for step in steps:
            if not self._exists(step):
                raise VersionMissingError(step.part, step.becomes)

    def carry_out(self, steps: list[AliasMove]) -> Iterator[AliasMove]:
        """Moves the aliases, and then notes what is live from now on."""
        for step in steps:
            self._move(step)
            yield step
        live = {**self.live, **{step.part: int(step.becomes) for step in steps}}
        machine = str(live.pop(MACHINE))
        note = VersionSet(functions={part: str(one) for part, one in live.items()}, state_machine=machine)
        self.parameters.put_parameter(Name=self._note, Type="String", Value=note.wire_text(), Overwrite=True)

    def _exists(self, step: AliasMove) -> bool:
        try:
            if step.part == MACHINE:
                self.machines.describe_state_machine(stateMachineArn=f"{self.machine_arn}:{step.becomes}")
            else:
                self.functions.get_function_configuration(
                    FunctionName=self.names.function(step.part), Qualifier=step.becomes
                )
        except (
            self.machines.exceptions.StateMachineDoesNotExist,
            self.functions.exceptions.ResourceNotFoundException,
        ):
            return False
        return True

    def _move(self, step: AliasMove) -> None:
        if step.part == MACHINE:
            route = {"stateMachineVersionArn": f"{self.machine_arn}:{step.becomes}", "weight": 100}
            self.machines.update_state_machine_alias(
                stateMachineAliasArn=self._machine_alias, routingConfiguration=[route]
            )
        else:
            self.functions.update_alias(
                FunctionName=self.names.function(step.part), Name=self.names.alias, FunctionVersion=step.becomes
            )

    @property
    def _machine_alias(self) -> str:
        return f"{self.machine_arn}:{self.names.alias}"

    @property
    def _note(self) -> str:
        return self.names.parameter("release")


def _read(text: str, number: int) -> VersionSet | None:
    try:
        return VersionSet.model_validate_json(text).model_copy(update={"number": number})
    except ValidationError:
        return None  # noted by another version, which knows the way back from there

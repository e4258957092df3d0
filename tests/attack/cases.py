"""The table of attacks."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.attack.arena import Arena

TABLE = Path(__file__).with_name("cases.toml")
Attack = Callable[..., None]
ATTACKS: dict[str, Attack] = {}


class AttackSucceededError(Exception):
    """An attack reached its goal."""


@dataclass(frozen=True)
class Case:
    """One attack: the attacker, the goal, and the function with its parameters.

    `needs` lists requirements of the machine, such as users. `slow` attacks are skipped with --fast.
    """

    id: str
    attacker: str
    what: str
    how: str
    threat: str | None = None
    needs: tuple[str, ...] = ()
    slow: bool = False
    given: dict[str, Any] = field(default_factory=dict)

    def run(self, arena: Arena) -> None:
        """Raises AttackSucceededError if the attack is not blocked."""
        ATTACKS[self.how](arena, **self.given)


def attack(function: Attack) -> Attack:
    """Registers a function for the table."""
    ATTACKS[function.__name__] = function
    return function


def load(table: Path = TABLE) -> list[Case]:
    known = tomllib.loads(table.read_text())["case"]
    return [Case(**{**entry, "needs": tuple(entry.get("needs", ()))}) for entry in known]

"""The table of attacks, and what it means for one to be held."""

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


class GotThroughError(Exception):
    """An attack reached what it was after."""


@dataclass(frozen=True)
class Case:
    """One attack: who tries what, and which function tries it with which parameters.

    `needs` are conditions of the machine, such as users of their own. `slow` ones are left out of the fast form.
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
        """Raises GotThroughError if the attack is not held."""
        ATTACKS[self.how](arena, **self.given)


def attack(function: Attack) -> Attack:
    """Makes a function available to the table under its name."""
    ATTACKS[function.__name__] = function
    return function


def load(table: Path = TABLE) -> list[Case]:
    known = tomllib.loads(table.read_text())["case"]
    return [Case(**{**entry, "needs": tuple(entry.get("needs", ()))}) for entry in known]

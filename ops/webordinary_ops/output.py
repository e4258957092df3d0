"""What a command says: words and tables for a person, or JSON for a program. Never both."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import click
from rich.console import Console
from rich.table import Table

from webordinary.contract.messages.base import Message


@dataclass(frozen=True)
class Output:
    as_json: bool = False

    def rows(self, rows: Sequence[Message], nothing: str) -> None:
        """A table with a column for each field. `nothing` is said where there are no rows."""
        if self.as_json:
            click.echo(json.dumps([row.wire() for row in rows], indent=2))
        elif not rows:
            click.echo(nothing)
        else:
            self._table(rows)

    def one(self, thing: Message) -> None:
        if self.as_json:
            click.echo(json.dumps(thing.wire(), indent=2))
            return
        for name, value in thing.wire().items():
            click.echo(f"{_words(name):<18}{_readable(value)}")

    def say(self, sentence: str) -> None:
        """A sentence for a person; a program reads the result instead."""
        if not self.as_json:
            click.echo(sentence)

    def _table(self, rows: Sequence[Message]) -> None:
        table = Table(box=None, pad_edge=False, header_style="dim")
        names = list(dict.fromkeys(name for row in rows for name in row.wire()))
        for name in names:
            table.add_column(_words(name), overflow="fold")
        for row in rows:
            table.add_row(*(_readable(row.wire().get(name, "")) for name in names))
        # A pipe has no width: there every row stays on its line.
        width = None if sys.stdout.isatty() else 400
        Console(file=sys.stdout, width=width, highlight=False, markup=False).print(table)


def _words(name: str) -> str:
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name)


def _readable(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_readable(one)}" for name, one in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(_readable(one) for one in value) or "none"
    return str(value)

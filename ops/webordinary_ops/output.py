"""Command output: text and tables for people, or JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import click
from rich.console import Console
from rich.table import Table

from webordinary.contract.messages.base import Message

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True)
class Output:
    as_json: bool = False

    def rows(self, rows: Sequence[Message], empty: str) -> None:
        """Prints a table with a column per field, or `empty` if there are no rows."""
        if self.as_json:
            click.echo(json.dumps([row.wire() for row in rows], indent=2))
        elif not rows:
            click.echo(plain(empty))
        else:
            self._table(rows)

    def one(self, record: Message) -> None:
        if self.as_json:
            click.echo(json.dumps(record.wire(), indent=2))
            return
        for name, value in record.wire().items():
            click.echo(f"{_words(name):<18}{_readable(value)}")

    def say(self, sentence: str) -> None:
        """Prints a sentence, unless the output is JSON."""
        if not self.as_json:
            click.echo(plain(sentence))

    def text(self, text: str, *, err: bool = False) -> None:
        """Prints a report of several lines."""
        click.echo(plain(text), err=err)

    def _table(self, rows: Sequence[Message]) -> None:
        table = Table(box=None, pad_edge=False, header_style="dim")
        names = list(dict.fromkeys(name for row in rows for name in row.wire()))
        for name in names:
            table.add_column(_words(name), overflow="fold")
        for row in rows:
            table.add_row(*(_readable(row.wire().get(name, "")) for name in names))
        # Without a terminal, keep every row on one line.
        width = None if sys.stdout.isatty() else 400
        Console(file=sys.stdout, width=width, highlight=False, markup=False).print(table)


def _words(name: str) -> str:
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name)


def _readable(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{plain(name)} {_readable(one)}" for name, one in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(_readable(one) for one in value) or "none"
    return plain(str(value))


def plain(text: str) -> str:
    """Untrusted text for a terminal: other control and invisible characters than line breaks and tabs are replaced."""
    return "".join(char if char in "\n\t" or char.isprintable() else REPLACEMENT for char in text)

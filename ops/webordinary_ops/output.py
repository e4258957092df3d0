"""Command output: text and tables for people, or JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from webordinary.contract.messages.base import Message

SHORTENED = ("job", "thread", "worker", "task")  # columns of random ids
SHORTEST = 8
INDENT = 2
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
            _print_table([row.wire() for row in rows], shorten=short_ids)

    def one(self, record: Message) -> None:
        if self.as_json:
            click.echo(json.dumps(record.wire(), indent=2))
        else:
            _print_fields(record.wire(), 0)

    def say(self, sentence: str) -> None:
        """Prints a sentence, unless the output is JSON."""
        if not self.as_json:
            click.echo(plain(sentence))

    def text(self, text: str, *, err: bool = False) -> None:
        """Prints a report of several lines."""
        click.echo(plain(text), err=err)

    def note(self, sentence: str) -> None:
        """Prints progress or a warning, apart from the result."""
        click.echo(plain(sentence), err=True)


def short_ids(ids: Iterable[str]) -> dict[str, str]:
    """The shortest prefix of each id that no other id has, with at least eight characters."""
    all_ids = sorted(set(ids))
    short = {}
    for number, one in enumerate(all_ids):
        others = (*all_ids[max(number - 1, 0) : number], *all_ids[number + 1 : number + 2])
        shared = max((_shared(one, other) for other in others), default=0)
        short[one] = one[: max(SHORTEST, shared + 1)]
    return short


def _shared(one: str, other: str) -> int:
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _print_fields(fields: dict[str, Any], indent: int) -> None:
    """One line for each field, with the values aligned; lists and objects on lines of their own."""
    width = max((len(_words(name)) for name in fields), default=0) + 2
    for name, value in fields.items():
        label = " " * indent + _words(name)
        if value and _is_nested(value):
            click.echo(label)
            _print_nested(value, indent + INDENT)
        else:
            click.echo(f"{label:<{indent + width}}{_readable(value)}".rstrip())


def _is_nested(value: object) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and (len(value) > 1 or isinstance(value[0], dict)))


def _print_nested(value: Any, indent: int) -> None:
    if isinstance(value, dict):
        _print_fields(value, indent)
    elif all(isinstance(one, dict) for one in value):
        _print_table(value, indent)
    else:
        for one in value:
            click.echo(" " * indent + _readable(one))


def _print_table(
    rows: Sequence[dict[str, Any]],
    indent: int = 0,
    shorten: Callable[[Iterable[str]], dict[str, str]] = lambda _ids: {},
) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    names = list(dict.fromkeys(name for row in rows for name in row))
    short = {name: shorten(str(row.get(name, "")) for row in rows) for name in names if name in SHORTENED}
    for name in names:
        table.add_column(_words(name), no_wrap=True)
    for row in rows:
        values = {name: _readable(row.get(name, "")) for name in names}
        table.add_row(*(short.get(name, {}).get(value, value) for name, value in values.items()))
    # Every row stays on one line; a narrow terminal wraps it.
    console = Console(file=sys.stdout, width=400, highlight=False, markup=False, soft_wrap=True)
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        click.echo(" " * indent + line.rstrip())


def _words(name: str) -> str:
    """A field's name as words. Names of projects, queues and pairs are keys too, and stay as they are."""
    return plain("".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name))


def _readable(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{plain(name)} {_readable(one)}" for name, one in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(_readable(one) for one in value) or "none"
    return plain(str(value))


def plain(text: str) -> str:
    """Untrusted text for a terminal: other control and invisible characters than line breaks and tabs are replaced."""
    return "".join(char if char in "\n\t" or char.isprintable() else REPLACEMENT for char in text)

"""Tables and lists of fields, laid out for the width of the terminal.

A table keeps each row on one line if the terminal is wide enough, then folds its texts, then becomes a list of fields.
Ids, times and states are never folded, so that they can be copied. Without a terminal, every row stays on one line and
has no colours.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import click
from rich.console import Console
from rich.style import Style
from rich.table import Table
from rich.text import Text

from webordinary_ops.readable import age, readable, short_ids, timestamp, words

SHORTENED = ("job", "thread", "worker", "task")  # columns of random ids
FOLDED = ("detail", "preview", "domain", "repository", "people", "subject", "reason", "summary", "notes")
NARROWEST = 16  # of a folded column
GAP = 2
INDENT = 2
UNLIMITED = 400
NUMBER = re.compile(r"-?\d+(\.\d+)?", re.ASCII)
COLOURED = ("state", "phase")
COLOURS = {
    **dict.fromkeys(("done", "idle"), "green"),
    **dict.fromkeys(("running", "busy"), "cyan"),
    **dict.fromkeys(("waiting", "starting", "stopping", "leaving"), "yellow"),
    **dict.fromkeys(("failed", "unreadable"), "red"),
}


@dataclass(frozen=True)
class Layout:
    width: int  # of the terminal
    is_terminal: bool
    has_colours: bool

    def print_rows(self, rows: Sequence[Mapping[str, Any]], now: datetime) -> None:
        """Prints the result of a command: ids are shortened, and times are relative to now."""
        names = list(dict.fromkeys(name for row in rows for name in row))
        short = {name: short_ids(str(row.get(name, "")) for row in rows) for name in names if name in SHORTENED}

        def text(name: str, value: object) -> str:
            point = timestamp(value)
            return age(point, now) if point else short.get(name, {}).get(str(value)) or readable(value)

        self._print_table([{name: text(name, row.get(name, "")) for name in names} for row in rows], 0)

    def print_fields(self, fields: Mapping[str, Any], now: datetime, indent: int = 0) -> None:
        """One line for each field, with the values aligned; lists and objects on separate lines."""
        width = max((len(words(name)) for name in fields), default=0) + GAP
        for name, value in fields.items():
            label = " " * indent + words(name)
            if value and _is_nested(value):
                click.echo(label)
                self._print_nested(value, now, indent + INDENT)
            else:
                point = timestamp(value)
                text = f"{point:%Y-%m-%d %H:%M:%S} UTC ({age(point, now)})" if point else readable(value)
                click.echo(f"{label:<{indent + width}}{text}".rstrip())

    def _print_nested(self, value: Any, now: datetime, indent: int) -> None:
        if isinstance(value, dict):
            self.print_fields(value, now, indent)
        elif all(isinstance(one, dict) for one in value):
            self._print_table([{name: _exact(one) for name, one in row.items()} for row in value], indent)
        else:
            for one in value:
                click.echo(" " * indent + readable(one))

    def _print_table(self, rows: Sequence[Mapping[str, str]], indent: int) -> None:
        names = list(dict.fromkeys(name for row in rows for name in row))
        heads = {name: words(name) for name in names}
        values = {name: _with_equal_decimals([row.get(name, "") for row in rows]) for name in names}
        if sum(max(map(len, (heads[name], *values[name]))) + GAP for name in names) > self.width - indent:
            heads = {name: head.replace(" ", "\n") for name, head in heads.items()}
        longest = {name: max(map(len, (*heads[name].split("\n"), *values[name]))) for name in names}
        least = {name: min(longest[name], NARROWEST) if name in FOLDED else longest[name] for name in names}
        width = self.width - indent
        if self.is_terminal and sum(least.values()) + GAP * len(names) > width:
            self._print_blocks(rows, indent)
            return
        table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="dim")
        for name in names:
            table.add_column(
                heads[name],
                no_wrap=name not in FOLDED or not self.is_terminal,
                overflow="fold",
                justify="right" if all(NUMBER.fullmatch(one) for one in values[name]) else "left",
            )
        for number in range(len(rows)):
            table.add_row(*(self._cell(name, values[name][number]) for name in names))
        console = Console(
            file=sys.stdout,
            width=width if self.is_terminal else UNLIMITED,
            highlight=False,
            color_system="standard" if self.has_colours else None,
            force_terminal=self.has_colours,
            soft_wrap=not self.is_terminal,
        )
        with console.capture() as captured:
            console.print(table)
        for line in captured.get().splitlines():
            click.echo(" " * indent + line.rstrip(), color=self.has_colours)

    def _print_blocks(self, rows: Sequence[Mapping[str, str]], indent: int) -> None:
        for number, row in enumerate(rows):
            if number:
                click.echo()
            width = max(len(words(name)) for name in row) + GAP
            for name, value in row.items():
                click.echo(f"{' ' * indent}{words(name):<{width}}{value}".rstrip())

    def _cell(self, name: str, value: str) -> Text:
        colour = COLOURS.get(value) if name in COLOURED else None
        return Text(value, style=Style(color=colour) if colour else "")


def layout_of_stdout() -> Layout:
    is_terminal = sys.stdout.isatty()
    return Layout(
        width=shutil.get_terminal_size().columns if is_terminal else UNLIMITED,
        is_terminal=is_terminal,
        has_colours=is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
    )


def _with_equal_decimals(column: list[str]) -> list[str]:
    """Numbers of a column have as many decimals as the most exact one, so that their points are aligned."""
    if not all(NUMBER.fullmatch(one) for one in column):
        return column
    decimals = max(len(one.partition(".")[2]) for one in column)
    return [f"{float(one):.{decimals}f}" for one in column] if decimals else column


def _exact(value: object) -> str:
    point = timestamp(value)
    return f"{point:%Y-%m-%d %H:%M:%S.%f}"[:-3] if point else readable(value)


def _is_nested(value: object) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and (len(value) > 1 or isinstance(value[0], dict)))

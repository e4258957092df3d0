"""Command output: text and tables for people, or JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import click

from webordinary.aws.clients import Clock, utc_now
from webordinary.contract.messages.base import Message
from webordinary_ops.layout import Layout, layout_of_stdout
from webordinary_ops.readable import plain


@dataclass(frozen=True)
class Output:
    as_json: bool = False
    clock: Clock = utc_now
    layout: Callable[[], Layout] = layout_of_stdout

    def rows(self, rows: Sequence[Message], empty: str) -> None:
        """Prints a table with a column per field, or `empty` if there are no rows."""
        if self.as_json:
            click.echo(json.dumps([row.wire() for row in rows], indent=2))
        elif not rows:
            click.echo(plain(empty))
        else:
            self.layout().print_rows([row.wire() for row in rows], self.clock())

    def one(self, record: Message) -> None:
        if self.as_json:
            click.echo(json.dumps(record.wire(), indent=2))
        else:
            self.layout().print_fields(record.wire(), self.clock())

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

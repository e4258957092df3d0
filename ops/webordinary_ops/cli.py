"""The command line: what the commands have in common, and how they are told what went wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import click
from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws.telemetry import logger
from webordinary.contract.errors import WebordinaryError
from webordinary.contract.messages.base import Pair
from webordinary_ops.connection import connect
from webordinary_ops.deployment import Deployment
from webordinary_ops.errors import OperatorError
from webordinary_ops.output import Output

FLAGS = ("--json", "--yes")

TOUR = """Looks after webordinary: what runs, who waits, which websites there are.

\b
Where to begin
  webordinary status                       is everything well?
  webordinary jobs                         the mails that are being worked on
  webordinary show JOB                     the way of one mail, step by step
  webordinary projects add bakery --domain bakery.example.com \\
      --repository https://git.example.com/bakery.git --person ada=ada@example.com
  webordinary send 'Change "noon" to "1 pm"' --from ada@example.com

A JOB is named by its mail's id, as `jobs` shows it. A PAIR is a project and one of its people: bakery#ada.
Without --env it is the stack of `make up` on this machine; commands that change or delete something say what they
will do and ask, unless --yes is given.
"""


@dataclass(frozen=True)
class Operator:
    """What every command gets: the deployment, how to speak, and whether to ask."""

    find: Callable[[], Deployment]
    output: Output
    yes: bool

    @cached_property
    def deployment(self) -> Deployment:
        return self.find()  # only when it is needed: wrong arguments are told without it

    def confirm(self, what: str) -> None:
        """Says what will be done; goes on only if the operator agrees."""
        if self.yes:
            self.output.say(what)
            return
        if not click.confirm(f"{what}\nGo on?", err=True):
            raise OperatorError("Nothing was done.")


class PairArgument(click.ParamType[Pair]):
    name = "pair"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Pair:
        try:
            return value if isinstance(value, Pair) else Pair.from_key(str(value))
        except WebordinaryError:
            self.fail(f"'{value}' is no pair. Write project#user, for example 'bakery#ada' (in quotes).", param, ctx)


PAIR = PairArgument()


@click.group(help=TOUR, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.option("--env", "environment", default="local", envvar="WEBORDINARY_ENV", help="dev, prod or local.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
@click.option("--yes", is_flag=True, help="Do not ask before something is changed or deleted.")
@click.pass_context
def webordinary(context: click.Context, environment: str, as_json: bool, yes: bool) -> None:
    find: Callable[[str], Deployment] = context.obj
    context.obj = Operator(partial(find, environment), Output(as_json), yes)


def main(
    arguments: Sequence[str] | None = None,
    find: Callable[[str], Deployment] = lambda environment: Deployment(connect(environment)),
) -> int:
    """Runs a command. What goes wrong is one sentence on standard error, and a status other than 0."""
    from webordinary_ops import commands

    commands.add_to(webordinary)
    with _without_log_lines():
        return _run(_flags_first(sys.argv[1:] if arguments is None else arguments), find)


def _run(arguments: Sequence[str], find: Callable[[str], Deployment]) -> int:
    try:
        status = webordinary.main(arguments, prog_name="webordinary", standalone_mode=False, obj=find)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 2
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "webordinary"
        click.echo(f"{error.format_message()} See {command} --help.", err=True)
        return 2
    except click.ClickException as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.Abort:
        click.echo("Nothing was done.", err=True)
        return 1
    except (OperatorError, WebordinaryError) as error:
        click.echo(str(error), err=True)
        return 1
    except (ClientError, BotoCoreError) as error:
        click.echo(f"AWS refused: {error}", err=True)
        return 1
    return status if isinstance(status, int) else 0


def _flags_first(arguments: Sequence[str]) -> list[str]:
    """--json and --yes may stand anywhere: people think of them last."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    flags = [one for one in arguments[:end] if one in FLAGS]
    return [*flags, *(one for one in arguments[:end] if one not in FLAGS), *arguments[end:]]


@contextmanager
def _without_log_lines() -> Iterator[None]:
    """The tables log what they do for CloudWatch; here it would stand between the answers."""
    level = logger().log_level
    logger().setLevel("CRITICAL")
    try:
        yield
    finally:
        logger().setLevel(level)

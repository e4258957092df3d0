"""The command line: options and error handling that all commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import click
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    CredentialRetrievalError,
    EndpointConnectionError,
    HTTPClientError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
    SSOError,
    TokenRetrievalError,
)

from webordinary.aws.telemetry import logger
from webordinary.contract.errors import WebordinaryError
from webordinary.contract.messages.base import Pair
from webordinary_ops.connection import connect
from webordinary_ops.deployment import Deployment
from webordinary_ops.errors import OperatorError
from webordinary_ops.output import Output
from webordinary_ops.readable import plain

LOCAL_HOST = "//127.0.0.1"
EMULATOR_STOPPED = (
    "The AWS emulator of the local stack does not answer. If it has stopped, its content is lost: "
    "end `make up` with Ctrl-C and start it again."
)
SIGN_IN = "Sign in (aws sso login), or set AWS_PROFILE or AWS_ACCESS_KEY_ID, and try again."
REJECTED_CREDENTIALS = (
    "ExpiredToken",
    "ExpiredTokenException",
    "InvalidClientTokenId",
    "InvalidSignatureException",
    "RequestExpired",
    "SignatureDoesNotMatch",
    "UnrecognizedClientException",
)
NO_CREDENTIALS = (
    CredentialRetrievalError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
    SSOError,
    TokenRetrievalError,
)
FLAGS = ("--json", "--yes")

INTRODUCTION = """Manages a webordinary deployment: its jobs, workers, websites and editors.

\b
Getting started
  webordinary status                       check the health of the deployment
  webordinary jobs                         list the open jobs
  webordinary show JOB                     show one job, step by step
  webordinary watch                        show health, jobs and workers live
  webordinary tail                         follow the jobs as they change
  webordinary projects add bakery --domain bakery.example.com \\
      --repository https://git.example.com/bakery.git \\
      --person ada=ada@example.com
  webordinary send 'Change "noon" to "1 pm"' --from ada@example.com

JOB is the id of a mail, as listed by `webordinary jobs`. PAIR is a project and one of its users: 'bakery#ada'.
Without --env, commands use the local stack that `make up` started. Commands that change or delete data describe the
change and ask for confirmation, unless --yes is given.
"""


@dataclass(frozen=True)
class Operator:
    """The context of every command: deployment, output, and whether to skip confirmation."""

    find: Callable[[], Deployment]
    output: Output
    yes: bool

    @cached_property
    def deployment(self) -> Deployment:
        return self.find()  # lazy: invalid arguments are reported without a connection

    def confirm(self, change: str) -> None:
        """Describes the change; raises unless the operator agrees."""
        if self.yes:
            self.output.say(change)
            return
        if not click.confirm(plain(f"{change}\nContinue?"), err=True):
            raise OperatorError("Aborted; nothing was changed.")


class PairArgument(click.ParamType[Pair]):
    name = "pair"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Pair:
        try:
            return value if isinstance(value, Pair) else Pair.from_key(str(value))
        except WebordinaryError:
            self.fail(f"'{value}' is not a pair. Use project#user, for example 'bakery#ada' (quoted).", param, ctx)


PAIR = PairArgument()


@click.group(help=INTRODUCTION, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.option(
    "--env",
    "environment",
    default="local",
    envvar="WEBORDINARY_ENV",
    help="Deployment to use: dev, prod or local.",
    show_default=True,
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option("--yes", is_flag=True, help="Skip the confirmation of changes and deletions.")
@click.pass_context
def webordinary(context: click.Context, environment: str, as_json: bool, yes: bool) -> None:
    find: Callable[[str], Deployment] = context.obj
    context.obj = Operator(partial(find, environment), Output(as_json), yes)


def main(
    arguments: Sequence[str] | None = None,
    find: Callable[[str], Deployment] = lambda environment: Deployment(connect(environment)),
) -> int:
    """Runs a command. An error is one line on standard error and a non-zero status."""
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
        click.echo("Aborted; nothing was changed.", err=True)
        return 1
    except (OperatorError, WebordinaryError) as error:
        click.echo(plain(str(error)), err=True)
        return 1
    except (EndpointConnectionError, HTTPClientError) as error:
        stopped = LOCAL_HOST in str(error)
        click.echo(EMULATOR_STOPPED if stopped else f"AWS cannot be reached: {error}", err=True)
        return 1
    except (ClientError, BotoCoreError) as error:
        click.echo(plain(f"The AWS call failed: {error}"), err=True)
        if _is_about_credentials(error):
            click.echo(SIGN_IN, err=True)
        return 1
    return status if isinstance(status, int) else 0


def _is_about_credentials(error: ClientError | BotoCoreError) -> bool:
    if isinstance(error, ClientError):
        return error.response.get("Error", {}).get("Code") in REJECTED_CREDENTIALS
    return isinstance(error, NO_CREDENTIALS)


def _flags_first(arguments: Sequence[str]) -> list[str]:
    """Moves --json and --yes to the front, so that they may follow the command."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    flags = [one for one in arguments[:end] if one in FLAGS]
    return [*flags, *(one for one in arguments[:end] if one not in FLAGS), *arguments[end:]]


@contextmanager
def _without_log_lines() -> Iterator[None]:
    """Mutes the log lines for CloudWatch, which would mix with the output."""
    level = logger().log_level
    logger().setLevel("CRITICAL")
    try:
        yield
    finally:
        logger().setLevel(level)

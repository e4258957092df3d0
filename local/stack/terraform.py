"""Terraform for this machine: `python -m local.stack.terraform plan|apply|destroy|output`.

The environment `local` needs an emulator: the one at --endpoint or AWS_ENDPOINT_URL, or a background emulator that
`apply` starts and `destroy` stops.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from local.emulator.process import EmulatorProcess
from local.errors import LocalError
from local.paths import BUILD, RUNS
from local.stack import snapshots
from local.stack.background_emulator import BackgroundEmulator
from tools import terraform
from tools.errors import SetupError


class NothingAppliedError(LocalError):
    def __init__(self) -> None:
        super().__init__("No local environment exists: no emulator is running. Run make apply ENV=local first.")


@contextlib.contextmanager
def temporary_environment() -> Iterator[str]:
    """Applies the environment `local` to a temporary emulator; yields its endpoint."""
    with _temporary_emulator() as (emulator, state_dir):
        variables = {"package_dir": str(BUILD)}
        workspace = terraform.init("local", endpoint=emulator.endpoint, state_dir=state_dir)
        snapshots.apply(
            emulator,
            workspace,
            snapshots.Inputs(variables, BUILD),
            lambda: terraform.apply_in(workspace, variables, lambda _line: None),
        )
        yield emulator.endpoint


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m local.stack.terraform", description=(__doc__ or "").split(":")[0])
    parser.add_argument("command", choices=["plan", "apply", "destroy", "output"])
    parser.add_argument("--endpoint", help="the emulator (default: the one of make apply ENV=local)")
    parser.add_argument("--var", action="append", default=[], metavar="NAME=VALUE", help="a variable's value")
    options = parser.parse_args(arguments)
    background = BackgroundEmulator(RUNS)
    try:
        with _emulator(options.command, options.endpoint, background) as (endpoint, state_dir):
            result = _run(options.command, endpoint, state_dir, options.var)
    except (LocalError, SetupError) as error:
        print(error, file=sys.stderr)
        return 1
    if options.command == "destroy" and result == 0:
        shutil.rmtree(state_dir)
        background.stop()
    return result


def _run(command: str, endpoint: str, state_dir: Path, variables: Sequence[str]) -> int:
    if command != "output":
        terraform.require_packages("local", variables)
    workspace = terraform.init("local", endpoint=endpoint, state_dir=state_dir)
    # An emulator holds nothing of value, so no approval is needed.
    return terraform.show(workspace, command, variables=[f"package_dir={BUILD}", *variables], auto_approve=True)


@contextlib.contextmanager
def _emulator(command: str, chosen: str | None, background: BackgroundEmulator) -> Iterator[tuple[str, Path]]:
    """The endpoint that a command works on, and the folder of its Terraform state."""
    running = background.running()
    endpoint = chosen or os.environ.get("AWS_ENDPOINT_URL") or (running.endpoint if running else None)
    if endpoint:
        yield endpoint, _state_of(endpoint)
    elif command == "apply":
        endpoint = background.start().endpoint
        # An old state at this endpoint belongs to an emulator that has ended.
        shutil.rmtree(_state_of(endpoint), ignore_errors=True)
        print(f"The AWS emulator is running at {endpoint}. make destroy ENV=local stops it.", flush=True)
        yield endpoint, _state_of(endpoint)
    elif command == "plan":
        with _temporary_emulator() as (emulator, state_dir):
            print("No emulator is running: showing the plan for an empty, temporary one.", flush=True)
            yield emulator.endpoint, state_dir
    else:
        raise NothingAppliedError


@contextlib.contextmanager
def _temporary_emulator() -> Iterator[tuple[EmulatorProcess, Path]]:
    with tempfile.TemporaryDirectory(prefix="webordinary-") as folder:
        state_dir = Path(folder)
        with EmulatorProcess(state=state_dir / "emulator", runtime=BUILD / "runtime") as emulator:
            yield emulator, state_dir


def _state_of(endpoint: str) -> Path:
    return RUNS / "terraform" / re.sub(r"\W+", "-", endpoint)


if __name__ == "__main__":
    sys.exit(main())

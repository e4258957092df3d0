"""The one way in which Terraform is run here: the right provider, the right state, nothing left in terraform/.

    python -m tools.terraform plan|apply|destroy|output|init --env dev|prod|local [--endpoint URL] [--var name=value]
    python -m tools.terraform validate|test

Terraform runs in a folder below .cache/terraform that links to the real files. There it keeps what it downloads and,
for `local`, finds the override that puts the state into a file. `local` needs an emulator: the one at --endpoint or
AWS_ENDPOINT_URL, or one in the background that `apply` starts and `destroy` ends.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import boto3

from local.emulator.process import EmulatorFailedError, EmulatorProcess
from tools.background_emulator import BackgroundEmulator
from tools.errors import SetupError
from tools.terraform_workspace import CHECKS, Workspace

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
LOCAL_STATE = CACHE / "local"
CONTRACT = ROOT / "layers/webordinary/python/webordinary/platform/contract.json"
ENVIRONMENTS = ("dev", "prod", "local")
KEY_VARIABLE = "TF_VAR_thread_secret"
PACKAGES = {"dev": "lambda", "prod": "lambda", "local": "local"}

OnLine = Callable[[str], None]


class NoCredentialsError(SetupError):
    def __init__(self, environment: str) -> None:
        super().__init__(
            f"No AWS credentials were found, so nothing was done for {environment}. "
            "Sign in (aws sso login), or set AWS_PROFILE or AWS_ACCESS_KEY_ID, and try again; "
            "ENV=local needs none."
        )


class NoThreadSecretError(SetupError):
    def __init__(self, environment: str) -> None:
        super().__init__(
            f"{environment} needs the key that signs reply addresses. Set {KEY_VARIABLE} to at least 32 random "
            "characters and keep it where you keep secrets; after the first apply its value is only checked, not used."
        )


class NothingAppliedError(SetupError):
    def __init__(self) -> None:
        super().__init__("Nothing is applied on this machine: no emulator is running. make apply ENV=local starts one.")


class PackagesMissingError(SetupError):
    def __init__(self, folder: Path, target: str) -> None:
        super().__init__(f"There are no packages in {folder}. Make them with: make package TARGET={target}")


def apply(
    environment: str = "local",
    *,
    endpoint: str | None = None,
    state_dir: Path | None = None,
    variables: Mapping[str, Any] | None = None,
    on_line: OnLine = lambda _: None,
) -> dict[str, Any]:
    """Applies without asking and returns the outputs. `state_dir` is where a local state is kept."""
    workspace = init(environment, endpoint=endpoint, state_dir=state_dir, on_line=on_line)
    workspace.run("apply", "-auto-approve", "-no-color", *workspace.variables(variables or {}), on_line=on_line)
    return workspace.outputs()


def init(
    environment: str = "local",
    *,
    endpoint: str | None = None,
    state_dir: Path | None = None,
    on_line: OnLine = lambda _: None,
) -> Workspace:
    """Makes the environment's folder ready. Quick when nothing changed since the last time."""
    workspace = Workspace(ROOT, CACHE / "terraform" / environment, environment, endpoint, state_dir)
    workspace.prepare(on_line)
    return workspace


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return _carry_out(options)
    except (SetupError, EmulatorFailedError) as error:
        print(error, file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.terraform", description="Runs Terraform for one environment."
    )
    parser.add_argument("command", choices=["init", "plan", "apply", "destroy", "output", "validate", "test"])
    parser.add_argument("--env", choices=ENVIRONMENTS, default="local", dest="environment")
    parser.add_argument("--endpoint", help="the emulator to use for local")
    parser.add_argument("--var", action="append", default=[], metavar="NAME=VALUE", help="a variable's value")
    parser.add_argument("--auto-approve", action="store_true", help="do not ask before a change")
    return parser


def _carry_out(options: argparse.Namespace) -> int:
    if options.command == "validate":
        return init(CHECKS).show("validate")
    if options.command == "test":
        return init(CHECKS).show("test", "-var", f"package_dir={_placeholders()}")
    if options.environment == "local":
        return _carry_out_locally(options)
    _require_credentials(options.environment)
    if options.command in ("plan", "apply", "destroy"):
        _require_thread_secret(options)
        _require_packages(options)
    workspace = init(options.environment)
    return workspace.show(options.command, *_arguments(workspace, options))


def _carry_out_locally(options: argparse.Namespace) -> int:
    if options.command == "init":
        init()
        return 0
    background = BackgroundEmulator(LOCAL_STATE, ROOT)
    with _emulator_for(options, background) as (endpoint, state_dir):
        workspace = init(endpoint=endpoint, state_dir=state_dir)
        if options.command == "output":
            return workspace.show("output", *workspace.state_arguments())
        _require_packages(options)
        options.auto_approve = True  # nothing here can be lost
        package_dir = f"package_dir={ROOT / 'build/local'}"
        result = workspace.show(options.command, "-var", package_dir, *_arguments(workspace, options))
    if options.command == "destroy" and result == 0:
        shutil.rmtree(state_dir)
        background.stop()
    return result


@contextlib.contextmanager
def _emulator_for(options: argparse.Namespace, background: BackgroundEmulator) -> Iterator[tuple[str, Path]]:
    """The emulator that a command works on, and the folder of the state that belongs to it."""
    running = background.running()
    endpoint = options.endpoint or os.environ.get("AWS_ENDPOINT_URL") or (running.endpoint if running else None)
    if endpoint:
        yield endpoint, _state_of(endpoint)
    elif options.command == "apply":
        endpoint = background.start().endpoint
        # What an earlier emulator held ended with it, wherever it was.
        shutil.rmtree(_state_of(endpoint), ignore_errors=True)
        print(f"The AWS emulator runs at {endpoint} until make destroy ENV=local.", flush=True)
        yield endpoint, _state_of(endpoint)
    elif options.command == "plan":
        with tempfile.TemporaryDirectory(prefix="webordinary-") as folder:
            state_dir = Path(folder)
            with EmulatorProcess(state=state_dir / "emulator", runtime=ROOT / "build/local/runtime") as emulator:
                print("No emulator is running: this is the plan for an empty one, which is thrown away.", flush=True)
                yield emulator.endpoint, state_dir
    else:
        raise NothingAppliedError


def _state_of(endpoint: str) -> Path:
    return LOCAL_STATE / "terraform" / re.sub(r"\W+", "-", endpoint)


def _arguments(workspace: Workspace, options: argparse.Namespace) -> list[str]:
    if options.command in ("init", "output"):
        return []
    approval = ["-auto-approve"] if options.auto_approve and options.command != "plan" else []
    given = [argument for variable in options.var for argument in ("-var", variable)]
    return [*approval, *workspace.variables({}), *given]


def _placeholders() -> Path:
    """Packages without content: Terraform's own tests only look at their names."""
    contract = json.loads(
        (ROOT / "layers/webordinary/python/webordinary/platform/contract.json").read_text(encoding="utf-8")
    )
    names = [f"functions/{name}.zip" for name in contract["functions"]]
    for name in [*names, "layers/dependencies.zip", "layers/webordinary.zip"]:
        file = CACHE / "terraform/placeholders" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return CACHE / "terraform/placeholders"


def _require_credentials(environment: str) -> None:
    if boto3.Session().get_credentials() is None:
        raise NoCredentialsError(environment)


def _require_thread_secret(options: argparse.Namespace) -> None:
    given = any(variable.startswith("thread_secret=") for variable in options.var)
    if not given and not os.environ.get(KEY_VARIABLE):
        raise NoThreadSecretError(options.environment)


def _require_packages(options: argparse.Namespace) -> None:
    if any(variable.startswith("package_dir=") for variable in options.var):
        return
    target = PACKAGES[options.environment]
    if not any((ROOT / "build" / target / "functions").glob("*.zip")):
        raise PackagesMissingError(ROOT / "build" / target, target)


if __name__ == "__main__":
    sys.exit(main())

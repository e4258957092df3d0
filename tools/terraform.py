"""The one way in which Terraform is run here: the right provider, the right state, nothing left in terraform/.

    python -m tools.terraform plan|apply|destroy|output|init --env dev|prod [--var name=value]
    python -m tools.terraform validate|test

Terraform runs in a folder below .cache/terraform that links to the real files, where it keeps what it downloads. The
environment `local` needs an emulator and is run by `local.terraform`, which uses what is here.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import boto3

from tools.errors import SetupError
from tools.terraform_workspace import CHECKS, Workspace

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
CONTRACT = ROOT / "layers/webordinary/python/webordinary/platform/contract.json"
ENVIRONMENTS = ("dev", "prod")
KEY_VARIABLE = "TF_VAR_thread_secret"
PACKAGES = "lambda"

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


def show(workspace: Workspace, command: str, *, variables: Sequence[str] = (), auto_approve: bool = False) -> int:
    """Runs a command for a person to read and to answer; returns Terraform's exit code."""
    if command == "output":
        return workspace.show("output", *workspace.state_arguments())
    approval = ["-auto-approve"] if auto_approve and command != "plan" else []
    given = [argument for variable in variables for argument in ("-var", variable)]
    return workspace.show(command, *approval, *workspace.variables({}), *given)


def require_packages(target: str, variables: Sequence[str] = ()) -> None:
    """Raises unless the packages of a target are there, or variables say that they are elsewhere."""
    elsewhere = any(variable.startswith("package_dir=") for variable in variables)
    if not elsewhere and not any((ROOT / "build" / target / "functions").glob("*.zip")):
        raise PackagesMissingError(ROOT / "build" / target, target)


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return _carry_out(options)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.terraform", description="Runs Terraform for one environment."
    )
    parser.add_argument("command", choices=["init", "plan", "apply", "destroy", "output", "validate", "test"])
    parser.add_argument("--env", choices=ENVIRONMENTS, default="dev", dest="environment")
    parser.add_argument("--var", action="append", default=[], metavar="NAME=VALUE", help="a variable's value")
    parser.add_argument("--auto-approve", action="store_true", help="do not ask before a change")
    return parser


def _carry_out(options: argparse.Namespace) -> int:
    if options.command == "validate":
        return init(CHECKS).show("validate")
    if options.command == "test":
        return init(CHECKS).show("test", "-var", f"package_dir={_placeholders()}")
    _require_credentials(options.environment)
    if options.command in ("plan", "apply", "destroy"):
        _require_thread_secret(options)
        require_packages(PACKAGES, options.var)
    workspace = init(options.environment)
    if options.command == "init":
        return 0
    return show(workspace, options.command, variables=options.var, auto_approve=options.auto_approve)


def _placeholders() -> Path:
    """Packages without content: Terraform's own tests only look at their names."""
    contract = json.loads(CONTRACT.read_text(encoding="utf-8"))
    names = [f"functions/{name}.zip" for name in contract["functions"]]
    for name in [*names, "layers/dependencies.zip", "layers/webordinary.zip", "edge/origin_response.zip"]:
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


if __name__ == "__main__":
    sys.exit(main())

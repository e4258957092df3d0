"""The one way in which Terraform is run here: the right provider, the right state, nothing left in terraform/.

    python -m tools.terraform plan|apply|destroy|output|init|drift --env dev|prod [--var name=value]
    python -m tools.terraform validate|test

`plan` keeps what it found, and the next `apply` carries out exactly that; without a kept plan it plans and asks. What
it needs of the account besides (the image that was pushed, the secrets) is read from where `make bootstrap` and
`make push` have put it.

Terraform runs in a folder below .cache/terraform that links to the real files, where it keeps what it downloads. The
environment `local` needs an emulator and is run by `local.stack.terraform`, which uses what is here.
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

from tools import after_destroy
from tools.environment import Environment
from tools.errors import SetupError
from tools.saved_plan import SavedPlan
from tools.terraform_workspace import CHECKS, TerraformWorkspace

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
CONTRACT = ROOT / "layers/webordinary/python/webordinary/contract/contract.json"
ENVIRONMENTS = ("dev", "prod")
PACKAGES = "lambda"

OnLine = Callable[[str], None]


class NoCredentialsError(SetupError):
    def __init__(self, environment: str) -> None:
        super().__init__(
            f"No AWS credentials were found, so nothing was done for {environment}. "
            "Sign in (aws sso login), or set AWS_PROFILE or AWS_ACCESS_KEY_ID, and try again; "
            "ENV=local needs none."
        )


class NotBootstrappedError(SetupError):
    def __init__(self, environment: str, missing: str) -> None:
        super().__init__(
            f"{environment} has no {missing} yet, so nothing was done. See make bootstrap ENV={environment}."
        )


class ImageMissingError(SetupError):
    def __init__(self, environment: str) -> None:
        super().__init__(
            f"No image was pushed to {environment} yet. Build and push it: make image push ENV={environment}"
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
) -> TerraformWorkspace:
    """Makes the environment's folder ready. Quick when nothing changed since the last time."""
    workspace = TerraformWorkspace(ROOT, CACHE / "terraform" / environment, environment, endpoint, state_dir)
    workspace.prepare(on_line)
    return workspace


def show(
    workspace: TerraformWorkspace, command: str, *, variables: Sequence[str] = (), auto_approve: bool = False
) -> int:
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
    commands = ["init", "plan", "apply", "destroy", "output", "drift", "validate", "test"]
    parser.add_argument("command", choices=commands)
    parser.add_argument("--env", choices=ENVIRONMENTS, default="dev", dest="environment")
    parser.add_argument("--var", action="append", default=[], metavar="NAME=VALUE", help="a variable's value")
    parser.add_argument("--auto-approve", action="store_true", help="do not ask before a change")
    return parser


def _carry_out(options: argparse.Namespace) -> int:
    if options.command == "validate":
        # Not the tests: a module that is tested alone has no provider of its own there. `test` looks at them.
        return init(CHECKS).show("validate", "-no-tests")
    if options.command == "test":
        return init(CHECKS).show("test", "-var", f"package_dir={_placeholders()}")
    _require_credentials(options.environment)
    if options.command in ("plan", "apply", "destroy", "drift"):
        _take_from_the_account(Environment.load(options.environment), options.var)
        require_packages(PACKAGES, options.var)
    workspace = init(options.environment)
    if options.command == "init":
        return 0
    kept = SavedPlan(workspace.folder, ROOT / "build" / PACKAGES)
    if options.command == "plan":
        return kept.plan(workspace, options.var)
    if options.command == "apply" and kept.exists and not options.var:
        return kept.apply(workspace)
    if options.command == "drift":
        return drift(workspace, options.var)
    status = show(workspace, options.command, variables=options.var, auto_approve=options.auto_approve)
    if options.command == "destroy" and status == 0:
        after_destroy.clear(Environment.load(options.environment), print)
    return status


def _placeholders() -> Path:
    """Packages without content: Terraform's own tests only look at their names."""
    contract = json.loads(CONTRACT.read_text(encoding="utf-8"))
    names = [f"functions/{name}.zip" for name in contract["functions"]]
    layers = [f"layers/{layer}.zip" for layer in ("chromium", "dependencies", "webordinary")]
    edge = ["edge/origin_response.zip", "edge/load_balancer_target.zip"]
    for name in [*names, *layers, *edge]:
        file = CACHE / "terraform/placeholders" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return CACHE / "terraform/placeholders"


def _require_credentials(environment: str) -> None:
    if boto3.Session().get_credentials() is None:
        raise NoCredentialsError(environment)


def drift(workspace: TerraformWorkspace, variables: Sequence[str]) -> int:
    """Tells what was changed on AWS without Terraform: 0 for nothing, 2 for something."""
    given = [argument for variable in variables for argument in ("-var", variable)]
    arguments = ["-detailed-exitcode", "-lock=false", *workspace.variables({}), *given]
    status = workspace.show("plan", *arguments)
    print("Nothing has drifted." if status == 0 else "What is on AWS is not what is written here.")
    return status


def _take_from_the_account(environment: Environment, given: Sequence[str]) -> None:
    """What bootstrap and push have put into the account, as variables, unless somebody gave others."""
    named = {variable.partition("=")[0] for variable in given}
    for name, find in FROM_THE_ACCOUNT.items():
        variable = f"TF_VAR_{name}"
        if name not in named and not os.environ.get(variable):
            os.environ[variable] = find(environment)


def _thread_secret(environment: Environment) -> str:
    secret = environment.parameter(environment.thread_secret_parameter)
    if secret is None:
        raise NotBootstrappedError(environment.name, "key that signs reply addresses")
    return secret


def _worker_image(environment: Environment) -> str:
    image = environment.parameter(environment.image_parameter)
    if image is None:
        raise ImageMissingError(environment.name)
    return image


def _model_key_arn(environment: Environment) -> str:
    partition = boto3.Session().get_partition_for_region(environment.region)
    place = f"arn:{partition}:ssm:{environment.region}:{environment.account()}:parameter"
    return f"{place}{environment.model_key_parameter}"


FROM_THE_ACCOUNT: dict[str, Callable[[Environment], str]] = {
    "thread_secret": _thread_secret,
    "worker_image": _worker_image,
    "anthropic_api_key_arn": _model_key_arn,
}


if __name__ == "__main__":
    sys.exit(main())

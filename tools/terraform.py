"""Runs Terraform with the right provider and state, and without files left in terraform/.

    python -m tools.terraform ready|plan|apply|destroy|output|init|drift --env dev|prod [--var name=value]
    python -m tools.terraform validate
    python -m tools.terraform test [--only file]

`ready` checks credentials, and what bootstrap and push stored, before anything is built. `plan` saves the plan, and the
next `apply` executes it; without a saved plan, `apply` plans and asks for confirmation.
The image and the secrets are read from the parameters that `make bootstrap` and `make push` store in the account.

Terraform runs in a folder under .cache/terraform that links to the real files and holds its downloads. The environment
`local` needs an emulator; `local.stack.terraform` runs it with this module.
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
            f"No AWS credentials found; nothing was done for {environment}. "
            "Sign in (aws sso login), or set AWS_PROFILE or AWS_ACCESS_KEY_ID, and try again. "
            "ENV=local needs no credentials."
        )


class NotBootstrappedError(SetupError):
    def __init__(self, environment: str, missing: str) -> None:
        super().__init__(
            f"The {missing} of {environment} is missing; nothing was done. Run make bootstrap ENV={environment}."
        )


class ImageMissingError(SetupError):
    def __init__(self, environment: str) -> None:
        super().__init__(
            f"No worker image has been pushed to {environment} yet. Run make image push ENV={environment}."
        )


class PackagesMissingError(SetupError):
    def __init__(self, folder: Path, target: str) -> None:
        super().__init__(f"No packages found in {folder}. Build them with: make package TARGET={target}")


def apply(
    environment: str = "local",
    *,
    endpoint: str | None = None,
    state_dir: Path | None = None,
    variables: Mapping[str, Any] | None = None,
    on_line: OnLine = lambda _: None,
) -> dict[str, Any]:
    """Applies without confirmation and returns the outputs. `state_dir` holds a local state."""
    workspace = init(environment, endpoint=endpoint, state_dir=state_dir, on_line=on_line)
    apply_in(workspace, variables or {}, on_line)
    return workspace.outputs()


def apply_in(workspace: TerraformWorkspace, variables: Mapping[str, Any], on_line: OnLine) -> list[str]:
    """Applies a prepared workspace without confirmation; returns the lines of Terraform's output."""
    lines: list[str] = []

    def keep(line: str) -> None:
        lines.append(line)
        on_line(line)

    workspace.run("apply", "-auto-approve", "-no-color", *workspace.variables(variables), on_line=keep)
    return lines


def init(
    environment: str = "local",
    *,
    endpoint: str | None = None,
    state_dir: Path | None = None,
    on_line: OnLine = lambda _: None,
) -> TerraformWorkspace:
    """Prepares the environment's folder. Skips `terraform init` if nothing has changed."""
    workspace = TerraformWorkspace(ROOT, CACHE / "terraform" / environment, environment, endpoint, state_dir)
    workspace.prepare(on_line)
    return workspace


def show(
    workspace: TerraformWorkspace, command: str, *, variables: Sequence[str] = (), auto_approve: bool = False
) -> int:
    """Runs a command at the terminal; returns Terraform's exit code."""
    if command == "output":
        return workspace.show("output", *workspace.state_arguments())
    approval = ["-auto-approve"] if auto_approve and command != "plan" else []
    given = [argument for variable in variables for argument in ("-var", variable)]
    return workspace.show(command, *approval, *workspace.variables({}), *given)


def require_packages(target: str, variables: Sequence[str] = ()) -> None:
    """Raises if the packages of a target are missing, unless `package_dir` is set."""
    is_set = any(variable.startswith("package_dir=") for variable in variables)
    if not is_set and not any((ROOT / "build" / target / "functions").glob("*.zip")):
        raise PackagesMissingError(ROOT / "build" / target, target)


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.terraform", description="Runs Terraform for one environment."
    )
    commands = ["ready", "init", "plan", "apply", "destroy", "output", "drift", "validate", "test"]
    parser.add_argument("command", choices=commands)
    parser.add_argument("--env", choices=ENVIRONMENTS, default="dev", dest="environment")
    parser.add_argument(
        "--var", action="append", default=[], metavar="NAME=VALUE", help="value of a variable; repeatable"
    )
    parser.add_argument("--only", action="append", default=[], metavar="FILE", help="a file of tests; repeatable")
    parser.add_argument("--auto-approve", action="store_true", help="skip the confirmation")
    return parser


def _run(options: argparse.Namespace) -> int:
    if options.command == "validate":
        # -no-tests: modules under test have no provider configuration. `test` validates them.
        return init(CHECKS).show("validate", "-no-tests")
    if options.command == "test":
        files = [f"-filter=tests/{name}.tftest.hcl" for name in options.only]
        return init(CHECKS).show("test", *files, "-var", f"package_dir={_placeholders()}")
    _require_credentials(options.environment)
    if options.command in ("ready", "plan", "apply", "destroy", "drift"):
        _set_account_variables(Environment.load(options.environment), options.var)
        if options.command == "ready":
            return 0
        require_packages(PACKAGES, options.var)
    workspace = init(options.environment)
    if options.command == "init":
        return 0
    saved = SavedPlan(workspace.folder, ROOT / "build" / PACKAGES)
    if options.command == "plan":
        return saved.plan(workspace, options.var)
    if options.command == "apply" and saved.exists and not options.var:
        return _and_next_step(saved.apply(workspace), workspace)
    if options.command == "drift":
        return drift(workspace, options.var)
    status = show(workspace, options.command, variables=options.var, auto_approve=options.auto_approve)
    if options.command == "apply":
        return _and_next_step(status, workspace)
    if options.command == "destroy" and status == 0:
        after_destroy.remove_unmanaged(Environment.load(options.environment), print)
    return status


def _and_next_step(status: int, workspace: TerraformWorkspace) -> int:
    if status == 0:
        print(next_step(workspace.outputs()))
    return status


def next_step(outputs: Mapping[str, Any]) -> str:
    """The DNS records to add after an apply, and what to do then."""
    records = [*(outputs.get("dns_records") or []), *(outputs.get("site_dns_records") or [])]
    step = outputs.get("next_step") or f"Next: make doctor ENV={outputs.get('environment', 'dev')}"
    lines = [f"  {record['name']}  {record['type']}  {record['value']}" for record in records]
    return "\n".join(["", *(["DNS records to add, unless they exist:", *lines, ""] if lines else []), step])


def _placeholders() -> Path:
    """Empty packages: Terraform's tests only need their names."""
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
    """Reports changes made on AWS outside Terraform: returns 0 for none, 2 for some."""
    given = [argument for variable in variables for argument in ("-var", variable)]
    arguments = ["-detailed-exitcode", "-lock=false", *workspace.variables({}), *given]
    status = workspace.show("plan", *arguments)
    print("No drift." if status == 0 else "Drift found: the resources on AWS differ from the configuration.")
    return status


def _set_account_variables(environment: Environment, given: Sequence[str]) -> None:
    """Sets the variables that bootstrap and push stored in the account, unless they are given."""
    named = {variable.partition("=")[0] for variable in given}
    for name, find in ACCOUNT_VARIABLES.items():
        if name == "anthropic_api_key_arn" and not environment.needs_model_key:
            continue
        variable = f"TF_VAR_{name}"
        if name in named or os.environ.get(variable):
            continue
        if (value := find(environment)) is not None:
            os.environ[variable] = value


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


def _model_key_arn(environment: Environment) -> str | None:
    """None if no key is stored: ECS could not start a task that refers to a missing parameter."""
    if not environment.has_parameter(environment.model_key_parameter):
        print(
            f"No Anthropic API key is stored as {environment.model_key_parameter}, so the workers get none. "
            f"Store it with make bootstrap ENV={environment.name}, then plan and apply again.",
            file=sys.stderr,
        )
        return None
    partition = boto3.Session().get_partition_for_region(environment.region)
    parameters = f"arn:{partition}:ssm:{environment.region}:{environment.account()}:parameter"
    return f"{parameters}{environment.model_key_parameter}"


ACCOUNT_VARIABLES: dict[str, Callable[[Environment], str | None]] = {
    "thread_secret": _thread_secret,
    "worker_image": _worker_image,
    "anthropic_api_key_arn": _model_key_arn,
}


if __name__ == "__main__":
    sys.exit(main())

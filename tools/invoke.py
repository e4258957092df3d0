"""`make invoke FN=claim [EVENT=file]`: runs one function alone in AWS's own runtime client, like `sam local invoke`.

The code is what lies in functions/ and layers/ right now. Its tables and queues are those of the local environment
(`make apply ENV=local`), which also says with which variables and timeout Terraform deployed it.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from local.aws import ACCOUNT, Emulated
from local.emulator.environment import lambda_environment
from local.emulator.functions import Invocation, Sandbox
from tools import package
from tools.background_emulator import BackgroundEmulator
from tools.errors import SetupError
from tools.package import DOMAIN_PACKAGE, FUNCTIONS, ROOT
from webordinary.names import Names

SAMPLE_MAIL = FUNCTIONS / "parse_email/sample-mail.eml"


class UnknownFunctionError(SetupError):
    def __init__(self, name: str) -> None:
        known = ", ".join(sorted(folder.parent.name for folder in FUNCTIONS.glob("*/handler.py")))
        super().__init__(f"There is no function '{name}'. Use one of: {known}.")


class UnreadableEventError(SetupError):
    def __init__(self, path: Path, why: object) -> None:
        super().__init__(f"The event {path} cannot be read as JSON: {why}. Give another file with EVENT=…")


class NotAppliedError(SetupError):
    def __init__(self) -> None:
        super().__init__(
            "There is no local environment to run against. Run make apply ENV=local first (under a minute)."
        )


@dataclass(frozen=True)
class Surroundings:
    """The applied environment that a function runs in."""

    aws: Emulated

    def sandbox(self, name: str, build: Path) -> Sandbox:
        """A place to run the function in, configured as Terraform deployed it."""
        names = Names("webordinary", ACCOUNT)
        try:
            deployed = self.aws.client("lambda").get_function_configuration(FunctionName=names.function(name))
        except self.aws.client("lambda").exceptions.ResourceNotFoundException:
            raise NotAppliedError from None
        self._store_sample_mail(names)
        own_packages = build / "installed" / name
        return Sandbox(
            task_root=FUNCTIONS / name,
            python_path=[
                DOMAIN_PACKAGE,
                *([own_packages] if own_packages.is_dir() else []),
                build / "installed/dependencies",
                build / "runtime",
            ],
            environment=lambda_environment(
                name=deployed["FunctionName"],
                variables=deployed["Environment"]["Variables"],
                memory_mb=deployed["MemorySize"],
                region=self.aws.region,
                endpoint=self.aws.endpoint,
            ),
            timeout=deployed["Timeout"],
            function_arn=deployed["FunctionArn"],
        )

    def _store_sample_mail(self, names: Names) -> None:
        key = names.object_prefix("raw_mail") + SAMPLE_MAIL.stem
        self.aws.client("s3").put_object(Bucket=names.bucket("raw_mail"), Key=key, Body=SAMPLE_MAIL.read_bytes())


def invoke(name: str, event_file: Path, surroundings: Surroundings, build: Path) -> Invocation:
    if not (FUNCTIONS / name / "handler.py").is_file():
        raise UnknownFunctionError(name)
    try:
        event = json.loads(event_file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UnreadableEventError(event_file, error) from error
    sandbox = surroundings.sandbox(name, build)
    try:
        return sandbox.invoke(event)
    finally:
        sandbox.close()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make invoke", description=__doc__.splitlines()[0])
    parser.add_argument("function", nargs="?", default="", help="the function's folder name")
    parser.add_argument("event", nargs="?", type=Path, help="a JSON file (default: the function's event.json)")
    parser.add_argument("--endpoint", help="the emulator (default: the one of make apply ENV=local)")
    options = parser.parse_args(arguments)
    build = ROOT / "build/local"
    try:
        package.package(package.TARGETS["local"], build)
        endpoint = options.endpoint or _running_endpoint()
        event_file = options.event or FUNCTIONS / options.function / "event.json"
        invocation = invoke(options.function, event_file, Surroundings(Emulated(endpoint)), build)
    except (SetupError, package.PackagingError) as error:
        print(error, file=sys.stderr)
        return 1
    print(invocation.log_text, end="", file=sys.stderr)
    print(json.dumps(json.loads(invocation.payload), indent=2, ensure_ascii=False))
    return 1 if invocation.error else 0


def _running_endpoint() -> str:
    emulator = BackgroundEmulator(ROOT / ".cache/local", ROOT).running()
    if emulator is None:
        raise NotAppliedError
    return emulator.endpoint


if __name__ == "__main__":
    sys.exit(main())

"""`make invoke FN=claim [EVENT=file]`: runs one function alone in AWS's own runtime client, like `sam local invoke`.

The code is what lies in functions/ and layers/ right now. Its tables and queues are those of the local environment
(`make apply ENV=local`), which also says with which variables and timeout Terraform deployed it. Where none is running,
one is made for this call and thrown away.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from local.aws import ACCOUNT, Emulated
from local.emulator.environment import lambda_environment
from local.emulator.functions import Invocation, Sandbox
from local.emulator.process import EmulatorFailedError, EmulatorProcess
from tools import package, terraform
from tools.background_emulator import BackgroundEmulator
from tools.errors import SetupError
from tools.package import DOMAIN_PACKAGE, FUNCTIONS, ROOT
from webordinary.platform.names import Names

SAMPLE_MAIL = FUNCTIONS / "parse_email/sample-mail.eml"


FOR_THIS_CALL = (
    "No local environment is running, so one is made for this call (under a minute). "
    "make apply ENV=local keeps one, and the next call takes a second."
)


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


def check(name: str, event_file: Path) -> object:
    """The event, if there is such a function and such a file."""
    if not (FUNCTIONS / name / "handler.py").is_file():
        raise UnknownFunctionError(name)
    try:
        return json.loads(event_file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UnreadableEventError(event_file, error) from error


def invoke(name: str, event_file: Path, surroundings: Surroundings, build: Path) -> Invocation:
    event = check(name, event_file)
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
    event_file = options.event or FUNCTIONS / options.function / "event.json"
    try:
        check(options.function, event_file)
        package.package(package.TARGETS["local"], build)
        with _environment(options.endpoint, build) as endpoint:
            invocation = invoke(options.function, event_file, Surroundings(Emulated(endpoint)), build)
    except (SetupError, EmulatorFailedError, package.PackagingError) as error:
        print(error, file=sys.stderr)
        return 1
    print(invocation.log_text, end="", file=sys.stderr)
    print(json.dumps(json.loads(invocation.payload), indent=2, ensure_ascii=False))
    return 1 if invocation.error else 0


@contextlib.contextmanager
def _environment(endpoint: str | None, build: Path) -> Iterator[str]:
    """An emulator with everything applied: the one that was named, the one that is running, or one for this call."""
    running = BackgroundEmulator(ROOT / ".cache/local", ROOT).running()
    if endpoint or running:
        yield endpoint or (running.endpoint if running else "")
        return
    print(FOR_THIS_CALL, file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="webordinary-") as folder:
        state_dir, variables = Path(folder), {"package_dir": str(build)}
        with EmulatorProcess(state=state_dir / "emulator", runtime=build / "runtime") as emulator:
            terraform.apply("local", endpoint=emulator.endpoint, state_dir=state_dir, variables=variables)
            yield emulator.endpoint


if __name__ == "__main__":
    sys.exit(main())

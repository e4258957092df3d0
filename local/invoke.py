"""`make invoke FN=claim [EVENT=file]`: runs one function in AWS's own runtime client, like `sam local invoke`.

Runs the current code in functions/ and layers/ against the tables and queues of the local environment
(`make apply ENV=local`), with the variables and the timeout that Terraform deployed. Without a running environment, a
temporary one is created for the call.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from local.aws import ACCOUNT, EmulatedAws
from local.domain import Names, attachment_part_key, open_mail
from local.emulator.environment import lambda_environment
from local.emulator.functions import Invocation, Sandbox
from local.errors import LocalError
from local.paths import BUILD, RUNS
from local.stack import example_projects
from local.stack.background_emulator import BackgroundEmulator
from local.stack.terraform import temporary_environment
from tools.errors import SetupError
from tools.package import DOMAIN_PACKAGE, FUNCTIONS, TARGETS, package

SAMPLE_MAIL = FUNCTIONS / "parse_email/sample-mail.eml"
NAMES = Names("webordinary", ACCOUNT)

TEMPORARY_ENVIRONMENT = (
    "No local environment is running: creating a temporary one (under a minute). "
    "make apply ENV=local keeps one running; calls then take a second."
)


class UnknownFunctionError(LocalError):
    def __init__(self, name: str) -> None:
        known = ", ".join(sorted(folder.parent.name for folder in FUNCTIONS.glob("*/handler.py")))
        super().__init__(f"Unknown function '{name}'. Use one of: {known}.")


class UnreadableEventError(LocalError):
    def __init__(self, path: Path, why: object) -> None:
        super().__init__(f"The event {path} is not valid JSON: {why}. Pass another file with EVENT=…")


class NotAppliedError(LocalError):
    def __init__(self) -> None:
        super().__init__(
            "The function is not deployed at this endpoint. Run make apply ENV=local first (under a minute)."
        )


def read_event(name: str, event_file: Path) -> object:
    """Raises if the function or the file does not exist, or if the file is not JSON."""
    if not (FUNCTIONS / name / "handler.py").is_file():
        raise UnknownFunctionError(name)
    try:
        return json.loads(event_file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UnreadableEventError(event_file, error) from error


def invoke(name: str, event_file: Path, aws: EmulatedAws) -> Invocation:
    event = read_event(name, event_file)
    sandbox = _sandbox(name, aws)
    _store_sample_mail(aws)
    try:
        return sandbox.invoke(event)
    finally:
        sandbox.close()


def _sandbox(name: str, aws: EmulatedAws) -> Sandbox:
    """A sandbox configured as Terraform deployed the function."""
    functions = aws.client("lambda")
    try:
        deployed = functions.get_function_configuration(FunctionName=NAMES.function(name))
    except functions.exceptions.ResourceNotFoundException:
        raise NotAppliedError from None
    own_packages = BUILD / "installed" / name
    return Sandbox(
        task_root=FUNCTIONS / name,
        python_path=[
            DOMAIN_PACKAGE,
            *([own_packages] if own_packages.is_dir() else []),
            BUILD / "installed/dependencies",
            BUILD / "installed/chromium",
            BUILD / "runtime",
        ],
        environment=lambda_environment(
            name=deployed["FunctionName"],
            variables=deployed["Environment"]["Variables"],
            memory_mb=deployed["MemorySize"],
            region=aws.region,
            endpoint=aws.endpoint,
        ),
        timeout=deployed["Timeout"],
        function_arn=deployed["FunctionArn"],
    )


def _store_sample_mail(aws: EmulatedAws) -> None:
    """Stores what the sample events refer to: the example projects, the mail, and its attachments."""
    example_projects.add(aws)
    opened = open_mail(SAMPLE_MAIL.read_bytes())
    objects = {NAMES.object_prefix("raw_mail") + SAMPLE_MAIL.stem: SAMPLE_MAIL.read_bytes()}
    for attachment in opened.read().attachments:
        objects[attachment_part_key(SAMPLE_MAIL.stem, attachment.index)] = opened.content(attachment)
    for key, body in objects.items():
        aws.client("s3").put_object(Bucket=NAMES.bucket("raw_mail"), Key=key, Body=body)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make invoke", description=__doc__.splitlines()[0])
    parser.add_argument("function", nargs="?", default="", help="the function's folder name")
    parser.add_argument("event", nargs="?", type=Path, help="a JSON file (default: the function's event.json)")
    parser.add_argument("--endpoint", help="the emulator (default: the one of make apply ENV=local)")
    options = parser.parse_args(arguments)
    event_file = options.event or FUNCTIONS / options.function / "event.json"
    try:
        read_event(options.function, event_file)
        package(TARGETS["local"], BUILD)
        with _environment(options.endpoint) as endpoint:
            invocation = invoke(options.function, event_file, EmulatedAws(endpoint))
    except (LocalError, SetupError) as error:
        print(error, file=sys.stderr)
        return 1
    print(invocation.log_text, end="", file=sys.stderr)
    print(json.dumps(json.loads(invocation.payload), indent=2, ensure_ascii=False))
    return 1 if invocation.error else 0


@contextlib.contextmanager
def _environment(endpoint: str | None) -> Iterator[str]:
    """The endpoint of an applied environment: the given one, the running one, or a temporary one."""
    running = BackgroundEmulator(RUNS).running()
    if endpoint or running:
        yield endpoint or (running.endpoint if running else "")
        return
    print(TEMPORARY_ENVIRONMENT, file=sys.stderr, flush=True)
    with temporary_environment() as temporary:
        yield temporary


if __name__ == "__main__":
    sys.exit(main())

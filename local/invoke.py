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
from local.stack.terraform import applied_for_now
from tools.errors import SetupError
from tools.package import DOMAIN_PACKAGE, FUNCTIONS, TARGETS, package

SAMPLE_MAIL = FUNCTIONS / "parse_email/sample-mail.eml"
NAMES = Names("webordinary", ACCOUNT)

FOR_THIS_CALL = (
    "No local environment is running, so one is made for this call (under a minute). "
    "make apply ENV=local keeps one, and the next call takes a second."
)


class UnknownFunctionError(LocalError):
    def __init__(self, name: str) -> None:
        known = ", ".join(sorted(folder.parent.name for folder in FUNCTIONS.glob("*/handler.py")))
        super().__init__(f"There is no function '{name}'. Use one of: {known}.")


class UnreadableEventError(LocalError):
    def __init__(self, path: Path, why: object) -> None:
        super().__init__(f"The event {path} cannot be read as JSON: {why}. Give another file with EVENT=…")


class NotAppliedError(LocalError):
    def __init__(self) -> None:
        super().__init__(
            "There is no local environment to run against. Run make apply ENV=local first (under a minute)."
        )


def check(name: str, event_file: Path) -> object:
    """The event, if there is such a function and such a file."""
    if not (FUNCTIONS / name / "handler.py").is_file():
        raise UnknownFunctionError(name)
    try:
        return json.loads(event_file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UnreadableEventError(event_file, error) from error


def invoke(name: str, event_file: Path, aws: EmulatedAws) -> Invocation:
    event = check(name, event_file)
    sandbox = _sandbox(name, aws)
    _store_sample_mail(aws)
    try:
        return sandbox.invoke(event)
    finally:
        sandbox.close()


def _sandbox(name: str, aws: EmulatedAws) -> Sandbox:
    """A place to run the function in, configured as Terraform deployed it."""
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
    """The mail and the website that the sample events speak of, and the attachments as parse_email leaves them."""
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
        check(options.function, event_file)
        package(TARGETS["local"], BUILD)
        with _applied(options.endpoint) as endpoint:
            invocation = invoke(options.function, event_file, EmulatedAws(endpoint))
    except (LocalError, SetupError) as error:
        print(error, file=sys.stderr)
        return 1
    print(invocation.log_text, end="", file=sys.stderr)
    print(json.dumps(json.loads(invocation.payload), indent=2, ensure_ascii=False))
    return 1 if invocation.error else 0


@contextlib.contextmanager
def _applied(endpoint: str | None) -> Iterator[str]:
    """An emulator with everything applied: the one that was named, the one that is running, or one for this call."""
    running = BackgroundEmulator(RUNS).running()
    if endpoint or running:
        yield endpoint or (running.endpoint if running else "")
        return
    print(FOR_THIS_CALL, file=sys.stderr, flush=True)
    with applied_for_now() as endpoint_for_now:
        yield endpoint_for_now


if __name__ == "__main__":
    sys.exit(main())

"""Cold start of each function, against a bare handler with one boto3 client.

The goal is at most 1.3 times, and 1.1 for functions on the way of a mail. Both run in the Lambda runtime client from
the deployed packages, compiled beforehand. The start ends when the runtime requests the first event; by then a
function has created its clients, up to three. Processor time is compared: nearly all of a start is computing, and
other processes of the machine do not change it.
"""

from __future__ import annotations

import json
import statistics
import tempfile
from pathlib import Path
from typing import NamedTuple

from local.emulator.environment import lambda_environment
from local.emulator.functions import Sandbox
from tools.package import DOMAIN_PACKAGE, FUNCTIONS, ROOT
from webordinary.contract.values import contract

BUILD = ROOT / "build/local"
ROUNDS = range(8)
BARE = "import boto3\n\nclient = boto3.client('dynamodb')\n\n\ndef handler(event, context):\n    return None\n"
VARIABLES = {
    "WEBORDINARY_ACCOUNT": "123456789012",
    "WEBORDINARY_TIMING": json.dumps(contract()["timing"]),  # as Terraform sets it
    "WEBORDINARY_STATE_MACHINE_ARN": "arn:aws:states:eu-west-1:123456789012:stateMachine:any",
    "WEBORDINARY_THREAD_SECRET_PARAMETER": "/any",
    "WEBORDINARY_MAIL_DOMAIN": "edit.example.com",
    "WEBORDINARY_REPLY_FROM": "edit@edit.example.com",
    "WEBORDINARY_CONFIGURATION_SET": "any",
    "WEBORDINARY_WORKER_ROLE_ARN": "arn:aws:iam::123456789012:role/worker",
    "WEBORDINARY_ACCESS_ROLE_ARN": "arn:aws:iam::123456789012:role/access",
    "WEBORDINARY_CLUSTER": "any",
    "WEBORDINARY_TASK_DEFINITION_ARN": "arn:aws:ecs:eu-west-1:123456789012:task-definition/any:1",
    "WEBORDINARY_SUBNET_IDS": '["any"]',
    "WEBORDINARY_SECURITY_GROUP_IDS": '["any"]',
    "WEBORDINARY_MAX_WORKERS": "3",
    "PYDANTIC_DISABLE_PLUGINS": "__all__",
    "POWERTOOLS_SERVICE_NAME": "bench",
}


class Start(NamedTuple):
    ms: float
    processor_ms: float


def run() -> list[tuple[str, float, str]]:
    with tempfile.TemporaryDirectory(prefix="webordinary-bench-") as folder:
        bare = Path(folder)
        (bare / "handler.py").write_text(BARE)
        return [row(handler.parent, bare) for handler in sorted(FUNCTIONS.glob("*/handler.py"))]


def row(function: Path, bare: Path) -> tuple[str, float, str]:
    """Alternates both, because the speed of a machine varies. The first starts compile and are not counted."""
    pairs = [(start(function, python_path(function.name)), start(bare, [BUILD / "runtime"])) for _ in ROUNDS][1:]
    ratios = sorted(mine.processor_ms / limit.processor_ms for mine, limit in pairs)
    mine, limit = (statistics.median(one.processor_ms for one in side) for side in zip(*pairs, strict=True))
    taken = statistics.median(one.ms for one, _ in pairs)
    return (
        function.name,
        statistics.median(ratios),
        f"{mine:.0f} ms of processor time, a bare handler {limit:.0f} ms ({ratios[0]:.2f} to {ratios[-1]:.2f}); "
        f"{taken:.0f} ms to start",
    )


def python_path(name: str) -> list[Path]:
    own = BUILD / "installed" / name
    packages = [own] if own.is_dir() else []
    return [DOMAIN_PACKAGE, *packages, BUILD / "installed/dependencies", BUILD / "runtime"]


def start(task_root: Path, path: list[Path]) -> Start:
    environment = lambda_environment(
        name="bench", region="eu-west-1", endpoint="http://127.0.0.1:9", variables=VARIABLES
    )
    sandbox = Sandbox(task_root=task_root, python_path=path, environment=environment, timeout=10)
    try:
        # An invalid event, which causes no AWS call.
        invocation = sandbox.invoke("not an event")
        if invocation.init_ms is None or invocation.init_processor_ms is None:
            raise RuntimeError(f"The function in {task_root.name} did not start: {invocation.log_text}")
        return Start(invocation.init_ms, invocation.init_processor_ms)
    finally:
        sandbox.close()

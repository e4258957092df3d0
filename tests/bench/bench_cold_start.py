"""Cold start of each function, against a bare handler with one boto3 client (goal: at most 1.1 times).

Both run in the Lambda runtime client from the deployed packages, compiled beforehand. The start ends when the runtime
requests the first event; by then a function has created all its clients, up to four.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

from local.emulator.environment import lambda_environment
from local.emulator.functions import Sandbox
from tools.package import DOMAIN_PACKAGE, FUNCTIONS, ROOT

BUILD = ROOT / "build/local"
ROUNDS = range(8)
BARE = "import boto3\n\nclient = boto3.client('dynamodb')\n\n\ndef handler(event, context):\n    return None\n"
VARIABLES = {
    "WEBORDINARY_ACCOUNT": "123456789012",
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


def run() -> list[tuple[str, float, str]]:
    with tempfile.TemporaryDirectory(prefix="webordinary-bench-") as folder:
        bare = Path(folder)
        (bare / "handler.py").write_text(BARE)
        return [row(handler.parent, bare) for handler in sorted(FUNCTIONS.glob("*/handler.py"))]


def row(function: Path, bare: Path) -> tuple[str, float, str]:
    """Alternates both, because the speed of a machine varies. The first starts compile and are not counted."""
    pairs = [(start_ms(function, python_path(function.name)), start_ms(bare, [BUILD / "runtime"])) for _ in ROUNDS]
    ratios = sorted(mine / limit for mine, limit in pairs[1:])
    mine, limit = (statistics.median(taken) for taken in zip(*pairs[1:], strict=True))
    spread = f"{ratios[0]:.2f} to {ratios[-1]:.2f}"
    return function.name, statistics.median(ratios), f"{mine:.0f} ms to start, a bare handler {limit:.0f} ms ({spread})"


def python_path(name: str) -> list[Path]:
    own = BUILD / "installed" / name
    packages = [own] if own.is_dir() else []
    return [DOMAIN_PACKAGE, *packages, BUILD / "installed/dependencies", BUILD / "runtime"]


def start_ms(task_root: Path, path: list[Path]) -> float:
    environment = lambda_environment(
        name="bench", region="eu-west-1", endpoint="http://127.0.0.1:9", variables=VARIABLES
    )
    sandbox = Sandbox(task_root=task_root, python_path=path, environment=environment, timeout=10)
    try:
        # An invalid event, which causes no AWS call.
        invocation = sandbox.invoke("not an event")
        if invocation.init_ms is None:
            raise RuntimeError(f"The function in {task_root.name} did not start: {invocation.log_text}")
        return invocation.init_ms
    finally:
        sandbox.close()

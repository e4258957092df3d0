"""Calls on the local stack are compared with the policies of their callers."""

from __future__ import annotations

import pytest

from tests.support.denied_calls import find_denied
from webordinary.contract.names import Names

NAMES = Names("webordinary", "123456789012")
INTAKE, BROKER, PAIR = "function.webordinary-intake.1", "function.webordinary-broker.2", "webordinary-worker-access"
SITES = NAMES.bucket("sites")


@pytest.mark.parametrize(
    ("caller", "call"),
    [
        (INTAKE, "states StartExecution"),
        (INTAKE, ""),  # the end of an invocation
        (BROKER, "dynamodb UpdateItem webordinary-workers"),
        (BROKER, "lambda invocations webordinary-fleet"),
        ("function.webordinary-control.1", "dynamodb Query webordinary-jobs/open-jobs"),
        ("function.webordinary-dispatch.1", "sqs SendMessage webordinary-input-bakery-ada.fifo"),
        ("function.webordinary-reply.1", "ses POST outbound-emails"),
        (PAIR, "sqs ReceiveMessage webordinary-interrupts-bakery-ada"),
        (PAIR, f"s3 PUT {SITES}"),
        (PAIR, f"s3 LIST {SITES}"),
        ("webordinary-worker-task", "lambda POST "),  # the URL of the broker
        ("other", "dynamodb Scan webordinary-jobs"),
    ],
)
def test_granted_call_is_found_in_the_policy(caller: str, call: str) -> None:
    assert find_denied([(caller, call)], NAMES) == []


@pytest.mark.parametrize(
    ("caller", "call"),
    [
        (INTAKE, "dynamodb GetItem webordinary-jobs"),
        (BROKER, "lambda invocations webordinary-reply"),
        ("function.webordinary-check-ownership.1", "dynamodb UpdateItem webordinary-container-ownership"),
        ("function.webordinary-control.1", "dynamodb Scan webordinary-jobs/open-jobs"),
        (PAIR, "dynamodb UpdateItem webordinary-workers"),
        (PAIR, f"s3 PUT {NAMES.bucket('raw_mail')}"),
        ("webordinary-worker-task", "sqs ReceiveMessage webordinary-unclaimed"),
    ],
)
def test_call_without_a_permission_is_reported(caller: str, call: str) -> None:
    (line,) = find_denied([(caller, call)] * 2, NAMES)

    assert line.endswith(f": {call}")

"""Counting of calls from the emulator's log."""

from __future__ import annotations

import pytest

from tests.load.call_counts import counted, shortener
from webordinary.contract.names import Names

NAMES = Names("webordinary", "123456789012")
INTAKE = "function.webordinary-intake.1"
WORKER = "webordinary-worker-access"


@pytest.mark.parametrize(
    ("full", "short"),
    [
        ("dynamodb GetItem webordinary-container-ownership", "dynamodb GetItem ownership"),
        ("dynamodb Query webordinary-jobs/open-jobs", "dynamodb Query jobs/open-jobs"),
        ("sqs SendMessage webordinary-input-bakery-shop-ada.fifo", "sqs SendMessage input"),
        ("sqs SendMessage webordinary-input-dlq.fifo", "sqs SendMessage input_dead_letters"),
        ("s3 PUT webordinary-sites-123456789012", "s3 PUT sites"),
        ("lambda invocations webordinary-fleet", "lambda invocations fleet"),
        ("s3 PUT other-sites-123456789012", "s3 PUT other-sites-123456789012"),
    ],
)
def test_names_of_the_deployment_are_replaced_by_kinds(full: str, short: str) -> None:
    assert shortener(NAMES)(full) == short


def test_calls_are_counted_by_invocation() -> None:
    call = "states StartExecution"
    found = counted([(INTAKE, call), (INTAKE, ""), (INTAKE, call), (INTAKE, call), (INTAKE, "")], NAMES)

    assert found.invocations == {"intake": [{call: 1}, {call: 2}]}
    assert (found.all("intake"), found.most("intake")) == ({call: 3}, {call: 2})


def test_interleaved_invocations_are_counted_separately() -> None:
    other = INTAKE.replace(".1", ".2")
    found = counted([(INTAKE, "a b"), (other, "c d"), (other, ""), (INTAKE, "")], NAMES)

    assert found.invocations == {"intake": [{"c d": 1}, {"a b": 1}]}


def test_invocation_without_calls_is_an_invocation() -> None:
    assert counted([(INTAKE, "")], NAMES).invocations == {"intake": [{}]}


def test_paced_calls_of_workers_and_calls_of_others_do_not_count() -> None:
    paced = [
        "sqs ReceiveMessage webordinary-input-bakery-ada.fifo",
        "sqs ReceiveMessage webordinary-interrupts-bakery-ada",
        "dynamodb UpdateItem webordinary-container-ownership",
        "lambda POST ",
    ]
    entries = [*((WORKER, call) for call in paced), ("other", "s3 PUT webordinary-sites-123456789012")]
    found = counted([*entries, (WORKER, "s3 PUT webordinary-sites-123456789012")], NAMES)

    assert found.worker == {"s3 PUT sites": 1}


def test_secrets_that_functions_read_again_do_not_count() -> None:
    assert counted([(INTAKE, "ssm GetParameter"), (INTAKE, "")], NAMES).invocations == {"intake": [{}]}

"""Fixtures for tests that need AWS: one emulator for the whole run, shared by all of them.

Because it is shared, a test takes names for what it creates from `unique`.
"""

import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from local.emulator.process import EmulatorProcess

RUNTIME = Path(__file__).resolve().parents[2] / "build" / "local" / "runtime"


class FunctionLines:
    """What functions printed, in the order in which it arrived."""

    def __init__(self) -> None:
        self.all: list[tuple[str, object]] = []

    def of(self, function: str) -> list[object]:
        return [line for source, line in self.all if source == f"function/{function}"]


@pytest.fixture(scope="session")
def function_lines() -> FunctionLines:
    return FunctionLines()


@pytest.fixture(scope="session")
def runtime() -> Path:
    if not (RUNTIME / "awslambdaric").is_dir():
        pytest.fail(f"There is no Lambda runtime in {RUNTIME}. Package the project first: `make package`.")
    return RUNTIME


@pytest.fixture(scope="session")
def emulator(
    tmp_path_factory: pytest.TempPathFactory, runtime: Path, function_lines: FunctionLines
) -> Iterator[EmulatorProcess]:
    state = tmp_path_factory.mktemp("emulator")

    def keep(source: str, line: object) -> None:
        function_lines.all.append((source, line))
        if source == "emulator":
            sys.stderr.write(f"{line}\n")

    with EmulatorProcess(state=state, runtime=runtime, on_output=keep) as running:
        yield running


@pytest.fixture(scope="session")
def unique() -> Callable[[str], str]:
    """Names that no other test uses."""
    numbers = itertools.count(1)
    return lambda kind: f"{kind}-{next(numbers)}"

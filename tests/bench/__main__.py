"""`make bench`: runs every benchmark and prints ratios against a peer or a limit of the same run.

Log lines of the measured parts go to a file. The durations of the last run are the estimate for the next, which is
printed first. `--write` writes the rows to docs/performance.md.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from tests.bench import figures

CACHE = Path(__file__).resolve().parents[2] / ".cache/bench"
FIRST_RUN_SECONDS = 120  # on average, of a benchmark that has not run on this machine yet
Rows = Callable[[], Iterable[figures.Row]]
Store = Callable[[str, Iterable[figures.Row], bool], None]


def main() -> int:
    selected = [name for name in sys.argv[1:] if name != "--write"]
    names = [file.stem.removeprefix("bench_") for file in sorted(Path(__file__).parent.glob("bench_*.py"))]
    wanted = [name for name in names if not selected or name in selected]
    status = run_all({name: _rows_of(name) for name in wanted}, CACHE, figures.store if "--write" in sys.argv else None)
    if "--write" in sys.argv:
        figures.write_page()
    return status


def run_all(benchmarks: Mapping[str, Rows], cache: Path, store: Store | None = None) -> int:
    """Runs the benchmarks. `cache` keeps the log and the durations; `store` keeps the rows."""
    cache.mkdir(parents=True, exist_ok=True)
    durations = cache / "seconds.json"
    known: dict[str, float] = json.loads(durations.read_text()) if durations.exists() else {}
    busy = figures.is_busy()  # before the benchmarks use the machine themselves
    with _output_in(cache / "output.log") as terminal:
        print(announcement(benchmarks, known), file=terminal)
        for number, (name, rows) in enumerate(benchmarks.items(), start=1):
            started = time.monotonic()
            found: list[figures.Row] = []
            print(f"\n{name.replace('_', ' ')} ({number} of {len(benchmarks)})", file=terminal)
            for what, ratio, explanation in rows():
                found.append((what, ratio, explanation))
                print(f"  {ratio:7.2f}  {what}: {explanation}", file=terminal)
            known[name] = round(time.monotonic() - started, 1)
            print(f"           ({known[name]:.0f} s)", file=terminal)
            durations.write_text(json.dumps(known))
            if store is not None:
                store(name, found, busy)
    return 0


def announcement(benchmarks: Iterable[str], known: Mapping[str, float]) -> str:
    names = list(benchmarks)
    new = sum(name not in known for name in names)
    seconds = sum(known.get(name, FIRST_RUN_SECONDS) for name in names)
    expected = f"{seconds / 60:.0f} minutes" if seconds >= FIRST_RUN_SECONDS else f"{seconds:.0f} seconds"
    basis = f"{new} for the first time here, counted as {FIRST_RUN_SECONDS} seconds each" if new else "as last time"
    return f"Benchmarks: {len(names)}. This takes about {expected} ({basis})."


def _rows_of(name: str) -> Rows:
    def rows() -> Iterable[tuple[str, float, str]]:
        found: Iterable[tuple[str, float, str]] = importlib.import_module(f"tests.bench.bench_{name}").run()
        return found

    return rows


@contextmanager
def _output_in(log: Path) -> Iterator[TextIO]:
    """Sends standard output, also of child processes, to a file; yields the former standard output."""
    sys.stdout.flush()
    former = os.dup(1)
    with os.fdopen(former, "w", buffering=1) as terminal, log.open("w") as file:
        os.dup2(file.fileno(), 1)
        try:
            yield terminal
        finally:
            sys.stdout.flush()
            os.dup2(former, 1)


if __name__ == "__main__":
    sys.exit(main())

"""`make bench`: runs every benchmark and prints ratios against a peer or a limit of the same run."""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path


def main() -> int:
    selected = sys.argv[1:]
    for file in sorted(Path(__file__).parent.glob("bench_*.py")):
        if selected and file.stem.removeprefix("bench_") not in selected:
            continue
        started = time.monotonic()
        print(f"\n{file.stem.removeprefix('bench_').replace('_', ' ')}")
        for name, ratio, explanation in importlib.import_module(f"tests.bench.{file.stem}").run():
            print(f"  {ratio:7.2f}  {name}: {explanation}")
        print(f"           ({time.monotonic() - started:.0f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())

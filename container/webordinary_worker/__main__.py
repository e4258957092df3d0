"""Runs a worker until it has served its pair or is stopped: `python -m webordinary_worker`."""

from __future__ import annotations

import sys

from webordinary.contract.errors import SettingsError
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.wiring import run_worker


def main() -> int:
    try:
        settings = WorkerSettings.load()
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if not (settings.slot and settings.launch_id):
        sys.stderr.write("WEBORDINARY_SLOT and WEBORDINARY_LAUNCH_ID are missing: only the fleet starts workers.\n")
        return 2
    run_worker(settings)
    return 0


if __name__ == "__main__":
    sys.exit(main())

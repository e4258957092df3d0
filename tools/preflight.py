"""`make preflight ENV=dev`: reads the quotas and states of an account before the first plan. It changes nothing.

Prints a checklist with the command for each point. Later, `make doctor` checks the deployment too.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tools.account_checks import ACCOUNT_CHECKS, ADVICE, Inspection
from tools.doctor import inspect


def next_command(inspection: Inspection) -> str:
    environment = inspection.environment
    return f"make {'doctor' if environment.has_state() else 'bootstrap'} ENV={environment.name}"


def main(arguments: Sequence[str] | None = None) -> int:
    return inspect("make preflight", (__doc__ or "").splitlines()[0], ACCOUNT_CHECKS, ADVICE, next_command, arguments)


if __name__ == "__main__":
    sys.exit(main())

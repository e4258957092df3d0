"""`make check`: runs every linter and type checker, also after a failure, and prints one line for each."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

from tools import statemachine
from tools.package import ROOT

COMMIT = re.compile(r"@[0-9a-f]{40}$")
ALLOWED_PERMISSIONS = {("contents", "read"), ("id-token", "write"), ("pull-requests", "write")}
TERRAFORM_FOLDERS = ("terraform", "local/terraform_overrides")


def run(*command: str) -> str | None:
    """Runs a program; returns its output if it failed, else None."""
    if shutil.which(command[0]) is None:
        return f"{command[0]} is not installed. Run make setup."
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return (finished.stdout + finished.stderr) if finished.returncode else None


def check_diagram() -> str | None:
    if statemachine.PICTURE.read_text(encoding="utf-8") == statemachine.draw():
        return None
    return "statemachine/README.md does not match the ASL. Run python -m tools.statemachine draw."


def check_terraform() -> str | None:
    return run(sys.executable, "-m", "tools.terraform", "validate")


def check_locks() -> str | None:
    """Every requirement of an .in file is in its lock file."""
    missing = []
    for wanted in [*ROOT.glob("*/requirements.in"), *ROOT.glob("*/*/requirements.in"), *ROOT.glob("requirements/*.in")]:
        if not wanted.is_relative_to(ROOT / ".venv"):
            missing += _not_locked(wanted)
    return "\n".join(missing) or None


def _not_locked(wanted: Path) -> list[str]:
    locked = wanted.with_suffix(".txt").read_text(encoding="utf-8")
    names = [
        re.split(r"[\[=<>~!;@ ]", line, maxsplit=1)[0].strip()
        for line in wanted.read_text(encoding="utf-8").splitlines()
    ]
    return [
        f"{name} is in {wanted.relative_to(ROOT)} but not in its lock file. Run make lock."
        for name in names
        if name and not name.startswith(("#", "-")) and f"\n{name}==" not in f"\n{locked}"
    ]


def check_workflows() -> str | None:
    """Workflows are valid YAML, pin every action by commit, and have read permissions unless a job needs more."""
    problems = []
    for file in sorted((ROOT / ".github/workflows").glob("*.yml")):
        workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
        if workflow.get("permissions") != {"contents": "read"}:
            problems.append(f"{file.name}: permissions must be contents: read.")
        for name, job in workflow["jobs"].items():
            wider = {right for right in job.get("permissions", {}).items() if right not in ALLOWED_PERMISSIONS}
            problems += [
                f"{file.name}: job {name} has the permission {scope}: {access}." for scope, access in sorted(wider)
            ]
            if ("id-token", "write") in job.get("permissions", {}).items() and "environment" not in job:
                problems.append(f"{file.name}: job {name} requests an AWS token but names no environment.")
        steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
        actions = [step["uses"] for step in steps if "uses" in step]
        problems += [f"{file.name}: {uses} is not pinned to a commit." for uses in actions if not COMMIT.search(uses)]
    return "\n".join(problems) or None


Checks = dict[str, Callable[[], str | None]]

TYPES: Checks = {
    "types: domain package": lambda: run("mypy", "layers/webordinary/python/webordinary"),
    "types: worker": lambda: run("mypy", "container/webordinary_worker"),
    "types: operator's command": lambda: run("mypy", "ops/webordinary_ops"),
    "types: local stack and tools": lambda: run("mypy", "local", "tools"),
    "types: functions and tests": lambda: run("mypy", "functions", "tests"),
}
OTHERS: Checks = {
    "python format": lambda: run("ruff", "format", "--check", "."),
    "python lint": lambda: run("ruff", "check", "."),
    "import rules": lambda: run("lint-imports", "--no-cache", "--no-logo"),
    "locked requirements": check_locks,
    "terraform format": lambda: run("terraform", "fmt", "-check", "-recursive", *TERRAFORM_FOLDERS),
    "terraform validate": check_terraform,
    "terraform module readmes": lambda: run(sys.executable, "-m", "tools.module_docs", "check"),
    "state machine lint": lambda: run(sys.executable, "-m", "tools.statemachine", "lint"),
    "state machine diagram": check_diagram,
    "dockerfile lint": lambda: run("hadolint", "container/Dockerfile"),
    "cost page": lambda: run(sys.executable, "-m", "tools.cost", "check"),
    "simulation page": lambda: run(sys.executable, "-m", "tools.simulation", "check"),
    "commit hooks": lambda: run("pre-commit", "validate-config"),
    "workflows": check_workflows,
}


def run_checks(checks: Checks) -> int:
    """Runs checks one after the other; returns the number of failures."""
    failed = 0
    for name, check in checks.items():
        started = time.monotonic()
        problem = check()
        seconds = time.monotonic() - started
        lines = [f"{'ok    ' if problem is None else 'FAILED'}  {name}  ({seconds:.1f} s)"]
        if problem is not None:
            failed += 1
            lines += [f"        {line}" for line in problem.strip().splitlines()]
        sys.stdout.write("\n".join([*lines, ""]))
        sys.stdout.flush()
    return failed


def main() -> int:
    groups = (TYPES, OTHERS)  # the mypy checks share a cache, so they run one after the other
    with ThreadPoolExecutor(len(groups)) as executor:
        failed = sum(executor.map(run_checks, groups))
    print(f"\n{sum(map(len, groups)) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

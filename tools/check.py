"""`make check`: every linter and type checker, one line each, all of them even if one fails."""

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
JOBS_MAY = {("contents", "read"), ("id-token", "write"), ("pull-requests", "write")}
TERRAFORM_FOLDERS = ("terraform", "local/terraform_overrides")


def run(*command: str) -> str | None:
    """Runs a program; what it printed if it failed, None if it is content."""
    if shutil.which(command[0]) is None:
        return f"{command[0]} is not installed. Run make setup; Terraform comes from https://developer.hashicorp.com/terraform."
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return (finished.stdout + finished.stderr) if finished.returncode else None


def picture_is_current() -> str | None:
    if statemachine.PICTURE.read_text(encoding="utf-8") == statemachine.draw():
        return None
    return "statemachine/README.md is older than the ASL. Run python -m tools.statemachine draw."


def terraform_is_valid() -> str | None:
    return run(sys.executable, "-m", "tools.terraform", "validate")


def locks_are_current() -> str | None:
    """Every requirement named in an .in file is in its lock."""
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
        f"{name} is in {wanted.relative_to(ROOT)} but not in its lock. Run make lock."
        for name in names
        if name and not name.startswith(("#", "-")) and f"\n{name}==" not in f"\n{locked}"
    ]


def workflows_are_sound() -> str | None:
    """The workflows are YAML, name every action by its commit, and may only read unless a job needs a token for AWS."""
    complaints = []
    for file in sorted((ROOT / ".github/workflows").glob("*.yml")):
        workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
        if workflow.get("permissions") != {"contents": "read"}:
            complaints.append(f"{file.name} may do more than read.")
        for name, job in workflow["jobs"].items():
            wider = {right for right in job.get("permissions", {}).items() if right not in JOBS_MAY}
            complaints += [f"{file.name}: the job {name} may {right} {of}." for of, right in sorted(wider)]
            if ("id-token", "write") in job.get("permissions", {}).items() and "environment" not in job:
                complaints.append(f"{file.name}: the job {name} gets a token for AWS without an environment's rules.")
        steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
        actions = [step["uses"] for step in steps if "uses" in step]
        complaints += [f"{file.name}: {uses} is no commit." for uses in actions if not COMMIT.search(uses)]
    return "\n".join(complaints) or None


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
    "locked requirements": locks_are_current,
    "terraform format": lambda: run("terraform", "fmt", "-check", "-recursive", *TERRAFORM_FOLDERS),
    "terraform validate": terraform_is_valid,
    "terraform module readmes": lambda: run(sys.executable, "-m", "tools.module_docs", "check"),
    "state machine lint": lambda: run(sys.executable, "-m", "tools.statemachine", "lint"),
    "state machine picture": picture_is_current,
    "dockerfile lint": lambda: run("hadolint", "container/Dockerfile"),
    "cost page": lambda: run(sys.executable, "-m", "tools.cost", "check"),
    "commit hooks": lambda: run("pre-commit", "validate-config"),
    "workflows": workflows_are_sound,
}


def carry_out(checks: Checks) -> int:
    """One after the other. Returns how many have failed."""
    failed = 0
    for name, check in checks.items():
        begun = time.monotonic()
        complaint = check()
        seconds = time.monotonic() - begun
        lines = [f"{'ok    ' if complaint is None else 'FAILED'}  {name}  ({seconds:.1f} s)"]
        if complaint is not None:
            failed += 1
            lines += [f"        {line}" for line in complaint.strip().splitlines()]
        sys.stdout.write("\n".join([*lines, ""]))
        sys.stdout.flush()
    return failed


def main() -> int:
    kinds = (TYPES, OTHERS)  # mypy's must not run at once, they share a cache
    with ThreadPoolExecutor(len(kinds)) as side_by_side:
        failed = sum(side_by_side.map(carry_out, kinds))
    print(f"\n{sum(map(len, kinds)) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

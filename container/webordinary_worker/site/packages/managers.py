"""Package managers: which one a site uses, and how each installs without running the site's code.

Managers other than npm are downloaded once from the registry, with the version and hash in `tools.json`. All run
without scripts, without child processes (such as git) and without the repository's configuration; `manifests` defines
which files they see.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

DEFAULT_REGISTRY = "https://registry.npmjs.org"
_NPM_OPTIONS = (
    "--ignore-scripts",
    "--allow-git=none",
    "--git=/bin/false",
    "--script-shell=/bin/false",
    "--userconfig=/nonexistent",  # npm rejects the same file twice
    "--globalconfig=/dev/null",
    "--install-links=false",
    "--include=dev",
    "--include=optional",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
)
_PNPM_OPTIONS = (
    "install",
    "--ignore-scripts",
    "--ignore-pnpmfile",
    "--prod=false",
    "--package-import-method=hardlink",
    "--reporter=append-only",
)
_YARN_1_OPTIONS = (
    "install",
    "--ignore-scripts",
    "--ignore-engines",
    "--no-default-rc",
    "--non-interactive",
    "--no-progress",
    "--production=false",
)
_BUN_OPTIONS = ("install", "--ignore-scripts", "--no-progress", "--no-summary")
_YARN_SETTINGS = {
    "YARN_ENABLE_SCRIPTS": "0",
    "YARN_ENABLE_TELEMETRY": "0",
    "YARN_IGNORE_PATH": "1",
    "YARN_NODE_LINKER": "node-modules",
    "YARN_ENABLE_GLOBAL_CACHE": "1",
    "YARN_ENABLE_PROGRESS_BARS": "0",
    "YARN_RC_FILENAME": ".webordinary-no-config.yml",
}
_PNPM_SETTINGS = {"npm_config_manage_package_manager_versions": "false", "pnpm_config_pm_on_fail": "ignore"}


@dataclass(frozen=True)
class ManagerTool:
    """The pinned program of a manager in the npm registry."""

    package: str
    version: str
    integrity: str
    program: str

    @property
    def needs_node(self) -> bool:
        return self.program.endswith("js")

    @property
    def folder(self) -> str:
        return f"{self.package.replace('/', '-').lstrip('@')}-{self.version}"


# For x86-64, Bun's baseline build: it runs on every such processor.
TOOLS = {
    name: ManagerTool(**facts) for name, facts in json.loads(Path(__file__).with_name("tools.json").read_text()).items()
}


@dataclass(frozen=True)
class Manager:
    """`attempts` are tried in order; any but the first may install other versions than the lock file."""

    name: str
    attempts: tuple[tuple[str, ...], ...]
    out_of_date: re.Pattern[str]
    tool: ManagerTool | None = None  # unset for npm: part of Node.js
    registry_option: str = "--registry="
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def version(self) -> str:
        return self.tool.version if self.tool else ""

    def options(self, attempt: tuple[str, ...], registry: str) -> list[str]:
        return [*attempt, *([f"{self.registry_option}{registry}"] if self.registry_option else [])]


NPM = Manager(
    "npm",
    (
        ("ci", *_NPM_OPTIONS),
        ("install", *_NPM_OPTIONS),
        ("install", "--legacy-peer-deps", *_NPM_OPTIONS),
    ),
    re.compile(r"\b(EUSAGE|ERESOLVE)\b|in sync"),
)


def _pnpm(tool: ManagerTool) -> Manager:
    return Manager(
        "pnpm",
        (
            (*_PNPM_OPTIONS, "--frozen-lockfile"),
            (*_PNPM_OPTIONS, "--no-frozen-lockfile", "--config.strict-peer-dependencies=false"),
        ),
        re.compile(r"ERR_PNPM_(OUTDATED_LOCKFILE|LOCKFILE|FROZEN|NO_LOCKFILE|PEER_DEP|BROKEN_LOCKFILE)"),
        tool,
        environment=_PNPM_SETTINGS,
    )


def _berry(tool: ManagerTool) -> Manager:
    return Manager(
        "yarn",
        (("install", "--immutable"), ("install", "--no-immutable")),
        re.compile(r"YN00(28|78)|lockfile would have been"),
        tool,
        registry_option="",
        environment=_YARN_SETTINGS,
    )


PNPM = {major: _pnpm(TOOLS[f"pnpm-{major}"]) for major in (8, 9, 10, 11)}
YARN = {
    1: Manager(
        "yarn",
        ((*_YARN_1_OPTIONS, "--frozen-lockfile"), (*_YARN_1_OPTIONS, "--no-lockfile")),
        re.compile(r"lockfile needs to be updated"),
        TOOLS["yarn-1"],
    ),
    3: _berry(TOOLS["yarn-3"]),
    4: _berry(TOOLS["yarn-4"]),
}
BUN = Manager(
    "bun",
    ((*_BUN_OPTIONS, "--frozen-lockfile"), _BUN_OPTIONS),
    re.compile(r"lockfile is frozen|lockfile had changes|Unknown lockfile version|(?i:outdated|invalid) lockfile"),
    TOOLS["bun-aarch64" if platform.machine() in ("aarch64", "arm64") else "bun-x86_64"],
)

# In order of precedence: a stray package-lock.json next to another lock file is a common mistake.
LOCKS = {
    "pnpm-lock.yaml": "pnpm",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "yarn.lock": "yarn",
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
}
_LOCKFILE_VERSION = re.compile(r"^lockfileVersion:\s*'?(\d+)", re.MULTILINE)
_BERRY_VERSION = re.compile(r"^__metadata:\s*\n\s+version:\s*(\d+)", re.MULTILINE)


def locks_in(folder: Path) -> list[str]:
    return [name for name in LOCKS if (folder / name).is_file()]


def manager_for(folder: Path, declared: str) -> tuple[Manager, str | None]:
    """The manager of a folder and its lock file. `declared` is `packageManager` of package.json, or empty."""
    name, _, rest = declared.partition("@")
    major = int(number[0]) if (number := re.match(r"\d+", rest)) else None
    locks = locks_in(folder)
    lock = next((lock for lock in locks if LOCKS[lock] == name), locks[0] if locks else None)
    kind = LOCKS[lock] if lock else name
    if kind != name:
        major = None
    text = (folder / lock).read_text(errors="replace") if lock in ("pnpm-lock.yaml", "yarn.lock") else ""
    if kind == "pnpm":
        return _choose_pnpm(major, text), lock
    if kind == "yarn":
        return _choose_yarn(major, text), lock
    return BUN if kind == "bun" else NPM, lock


def _choose_pnpm(major: int | None, lock: str) -> Manager:
    if major is None:
        version = _LOCKFILE_VERSION.search(lock)
        major = 8 if version and int(version[1]) < 9 else 10
    return PNPM[min(max(major, min(PNPM)), max(PNPM))]


def _choose_yarn(major: int | None, lock: str) -> Manager:
    version = _BERRY_VERSION.search(lock)
    if version is None:
        return YARN[1] if lock or major in (None, 1) else YARN[4]
    return YARN[4] if int(version[1]) >= 8 else YARN[3]

"""The report of a site check, as data and as text for the operator who onboards the site."""

from __future__ import annotations

import json
import re
import shlex

from pydantic import BaseModel, Field

from webordinary.contract.outcomes import Failure
from webordinary_worker.site.packages.managers import NPM

MAX_LINKS_SHOWN = 10
CLONE, SEVERAL_SITES = "clone", "several_sites"  # problems that only a check has
MEANINGS: dict[str, str] = {
    CLONE: "the repository cannot be cloned",
    SEVERAL_SITES: "the repository contains several sites; choose one",
    Failure.REPOSITORY_REFUSED: "the host of the repository denied access",
    Failure.NO_PACKAGE_FILES: "package.json is missing or invalid",
    Failure.PACKAGES_NOT_INSTALLED: "the packages cannot be installed",
    Failure.GIT_DEPENDENCY: "a dependency is a git repository; only packages from a registry are supported",
    Failure.BUILD_FAILED: "the build fails",
    Failure.BUILD_TIMED_OUT: "the build takes too long",
    Failure.NETWORK_REFUSED: "the build connects to a host that is not in build_hosts",
    Failure.LINK_LEAVES_SITE: "a symlink in the repository points outside of it",
    Failure.SITE_TOO_LARGE: "the site is too large",
    Failure.NO_PAGES: "the build creates no page for the root of the site",
    Failure.SERVER_RENDERED: "the pages need a server for each request; only static sites are supported",
}


class TextShare(BaseModel):
    kind: str
    share: float


class Edit(BaseModel):
    """A test edit: a heading changed in the source, and whether the built page shows it."""

    file: str
    page: str
    heading: str
    is_visible: bool


class Problem(BaseModel):
    code: str
    detail: str = ""


class SiteReport(BaseModel):
    repository: str
    problems: list[Problem] = Field(default_factory=list)
    folder: str = ""
    candidates: list[str] = Field(default_factory=list)
    manager: str = ""
    manager_version: str = ""
    lock: str | None = None
    lock_is_stale: bool = False
    adjustments: list[str] = Field(default_factory=list)  # packages installed in addition or in another version
    astro: str = ""
    adapter: str = ""
    base: str = "/"
    languages: list[str] = Field(default_factory=list)
    seconds: dict[str, float] = Field(default_factory=dict)
    pages: int = 0
    skipped_steps: list[str] = Field(default_factory=list)  # steps of the build script
    failed_setup: list[str] = Field(default_factory=list)  # failed postinstall steps
    server_routes: list[str] = Field(default_factory=list)
    broken_links: list[str] = Field(default_factory=list)
    remote_hosts: list[str] = Field(default_factory=list)
    blocked_hosts: list[str] = Field(default_factory=list)
    configured_hosts: list[str] = Field(default_factory=list)
    configured_values: dict[str, str] = Field(default_factory=dict)
    missing_variables: list[str] = Field(default_factory=list)  # read by the source, but not set
    submodules: list[str] = Field(default_factory=list)
    lfs_files: list[str] = Field(default_factory=list)
    texts: list[TextShare] = Field(default_factory=list)
    text_files: list[str] = Field(default_factory=list)
    content: list[str] = Field(default_factory=list)
    edit: Edit | None = None
    map: str = ""

    @property
    def works(self) -> bool:
        return not self.problems and self.pages > 0

    def add_problem(self, code: str, detail: str = "") -> None:
        self.problems.append(Problem(code=code, detail=detail))

    def suggested_settings(self) -> dict[str, object]:
        """Settings to change in the project's entry. Each includes its current values, because it is replaced."""
        changes: dict[str, object] = {}
        if self.folder:
            changes["folder"] = self.folder
        if self.blocked_hosts:
            changes["build_hosts"] = [*self.configured_hosts, *self.blocked_hosts]
        if needed := [name for name in self.missing_variables if self._is_in_error(name)]:
            changes["build_environment"] = {**self.configured_values, **dict.fromkeys(needed, "…")}
        return changes

    def _is_in_error(self, variable: str) -> bool:
        """Whether an error of the build names the variable."""
        return any(re.search(rf"\b{variable}\b", problem.detail) for problem in self.problems)

    def text(self, command: str = "projects change PROJECT") -> str:
        lines = [f"{self.repository}: {'works' if self.works else 'does not work yet'}"]
        for problem in self.problems:
            lines.append(f"  problem      {MEANINGS.get(problem.code, problem.code)} ({problem.code})")
            lines += [f"               {line}" for line in problem.detail.splitlines()]
        lines += self._facts()
        lines += [f"  note         {note}" for note in self._notes()]
        if entry := self.suggested_settings():
            settings = [f"--set {shlex.quote(f'{name}={_as_value(value)}')}" for name, value in entry.items()]
            lines.append(f"  run          webordinary {command} {' '.join(settings)}")
        return "\n".join(lines) + "\n"

    def _facts(self) -> list[str]:
        lock = f"{self.lock}{', out of date' if self.lock_is_stale else ''}" if self.lock else "no lock file"
        manager = f"{self.manager} {self.manager_version}".strip() or NPM.name
        texts = ", ".join(f"{text.kind} {text.share:.0%}" for text in self.texts)
        facts = {
            "folder": self.folder,
            "packages": f"{manager} ({lock})" if self.manager else "",
            "Astro": self.astro,
            "pages": str(self.pages or ""),
            "languages": ", ".join(self.languages),
            "base": self.base if self.base.strip("/") else "",
            "seconds": ", ".join(f"{name} {seconds:.1f}" for name, seconds in self.seconds.items()),
            "texts in": texts,
            "text files": ", ".join(self.text_files[:5]),
            "test edit": self._describe_edit(),
            "remote hosts": ", ".join(self.remote_hosts[:10]),
        }
        return [f"  {name:<12} {value}" for name, value in facts.items() if value]

    def _describe_edit(self) -> str:
        if self.edit is None:
            return "skipped: no heading of a page found in the source" if self.works else ""
        outcome = "is visible" if self.edit.is_visible else "is not visible"
        return f"{self.edit.heading!r} changed in {self.edit.file} {outcome} on {self.edit.page}"

    def _describe_broken_links(self) -> list[str]:
        """Lists each link once, with the number of pages."""
        pages: dict[str, list[str]] = {}
        for page, link in (line.split(": ", 1) for line in self.broken_links):
            pages.setdefault(link, []).append(page)
        lines = [
            f"broken link: {link} on {on[0]}" + (f" and {len(on) - 1} more" if len(on) > 1 else "")
            for link, on in pages.items()
        ]
        more = [f"{len(lines) - MAX_LINKS_SHOWN} more broken links; --json lists all"]
        return lines if len(lines) <= MAX_LINKS_SHOWN else lines[:MAX_LINKS_SHOWN] + more

    def _notes(self) -> list[str]:
        notes = self._describe_broken_links()
        notes += [
            f"blocked connection to {host}; the build succeeds without it" for host in self.blocked_hosts if self.works
        ]
        if self.blocked_hosts and not self.works:
            notes.append("the next build may need more hosts: set these, then check again")
        notes += [f"skipped build step, because it only checks the source: {step}" for step in self.skipped_steps]
        notes += [f"failed postinstall step; the build continues without it: {step}" for step in self.failed_setup]
        notes += [f"route not published, because it needs a server: {route}" for route in self.server_routes]
        notes += [f"missing submodule: {path}" for path in self.submodules]
        notes += [f"file in Git LFS; the build sees only its pointer: {path}" for path in self.lfs_files]
        if self.missing_variables:
            notes.append(
                f"variables read by the source but not set: {', '.join(self.missing_variables)}; set those that are "
                "needed in build_environment, or secret ones in the parameter enabled by build_secrets"
            )
        notes += [f"adjusted package: {adjustment}" for adjustment in self.adjustments]
        if self.lock is None and self.manager:
            notes.append("no lock file: installed versions may change at any time")
        elif self.lock_is_stale:
            notes.append(f"{self.lock} does not match package.json; run an install and commit it")
        if len(self.candidates) > 1 and not self.folder:
            notes.append(f"several sites found; set folder to one of: {', '.join(self.candidates)}")
        return notes


def _as_value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

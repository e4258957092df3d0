"""What a check of a site has found, as data and as a text for whoever onboards it."""

from __future__ import annotations

import json
import re
import shlex

from pydantic import BaseModel, Field

from webordinary.contract.outcomes import Failure
from webordinary_worker.site.packages.managers import NPM

MOST_LINKS_TOLD = 10
CLONE, SEVERAL_SITES = "clone", "several_sites"  # problems that no job has
MEANINGS: dict[str, str] = {
    CLONE: "the repository cannot be cloned",
    SEVERAL_SITES: "there are several sites in the repository; say which one",
    Failure.REPOSITORY_REFUSED: "the repository's host does not let us in",
    Failure.NO_PACKAGE_FILES: "there is no package.json that can be read",
    Failure.PACKAGES_NOT_INSTALLED: "its packages cannot be installed",
    Failure.GIT_DEPENDENCY: "one of its packages is a git repository, and only packages of a registry are installed",
    Failure.BUILD_FAILED: "its own build fails",
    Failure.BUILD_TIMED_OUT: "its build takes too long",
    Failure.NETWORK_REFUSED: "its build fetches from a host that the project does not name",
    Failure.LINK_LEAVES_SITE: "a link in the repository leads out of it",
    Failure.SITE_TOO_LARGE: "it is too large",
    Failure.NO_PAGES: "its build makes no page for the site's root",
    Failure.SERVER_RENDERED: "its pages are made by a server for each visitor, and only what a build makes is shown",
}


class TextShare(BaseModel):
    kind: str
    share: float


class Edit(BaseModel):
    """A heading that was changed in the source, to see whether it comes out."""

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
    adjustments: list[str] = Field(default_factory=list)  # what was installed in another way than asked for
    astro: str = ""
    adapter: str = ""
    base: str = "/"
    languages: list[str] = Field(default_factory=list)
    seconds: dict[str, float] = Field(default_factory=dict)
    pages: int = 0
    left_out: list[str] = Field(default_factory=list)
    failed_setup: list[str] = Field(default_factory=list)  # steps after the install that failed
    server_routes: list[str] = Field(default_factory=list)
    broken_links: list[str] = Field(default_factory=list)
    remote_hosts: list[str] = Field(default_factory=list)
    blocked_hosts: list[str] = Field(default_factory=list)
    configured_hosts: list[str] = Field(default_factory=list)
    configured_values: dict[str, str] = Field(default_factory=dict)
    missing_variables: list[str] = Field(default_factory=list)  # that the source reads and nobody sets
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

    def problem(self, code: str, detail: str = "") -> None:
        self.problems.append(Problem(code=code, detail=detail))

    def entry(self) -> dict[str, object]:
        """What to set in the project's entry, besides its domain, repository and users. A field that is set is set
        anew, so what was given already is in it."""
        wanted: dict[str, object] = {}
        if self.folder:
            wanted["folder"] = self.folder
        if self.blocked_hosts:
            wanted["build_hosts"] = [*self.configured_hosts, *self.blocked_hosts]
        if needed := [name for name in self.missing_variables if self._is_blamed(name)]:
            wanted["build_environment"] = {**self.configured_values, **dict.fromkeys(needed, "…")}
        return wanted

    def _is_blamed(self, value: str) -> bool:
        """Whether the build has failed over a value of its environment."""
        return any(re.search(rf"\b{value}\b", problem.detail) for problem in self.problems)

    def text(self, command: str = "projects change PROJECT") -> str:
        lines = [f"{self.repository}: {'works' if self.works else 'does not work yet'}"]
        for problem in self.problems:
            lines.append(f"  problem      {MEANINGS.get(problem.code, problem.code)} ({problem.code})")
            lines += [f"               {line}" for line in problem.detail.splitlines()]
        lines += self._facts()
        lines += [f"  note         {note}" for note in self._notes()]
        if entry := self.entry():
            settings = [f"--set {shlex.quote(f'{name}={_as_value(value)}')}" for name, value in entry.items()]
            lines.append(f"  to set       webordinary {command} {' '.join(settings)}")
        return "\n".join(lines) + "\n"

    def _facts(self) -> list[str]:
        lock = f"{self.lock}{', out of date' if self.lock_is_stale else ''}" if self.lock else "no lock file"
        manager = f"{self.manager} {self.manager_version}".strip() or NPM.name
        texts = ", ".join(f"{place.kind} {place.share:.0%}" for place in self.texts)
        facts = {
            "site": self.folder,
            "packages": f"{manager} ({lock})" if self.manager else "",
            "Astro": self.astro,
            "pages": str(self.pages or ""),
            "languages": ", ".join(self.languages),
            "base": self.base if self.base.strip("/") else "",
            "seconds": ", ".join(f"{name} {seconds:.1f}" for name, seconds in self.seconds.items()),
            "texts": texts,
            "text files": ", ".join(self.text_files[:5]),
            "an edit": self._edit_told(),
            "loads from": ", ".join(self.remote_hosts[:10]),
        }
        return [f"  {name:<12} {value}" for name, value in facts.items() if value]

    def _edit_told(self) -> str:
        if self.edit is None:
            return "no heading was found in the source" if self.works else ""
        outcome = "comes out" if self.edit.is_visible else "does not come out"
        return f"{self.edit.heading!r} in {self.edit.file} {outcome} on {self.edit.page}"

    def _broken_links_told(self) -> list[str]:
        """Each link once, however many pages have it."""
        pages: dict[str, list[str]] = {}
        for page, link in (line.split(": ", 1) for line in self.broken_links):
            pages.setdefault(link, []).append(page)
        told = [
            f"broken link: {link} on {on[0]}" + (f" and {len(on) - 1} more" if len(on) > 1 else "")
            for link, on in pages.items()
        ]
        more = [f"{len(told) - MOST_LINKS_TOLD} more broken links (--json has them)"]
        return told if len(told) <= MOST_LINKS_TOLD else told[:MOST_LINKS_TOLD] + more

    def _notes(self) -> list[str]:
        notes = self._broken_links_told()
        notes += [f"the build asks for {host} and does without it" for host in self.blocked_hosts if self.works]
        if self.blocked_hosts and not self.works:
            notes.append("a build that gets further may ask for more hosts: set these, and check again")
        notes += [f"not run, because it only checks the source: {step}" for step in self.skipped_steps]
        notes += [f"failed after the install, and the build does without it: {step}" for step in self.failed_setup]
        notes += [f"rendered by a server, so it is not published: {route}" for route in self.server_routes]
        notes += [f"submodule that is not fetched: {path}" for path in self.submodules]
        notes += [f"kept in Git LFS, so the build sees a pointer only: {path}" for path in self.lfs_files]
        if self.missing_variables:
            notes.append(
                f"the source reads values that nothing sets: {', '.join(self.missing_variables)}; what the site needs "
                "of them goes into build_environment, secret ones into the parameter that build_secrets speaks of"
            )
        notes += [f"installed besides: {told}" for told in self.adjustments]
        if self.lock is None and self.manager:
            notes.append("there is no lock file: what is installed may change from day to day")
        elif self.lock_is_stale:
            notes.append(f"{self.lock} does not fit package.json; install once and commit it")
        if len(self.candidates) > 1 and not self.folder:
            notes.append(f"there are several sites; set folder to one of: {', '.join(self.candidates)}")
        return notes


def _as_value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

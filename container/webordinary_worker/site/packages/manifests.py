"""The files of a repository that a package manager sees: sanitized copies of manifests and lock files.

A repository can make a manager run programs in many ways: scripts, hooks (.pnpmfile.cjs, yarnPath, plugins,
configDependencies), programs named in .npmrc. The manager therefore runs in a folder of the worker. Its manifests have
only the settings in `allowed_settings.json`; its lock files keep their hashes but point to our registry.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import yaml

from webordinary.contract.outcomes import Failure
from webordinary.text.hosts import host_of_authority
from webordinary_worker.failures import BuildFailedError
from webordinary_worker.site.packages.managers import LOCKS, Manager, manager_for

MANIFEST = "package.json"
WORKSPACE = "pnpm-workspace.yaml"
CONFIGURATION = ".npmrc"
MAX_FILE_BYTES = 32 * 1024 * 1024
MAX_MANIFESTS = 300
MAX_MANIFEST_DEPTH = 5
DEPENDENCIES = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
# Allowed settings per file; any other could make a manager run a program.
ALLOWED: dict[str, list[str]] = json.loads(Path(__file__).with_name("allowed_settings.json").read_text())
_SCOPED_REGISTRY = re.compile(r"^@[\w.-]+:registry$")
_TARBALL = re.compile(
    r"https?://(?P<host>[^/\s\"']+)/(?P<path>[^\s\"']*?(?:@[^/\s\"']+/)?[^/\s\"']+/-/[^\s\"'#,}]+\.tgz)"
)
_PATCH_PACKAGE = re.compile(r"\bpatch-package\b")
_IS_URL = re.compile(r"[\w+-]+:/|^//|^git@", re.IGNORECASE)
_AUTHORITY = re.compile(r"\bhttps?:[/\\]+([^\s/\\\"'#?,}]+)", re.IGNORECASE)
_DEPRECATION = re.compile(r"""^\s*"?deprecated"?: (?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'{\[\n]*),?$""", re.MULTILINE)
_RUNS_PROGRAM = re.compile(r"^exec:|^portal:\.\./")


@dataclass(frozen=True)
class Manifests:
    """The sanitized manifests of a site. Paths are relative to `root`."""

    root: Path  # folder of the lock file: the site's, or a parent for a workspace
    manager: Manager
    lock: str | None
    files: Mapping[str, bytes]
    patches: tuple[str, ...] = ()  # applied by a script, not by the manager

    def with_files(self, files: Mapping[str, bytes]) -> Manifests:
        return replace(self, files=files)

    def write(self, folder: Path) -> None:
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def dependencies_like(self, pattern: re.Pattern[str]) -> list[str]:
        """Describes the dependencies whose version matches the pattern."""
        return [
            f'{name}: "{kind}" has "{package}": "{version}"'
            for name, content in self.files.items()
            if PurePosixPath(name).name == MANIFEST
            for kind in DEPENDENCIES
            for package, version in _mapping(json.loads(content).get(kind)).items()
            if pattern.match(str(version))
        ]

    @property
    def members(self) -> list[str]:
        """Folders below the root with a manifest."""
        paths = (PurePosixPath(name) for name in self.files)
        return sorted(str(path.parent) for path in paths if path.name == MANIFEST and path.parent.name)


def read_manifests(tree: Path, site: Path, registry: str) -> Manifests:
    """Reads and sanitizes the manifests of a site. Raises BuildFailedError if it has none."""
    if not (site / MANIFEST).is_file():
        raise BuildFailedError(Failure.NO_PACKAGE_FILES)
    root = _root_of(tree, site)
    manifest = read_manifest(root / MANIFEST)
    manager, lock = manager_for(root, str(manifest.get("packageManager", "")))
    files: dict[str, bytes] = {}
    for name in _manifest_names(root):
        files[name] = _as_json(_safe_manifest(read_manifest(root / name)))
    npmrc, scoped = safe_npmrc(_read(root / CONFIGURATION))
    if npmrc:
        files[CONFIGURATION] = npmrc.encode()
    if manager.name == "pnpm" and (root / WORKSPACE).is_file():
        files[WORKSPACE] = _safe_workspace(_read(root / WORKSPACE))
    if lock is not None:
        files[lock] = _safe_lock(lock, _read_bytes(root / lock), registry, scoped)
    patches = _patches(root, manifest, files)
    files |= {name: _read_bytes(root / name) for name in (*patches, *_archives(root, files))}
    by_script = tuple(patches) if _PATCH_PACKAGE.search(_after_install(manifest)) and manager.name != "pnpm" else ()
    return Manifests(root, manager, lock, files, by_script)


def read_manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(_read(path))
    except ValueError as error:
        raise BuildFailedError(Failure.NO_PACKAGE_FILES, f"{path.name}: {error}") from error
    return manifest if isinstance(manifest, dict) else {}


def read_installed(path: Path, words: bytes = b"") -> dict[str, Any]:
    """The manifest of an installed package; empty if it is unreadable or lacks `words`."""
    try:
        content = _read_bytes(path)
        manifest = json.loads(content) if words in content else {}
    except (OSError, ValueError, RecursionError, BuildFailedError):
        return {}
    return _mapping(manifest)


def dependencies(manifest: Mapping[str, Any], kind: str) -> dict[str, str]:
    return {name: version for name, version in _mapping(manifest.get(kind)).items() if isinstance(version, str)}


def safe_npmrc(text: str) -> tuple[str, frozenset[str]]:
    """The allowed settings of an .npmrc, and the hosts of its scoped registries."""
    kept, hosts = [], set()
    for line in text.splitlines():
        key, _, value = (part.strip() for part in line.partition("="))
        if "${" in value or key.startswith((";", "#")):
            continue
        url = urlsplit(value.strip("\"'"))
        if key.removesuffix("[]") in ALLOWED[CONFIGURATION]:
            kept.append(f"{key}={value}")
        elif _SCOPED_REGISTRY.match(key) and url.scheme == "https" and _is_public_name(url.hostname or ""):
            kept.append(f"{key}={value}")
            hosts.add(url.hostname or "")
    return "".join(f"{line}\n" for line in kept), frozenset(hosts)


def _root_of(tree: Path, site: Path) -> Path:
    """The nearest folder with a lock file; otherwise the enclosing workspace, or the site's folder."""
    candidates = [site, *(parent for parent in site.parents if parent.is_relative_to(tree))]
    roots = [folder for folder in candidates if (folder / MANIFEST).is_file()]
    locked = (folder for folder in roots if any((folder / lock).is_file() for lock in LOCKS))
    return next(locked, None) or next(filter(_is_workspace, roots), site)


def _is_workspace(folder: Path) -> bool:
    return (folder / WORKSPACE).is_file() or "workspaces" in read_manifest(folder / MANIFEST)


def _manifest_names(root: Path) -> list[str]:
    """Every package.json at or below the root. The root manifest decides which belong to the workspace."""
    found = list(_below(root, MANIFEST))
    if len(found) > MAX_MANIFESTS:
        raise BuildFailedError(Failure.NO_PACKAGE_FILES, f"more than {MAX_MANIFESTS} {MANIFEST} files")
    return found


def _below(root: Path, file_name: str) -> Iterator[str]:
    for parent, folders, files in os.walk(root):
        relative = Path(parent).relative_to(root)
        deep = len(relative.parts) >= MAX_MANIFEST_DEPTH
        folders[:] = [] if deep else sorted(name for name in folders if name not in ("node_modules", ".git", "dist"))
        if file_name in files and not (Path(parent) / file_name).is_symlink():
            yield (relative / file_name).as_posix()


def _patches(root: Path, manifest: dict[str, Any], files: Mapping[str, bytes]) -> list[str]:
    """Patches of packages, in the usual folders and in those that settings or scripts name."""
    named = re.findall(r"[\w@./+-]+\.(?:patch|diff)\b", " ".join(map(bytes.decode, _settings(files))))
    elsewhere = re.findall(r"--patch-dir[= ]([\w./-]+)", _after_install(manifest))
    found = [path for folder in ("patches", ".yarn/patches", *elsewhere) for path in (root / folder).rglob("*.patch")]
    return sorted({path for path in (*map(str, named), *_below_root(root, found)) if _is_own_file(root, path)})


def _archives(root: Path, files: Mapping[str, bytes]) -> list[str]:
    """Packages that are archives in the repository."""
    named = re.findall(r"\bfile:([\w@./+-]+\.(?:tgz|tar\.gz))\b", " ".join(map(bytes.decode, _settings(files))))
    return sorted({path for path in named if _is_own_file(root, path)})


def _settings(files: Mapping[str, bytes]) -> list[bytes]:
    return [files[name] for name in (MANIFEST, WORKSPACE) if name in files]


def _after_install(manifest: dict[str, Any]) -> str:
    scripts = _mapping(manifest.get("scripts"))
    return " ".join(str(scripts.get(name, "")) for name in ("postinstall", "prepare", "install"))


def _below_root(root: Path, paths: list[Path]) -> list[str]:
    return [path.relative_to(root).as_posix() for path in paths]


def _is_own_file(root: Path, path: str) -> bool:
    inside = not path.startswith("/") and ".." not in PurePosixPath(path).parts
    return inside and (root / path).is_file() and (root / path).resolve() == root.resolve() / path


def _safe_manifest(manifest: dict[str, Any]) -> dict[str, Any]:
    for kind in DEPENDENCIES:
        for name, version in _mapping(manifest.get(kind)).items():
            if _RUNS_PROGRAM.match(str(version)):
                raise BuildFailedError(Failure.PACKAGES_NOT_INSTALLED, f"{name}: {version} is not supported")
            for authority in _AUTHORITY.findall(str(version)):
                if not _is_public_name(host_of_authority(authority)):
                    raise BuildFailedError(Failure.PACKAGES_NOT_INSTALLED, f"{name}: {version} is not a public host")
    for kind in ("overrides", "resolutions"):
        _refuse_urls(kind, manifest.get(kind))
    _refuse_urls("pnpm.overrides", _mapping(manifest.get("pnpm")).get("overrides"))
    safe = {key: value for key, value in manifest.items() if key in ALLOWED[MANIFEST]}
    pnpm = {key: value for key, value in _mapping(manifest.get("pnpm")).items() if key in ALLOWED["pnpm"]}
    return {**safe, "pnpm": pnpm} if pnpm else safe


def _refuse_urls(kind: str, overrides: object) -> None:
    """An override replaces a package everywhere, so it must come from the registry too."""
    for name, version in _mapping(overrides).items():
        if isinstance(version, dict):
            _refuse_urls(kind, version)
        elif _IS_URL.search(str(version)):
            raise BuildFailedError(Failure.PACKAGES_NOT_INSTALLED, f"{kind}: {name}: {version} is not supported")


def _require_public_hosts(name: str, lock: str, registry: str) -> None:
    """Refuses lock files that lead to this machine, its network or the cloud's metadata."""
    own = urlsplit(registry).hostname
    for authority in dict.fromkeys(_AUTHORITY.findall(_DEPRECATION.sub("", lock))):
        host = host_of_authority(authority.rstrip(").,;:!>`"))
        if host and host != own and not _is_public_name(host):
            raise BuildFailedError(Failure.PACKAGES_NOT_INSTALLED, f"{name}: {host} is not a public host")


def _safe_workspace(text: str) -> bytes:
    try:
        workspace = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise BuildFailedError(Failure.PACKAGES_NOT_INSTALLED, f"{WORKSPACE}: {error}") from error
    _refuse_urls(f"{WORKSPACE}: overrides", _mapping(workspace).get("overrides"))
    kept = {key: value for key, value in _mapping(workspace).items() if key in ALLOWED["pnpm"]}
    return yaml.safe_dump(kept, sort_keys=False, allow_unicode=True).encode()


def _safe_lock(name: str, content: bytes, registry: str, scoped: frozenset[str]) -> bytes:
    if name == "bun.lockb":
        return content
    text = content.decode(errors="replace")
    if name == "yarn.lock" and re.search(r"@exec:", text):
        raise BuildFailedError(Failure.PACKAGES_NOT_INSTALLED, "exec: dependencies are not supported")
    safe = use_registry(text, registry, scoped)
    _require_public_hosts(name, safe, registry)
    return safe.encode()


def use_registry(lock: str, registry: str, kept: frozenset[str] = frozenset()) -> str:
    """The lock file with all tarball URLs pointing to `registry`, except those of `kept` hosts."""

    def replaced(found: re.Match[str]) -> str:
        # Similar URLs, such as archives of a git host, stay unchanged.
        if found["host"] in kept:
            return found[0]
        path = found["path"]
        name = re.search(r"(?:@[^/]+/)?[^/]+/-/[^/]+\.tgz$", path)
        return f"{registry.rstrip('/')}/{name[0]}" if name else found[0]

    return _TARBALL.sub(replaced, lock)


def _is_public_name(host: str) -> bool:
    """Whether a host is a name outside this machine and its network. Numbers in any notation are addresses."""
    last = host.rpartition(".")[2]
    is_number = re.fullmatch(r"\d+|0x[0-9a-f]*", last) or host.startswith("[")
    return "." in host and not is_number and not host.endswith((".local", ".internal", ".localhost", ".home.arpa"))


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _as_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=2).encode()


def _read(path: Path) -> str:
    return _read_bytes(path).decode("utf-8-sig", errors="replace") if path.is_file() else ""


def _read_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise BuildFailedError(Failure.SITE_TOO_LARGE, f"{path.name} is larger than {MAX_FILE_BYTES} bytes")
    return content

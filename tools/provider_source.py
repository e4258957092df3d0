"""Finds Terraform's AWS provider: in TF_PLUGIN_DIR, in the public registry, or in a local mirror.

A mirror is a folder that contains `registry.terraform.io/hashicorp/aws`, for machines without internet access.
"""

from __future__ import annotations

import os
import re
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from tools.errors import SetupError

PROVIDER = Path("registry.terraform.io/hashicorp/aws")
REGISTRY_CHECK = "https://registry.terraform.io/.well-known/terraform.json"
REGISTRY_TIMEOUT_SECONDS = 4.0

# Roots to search for mirrors outside the conventional folders, and the depth of the search.
SEARCH_ROOTS = ("/opt", "/usr/share", "/usr/local", "~")
SEARCH_DEPTH = 3

MIRROR_IN_CONFIGURATION = re.compile(r'filesystem_mirror\s*\{[^}]*?path\s*=\s*"([^"]+)"', re.DOTALL)


class ProviderNotFoundError(SetupError):
    def __init__(self, searched: Sequence[Path]) -> None:
        super().__init__(
            "Terraform's AWS provider could not be downloaded and no local mirror was found. "
            f"Connect to the internet, or set TF_PLUGIN_DIR to a folder that contains {PROVIDER}. "
            "Searched: " + ", ".join(map(str, searched))
        )


class WrongPluginFolderError(SetupError):
    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"TF_PLUGIN_DIR is {folder}, which does not contain {PROVIDER}. Set it to the root of the mirror."
        )


def is_registry_reachable() -> bool:
    try:
        with urllib.request.urlopen(REGISTRY_CHECK, timeout=REGISTRY_TIMEOUT_SECONDS) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def find_mirror(
    environment: Mapping[str, str],
    home: Path,
    *,
    registry: Callable[[], bool] = is_registry_reachable,
    search_roots: Sequence[Path] | None = None,
) -> Path | None:
    """The mirror to use, or None for the registry. Order: TF_PLUGIN_DIR, the registry, local mirrors."""
    if chosen := environment.get("TF_PLUGIN_DIR"):
        folder = Path(chosen).expanduser()
        if not (folder / PROVIDER).is_dir():
            raise WrongPluginFolderError(folder)
        return folder
    if registry():
        return None
    conventional = list(conventional_folders(environment, home))
    roots = [Path(root).expanduser() for root in SEARCH_ROOTS] if search_roots is None else list(search_roots)
    for folder in (*conventional, *_folders_below(roots)):
        if _has_provider(folder):
            return folder
    raise ProviderNotFoundError([*conventional, *roots])


def conventional_folders(environment: Mapping[str, str], home: Path) -> Iterator[Path]:
    """The folders that Terraform itself searches, with and without a CLI configuration file."""
    for configuration in (environment.get("TF_CLI_CONFIG_FILE"), str(home / ".terraformrc")):
        if configuration and os.access(configuration, os.R_OK):
            for path in MIRROR_IN_CONFIGURATION.findall(Path(configuration).read_text(encoding="utf-8")):
                yield Path(path).expanduser()
    yield home / ".terraform.d/plugins"
    yield Path(environment.get("XDG_DATA_HOME", str(home / ".local/share"))) / "terraform/plugins"
    yield Path("/usr/local/share/terraform/plugins")


def _has_provider(folder: Path) -> bool:
    try:
        return (folder / PROVIDER).is_dir()
    except PermissionError:
        return False


def _folders_below(roots: Iterable[Path]) -> Iterator[Path]:
    """The roots and their subfolders, breadth first. Unreadable folders are skipped."""
    level = list(roots)
    for _ in range(SEARCH_DEPTH + 1):
        yield from level
        level = [folder for parent in level for folder in _subfolders(parent)]


def _subfolders(parent: Path) -> list[Path]:
    try:
        with os.scandir(parent) as entries:
            return [Path(entry) for entry in entries if entry.is_dir(follow_symlinks=False)]
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []

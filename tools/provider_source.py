"""Finds where Terraform's AWS provider can be had: a folder that was named, the public registry, or a local mirror.

Air-gapped machines keep providers in a *mirror*, a folder that holds `registry.terraform.io/hashicorp/aws`.
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
REGISTRY_PATIENCE_SECONDS = 4.0

# Where people put mirrors that follow no convention, and how many folders below it is worth looking.
SHALLOW_LOOK = ("/opt", "/usr/share", "/usr/local", "~")
SHALLOW_DEPTH = 3

MIRROR_IN_CONFIGURATION = re.compile(r'filesystem_mirror\s*\{[^}]*?path\s*=\s*"([^"]+)"', re.DOTALL)


class ProviderNotFoundError(SetupError):
    def __init__(self, searched: Sequence[Path]) -> None:
        super().__init__(
            "Terraform's AWS provider could not be downloaded and no local mirror was found. "
            f"Connect to the internet, or set TF_PLUGIN_DIR to a folder that holds {PROVIDER}. "
            "Looked in: " + ", ".join(map(str, searched))
        )


class WrongPluginFolderError(SetupError):
    def __init__(self, folder: Path) -> None:
        super().__init__(f"TF_PLUGIN_DIR is {folder}, but there is no {PROVIDER} in it. Set it to the mirror's folder.")


def registry_answers() -> bool:
    """Whether the public registry can be reached within a few seconds."""
    try:
        with urllib.request.urlopen(REGISTRY_CHECK, timeout=REGISTRY_PATIENCE_SECONDS) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def find_mirror(
    environment: Mapping[str, str],
    home: Path,
    *,
    registry: Callable[[], bool] = registry_answers,
    shallow_roots: Sequence[Path] | None = None,
) -> Path | None:
    """The mirror to use, or None for the registry. What was set goes first, then the registry, then what is found."""
    if chosen := environment.get("TF_PLUGIN_DIR"):
        folder = Path(chosen).expanduser()
        if not (folder / PROVIDER).is_dir():
            raise WrongPluginFolderError(folder)
        return folder
    if registry():
        return None
    conventional = list(conventional_folders(environment, home))
    roots = [Path(root).expanduser() for root in SHALLOW_LOOK] if shallow_roots is None else list(shallow_roots)
    for folder in (*conventional, *_folders_below(roots)):
        if (folder / PROVIDER).is_dir():
            return folder
    raise ProviderNotFoundError([*conventional, *roots])


def conventional_folders(environment: Mapping[str, str], home: Path) -> Iterator[Path]:
    """Where Terraform itself would look, with and without a configuration file."""
    for configuration in (environment.get("TF_CLI_CONFIG_FILE"), str(home / ".terraformrc")):
        if configuration and Path(configuration).is_file():
            for path in MIRROR_IN_CONFIGURATION.findall(Path(configuration).read_text(encoding="utf-8")):
                yield Path(path).expanduser()
    yield home / ".terraform.d/plugins"
    yield Path(environment.get("XDG_DATA_HOME", str(home / ".local/share"))) / "terraform/plugins"
    yield Path("/usr/local/share/terraform/plugins")


def _folders_below(roots: Iterable[Path]) -> Iterator[Path]:
    """The roots and the folders below them, nearest first. Folders that may not be read hold no mirror for us."""
    level = [root for root in roots if root.is_dir()]
    for _ in range(SHALLOW_DEPTH + 1):
        yield from level
        level = [folder for parent in level for folder in _subfolders(parent)]


def _subfolders(parent: Path) -> list[Path]:
    try:
        with os.scandir(parent) as entries:
            return [Path(entry) for entry in entries if entry.is_dir(follow_symlinks=False)]
    except PermissionError:
        return []

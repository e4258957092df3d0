"""Where things are in this repository."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOMAIN_PACKAGE = ROOT / "layers/webordinary/python"
WORKER_PACKAGE = ROOT / "container"
OPERATORS_PACKAGE = ROOT / "ops"
BUILD = ROOT / "build/local"
SITES = ROOT / "sites"
EXAMPLE_SITE = SITES / "example"
PROJECTS = ROOT / "local/projects.toml"

# Survives a run: installed site dependencies and the like, so that the second run is quick.
CACHE = ROOT / ".cache"

# What runs on this machine now, and the last few runs.
RUNS = CACHE / "local"


def site_of(project: str) -> Path:
    """What a project of this machine begins with: the site of its name, or the example."""
    return SITES / project if (SITES / project).is_dir() else EXAMPLE_SITE

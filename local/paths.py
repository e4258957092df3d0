"""Paths in this repository."""

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

# Kept between runs: installed site dependencies and other caches.
CACHE = ROOT / ".cache"

# One folder per run of the local stack: the current runs and the last few.
RUNS = CACHE / "local"


def site_of(project: str) -> Path:
    """The initial site of a local project: the folder of its name, or the example site."""
    return SITES / project if (SITES / project).is_dir() else EXAMPLE_SITE

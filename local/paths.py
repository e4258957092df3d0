"""Where things are in this repository."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOMAIN_PACKAGE = ROOT / "layers/webordinary/python"
WORKER_PACKAGE = ROOT / "container"
OPERATORS_PACKAGE = ROOT / "ops"
BUILD = ROOT / "build/local"
EXAMPLE_SITE = ROOT / "sites/example"
PROJECTS = ROOT / "local/projects.toml"

# Survives a run: installed site dependencies and the like, so that the second run is quick.
CACHE = ROOT / ".cache"

# What runs on this machine now, and the last few runs.
RUNS = CACHE / "local"

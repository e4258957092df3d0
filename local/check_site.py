"""Checks whether a worker can edit a site: `make check-site SITE=folder-or-url`, or `python -m local.check_site`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from local.domain import NETWORK_VARIABLES
from local.paths import CACHE
from local.stack.prerequisites import node_folder
from webordinary_worker.site.inspect.site_check import CheckSettings, inspect_site
from webordinary_worker.site.options import SiteOptions


def main() -> int:
    parser = argparse.ArgumentParser(prog="make check-site", description="Checks whether a worker can edit a site.")
    parser.add_argument("site", help="a folder, or the URL of a git repository")
    parser.add_argument("--folder", default="", help="folder of the site inside its repository")
    parser.add_argument("--branch", default="HEAD")
    parser.add_argument("--host", action="append", default=[], help="a host that the build may fetch from, or 'all'")
    parser.add_argument(
        "--value", action="append", default=[], metavar="NAME=VALUE", help="an environment variable for the build"
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    options = parser.parse_args()
    if invalid := [value for value in options.value if "=" not in value]:
        parser.error(f"--value must be NAME=VALUE, not {invalid[0]}")
    network = {name: os.environ[name] for name in NETWORK_VARIABLES if os.environ.get(name)}
    node = node_folder()
    if node is None:
        sys.stderr.write("Node.js was not found. Run make setup to install it.\n")
        return 2
    with tempfile.TemporaryDirectory(prefix="site-check-") as folder:
        settings = CheckSettings(Path(folder) / "workspace", CACHE / "worker", node, network)
        values = dict(value.split("=", 1) for value in options.value)
        site_options = SiteOptions(options.folder, tuple(options.host), values)
        report = inspect_site(options.site, settings, site_options, branch=options.branch)
    sys.stdout.write(report.model_dump_json(indent=2) + "\n" if options.json else report.text())
    return 0 if report.works else 1


if __name__ == "__main__":
    sys.exit(main())

"""`make image`: builds the worker's container image with whatever builder this machine has.

PLATFORM=linux/arm64 (as deployed) unless set; TAG=webordinary-worker:dev unless set.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from tools.errors import SetupError
from tools.package import ROOT

DOCKERFILE = "container/Dockerfile"
# A builder and the command that tells whether it can work here.
BUILDERS = {"docker": ["docker", "info"], "podman": ["podman", "info"], "buildah": ["buildah", "info"]}


class NoBuilderError(SetupError):
    def __init__(self, found: list[str]) -> None:
        reason = f"{', '.join(found)} is installed but does not answer" if found else "none is installed"
        super().__init__(
            f"An image needs docker, podman or buildah, and {reason}. Install one, or start its engine, and try again."
        )


def builder() -> str:
    """The first builder that works."""
    found = [name for name in BUILDERS if shutil.which(name)]
    for name in found:
        if subprocess.run(BUILDERS[name], capture_output=True, check=False).returncode == 0:
            return name
    raise NoBuilderError(found)


def command(name: str, platform: str, tag: str, arguments: list[str]) -> list[str]:
    return [name, "build", "--platform", platform, "--file", DOCKERFILE, "--tag", tag, *arguments, "."]


def main(arguments: list[str] | None = None) -> int:
    platform = os.environ.get("PLATFORM", "linux/arm64")
    tag = os.environ.get("TAG", "webordinary-worker:dev")
    try:
        build = command(builder(), platform, tag, sys.argv[1:] if arguments is None else arguments)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    return subprocess.run(build, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

"""`make image`: builds the worker's container image with docker, podman or buildah, whichever works here first.

    make image [ENGINE=buildah] [PLATFORM=linux/amd64,linux/arm64] [TAG=webordinary-worker:dev]
               [PYTHON_IMAGE=…@sha256:…] [NODE_IMAGE=…@sha256:…] [ARGS="--isolation chroot"]

One image for each platform; linux/arm64, as deployed, unless told otherwise. Of several, each one's tag ends with its
architecture.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping

from tools.errors import SetupError
from tools.package import ROOT

DOCKERFILE = "container/Dockerfile"
ENGINES = ("docker", "podman", "buildah")
BASES = ("PYTHON_IMAGE", "NODE_IMAGE")


class NoEngineError(SetupError):
    def __init__(self, found: list[str]) -> None:
        reason = f"{', '.join(found)} is installed but does not answer" if found else "none is installed"
        super().__init__(
            f"An image needs docker, podman or buildah, and {reason}. Install one, or start its engine, and try again."
        )


class UnknownEngineError(SetupError):
    def __init__(self, name: str) -> None:
        super().__init__(f"ENGINE is '{name}'. Use one of: {', '.join(ENGINES)}")


def engine(wanted: str = "") -> str:
    """The wanted engine, or the first one that works."""
    if wanted and wanted not in ENGINES:
        raise UnknownEngineError(wanted)
    found = [name for name in ([wanted] if wanted else ENGINES) if shutil.which(name)]
    for name in found:
        if subprocess.run([name, "info"], capture_output=True, check=False).returncode == 0:
            return name
    raise NoEngineError(found)


def commands(name: str, environment: Mapping[str, str], arguments: list[str]) -> list[list[str]]:
    """One build for each platform."""
    platforms = environment.get("PLATFORM", "linux/arm64").split(",")
    tag = environment.get("TAG", "webordinary-worker:dev")
    bases = [part for base in BASES if environment.get(base) for part in ("--build-arg", f"{base}={environment[base]}")]
    return [
        [
            *(name, "build", "--platform", platform, "--file", DOCKERFILE),
            *("--tag", tag if len(platforms) == 1 else f"{tag}-{platform.rpartition('/')[2]}"),
            *(*bases, *arguments, "."),
        ]
        for platform in platforms
    ]


def main(arguments: list[str] | None = None) -> int:
    given = [*shlex.split(os.environ.get("ARGS", "")), *(sys.argv[1:] if arguments is None else arguments)]
    try:
        builds = commands(engine(os.environ.get("ENGINE", "")), os.environ, given)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    return max(subprocess.run(build, cwd=ROOT, check=False).returncode for build in builds)


if __name__ == "__main__":
    sys.exit(main())

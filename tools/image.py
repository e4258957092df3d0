"""`make image`: builds the worker's container image with docker, podman or buildah, whichever is available.

    make image [ENGINE=buildah] [PLATFORM=linux/amd64,linux/arm64] [TAG=webordinary-worker:dev]
               [PYTHON_IMAGE=…@sha256:…] [NODE_IMAGE=…@sha256:…] [ARGS="--isolation chroot"]

Builds one image per platform; the default is linux/arm64, as deployed. With several platforms, each tag ends with the
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
        reason = f"{', '.join(found)} is installed but does not respond" if found else "none is installed"
        super().__init__(
            f"Building an image requires docker, podman or buildah; {reason}. Install one or start it, and try again."
        )


class UnknownEngineError(SetupError):
    def __init__(self, name: str) -> None:
        super().__init__(f"Unknown ENGINE '{name}'. Use one of: {', '.join(ENGINES)}.")


def engine(requested: str = "") -> str:
    """The requested engine, or the first one that works."""
    if requested and requested not in ENGINES:
        raise UnknownEngineError(requested)
    found = [name for name in ([requested] if requested else ENGINES) if shutil.which(name)]
    for name in found:
        if subprocess.run([name, "info"], capture_output=True, check=False).returncode == 0:
            return name
    raise NoEngineError(found)


def commands(name: str, environment: Mapping[str, str], arguments: list[str]) -> list[list[str]]:
    """The build command of each platform."""
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

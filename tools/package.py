"""Builds the zips that Terraform uploads: one per function and layer. The output is reproducible.

    python -m tools.package --target lambda    python3.13 on arm64, or the architecture of the environment (--env)
    python -m tools.package --target local     this machine's Python, plus the packages of the Lambda runtime

Third-party packages come from the locked requirement files, without those that the Lambda runtime provides.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tools import bytecode, chromium
from tools.errors import SetupError
from webordinary.contract.values import contract

ROOT = Path(__file__).resolve().parent.parent
DOMAIN_PACKAGE = ROOT / "layers/webordinary/python"
CHROMIUM_PACKAGE = ROOT / "layers/chromium/python"
LAYER_REQUIREMENTS = ROOT / "layers/dependencies/requirements.txt"
RUNTIME_REQUIREMENTS = ROOT / "requirements/runtime.txt"
FUNCTIONS = ROOT / "functions"
EDGE = ROOT / "terraform/modules/sites/edge"

DEPLOYED = "3.13"  # the runtime of the functions
ZIP_TIMESTAMP = (1980, 1, 1, 0, 0, 0)
COMPRESSED = (".br",)
EXCLUDED = ("__pycache__", ".pytest_cache", ".mypy_cache")


class PackagingError(SetupError):
    """A package could not be built. The text says which and why."""


@dataclass(frozen=True)
class Target:
    """The platform that packages are built for. The contract overrides the architecture of some functions."""

    name: str
    installer_options: tuple[str, ...]
    python: str | None = None  # version to compile bytecode for
    compression: int = 6  # zip level; low for local packages, which are rebuilt at every start

    def of(self, function: str) -> Target:
        named = contract()["architectures"].get(function)
        return lambda_target(named) if named and self.name == "lambda" else self


# The runtime is based on Amazon Linux 2023, which has glibc 2.34.
PLATFORMS = {"arm64": "aarch64-manylinux_2_34", "x86_64": "x86_64-manylinux_2_34"}


def lambda_target(architecture: str) -> Target:
    if architecture not in PLATFORMS:
        raise PackagingError(f"Unknown architecture '{architecture}'. Use one of: {', '.join(PLATFORMS)}.")
    options = ("--python-platform", PLATFORMS[architecture], "--python-version", DEPLOYED, "--only-binary", ":all:")
    return Target("lambda", options, DEPLOYED)


TARGETS = {"lambda": lambda_target("arm64"), "local": Target("local", (), compression=1)}


def package(target: Target, build: Path) -> list[Path]:
    """Builds all packages of a target in `build`; returns the zips. A lock serialises concurrent builds."""
    build.mkdir(parents=True, exist_ok=True)
    with (build / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _package(target, build)


def _package(target: Target, build: Path) -> list[Path]:
    layers, functions, installed = build / "layers", build / "functions", build / "installed"
    compiler = bytecode.interpreter(target.python) if target.python else None
    if target.python and compiler is None:
        print(bytecode.MISSING.format(version=target.python), file=sys.stderr)
    write = partial(write_zip, compiler=compiler, compression=target.compression)
    zips = [write(layers / "webordinary.zip", {"python/": DOMAIN_PACKAGE})]
    dependencies = install(target, LAYER_REQUIREMENTS, installed / "dependencies")
    zips.append(write(layers / "dependencies.zip", {"python/": dependencies}))
    zips.append(write(layers / "chromium.zip", {"python/": _chromium(installed / "chromium")}))
    for handler in sorted(FUNCTIONS.glob("*/handler.py")):
        folders = {"": handler.parent}
        own_requirements = handler.with_name("requirements.txt")
        if own_requirements.exists():
            folders["./"] = install(target.of(handler.parent.name), own_requirements, installed / handler.parent.name)
        zips.append(write(functions / f"{handler.parent.name}.zip", folders, only=("*.py",)))
    zips += [_package_edge(build / "edge", name) for name in ("origin_response", "load_balancer_target")]
    if target.name == "local":
        install(target, RUNTIME_REQUIREMENTS, build / "runtime", skip_runtime=False)
    return zips


def _chromium(folder: Path) -> Path:
    """The content of the browser's layer: the browser, and the module that locates it."""
    package = folder / "packed_chromium"
    package.mkdir(parents=True, exist_ok=True)
    packed = chromium.packed(chromium.CACHE, os.environ)
    for file in [*(CHROMIUM_PACKAGE / package.name).glob("*.py"), *packed.iterdir()]:
        copy = package / file.name
        if not copy.exists() or copy.stat().st_size != file.stat().st_size:
            shutil.copyfile(file, copy)
    return folder


def _package_edge(folder: Path, function: str) -> Path:
    """Packages a Lambda@Edge function: its code, the shared code and the contract."""
    parts = folder / function
    parts.mkdir(parents=True, exist_ok=True)
    names = ("stored_pages.js", f"{function}.js", "rules.js")
    code = [(EDGE / name).read_text(encoding="utf-8") for name in names]
    (parts / "index.js").write_text("\n".join(code), encoding="utf-8")
    shutil.copyfile(DOMAIN_PACKAGE / "webordinary/contract/contract.json", parts / "contract.json")
    return write_zip(folder / f"{function}.zip", {"": parts})


def write_zip(
    path: Path,
    folders: dict[str, Path],
    only: tuple[str, ...] = (),
    compiler: str | None = None,
    compression: int = Target.compression,
) -> Path:
    """Zips folders under their prefixes, with fixed order, timestamps and modes.

    `only` filters the first folder, whose sample events are not deployed. `compiler` is the Python that compiles the
    modules to bytecode.
    """
    files: dict[str, Path] = {}
    for position, (prefix, folder) in enumerate(folders.items()):
        for file in folder.rglob("*"):
            included = not only or position > 0 or any(file.match(pattern) for pattern in only)
            if file.is_file() and included and not any(part in EXCLUDED for part in file.parts):
                files[prefix.removeprefix("./") + file.relative_to(folder).as_posix()] = file
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".partial")
    with (
        tempfile.TemporaryDirectory(prefix="webordinary-compiled-") as scratch,
        zipfile.ZipFile(unfinished, "w") as archive,
    ):
        if compiler is not None:
            files |= bytecode.compiled(files, compiler, DEPLOYED, Path(scratch))
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, ZIP_TIMESTAMP)
            entry.compress_type = zipfile.ZIP_STORED if name.endswith(COMPRESSED) else zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            archive.writestr(entry, files[name].read_bytes(), compresslevel=compression)
    unfinished.replace(path)
    return path


def install(target: Target, requirements: Path, folder: Path, *, skip_runtime: bool = True) -> Path:
    """Installs locked packages into a folder, unless it already holds them."""
    locked = _blocks(requirements)
    if skip_runtime:
        locked = {name: block for name, block in locked.items() if name not in _blocks(RUNTIME_REQUIREMENTS)}
    text = "\n".join(locked.values()) + "\n"
    fingerprint = hashlib.sha256(repr((text, target.installer_options, sys.version_info[:2])).encode()).hexdigest()
    stamp = folder.with_name(folder.name + ".stamp")
    if stamp.exists() and stamp.read_text() == fingerprint and folder.is_dir():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    wanted = folder.with_name(folder.name + ".txt")
    wanted.write_text(text)
    command = [
        sys.executable,
        "-m",
        "uv",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--require-hashes",
        "--link-mode",
        "copy",
    ]
    command += ["--python", sys.executable, "--target", str(folder), *target.installer_options, "-r", str(wanted)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        raise PackagingError(f"Could not install the packages of {requirements.relative_to(ROOT)}:\n{finished.stderr}")
    # Installer metadata differs from run to run and is not used.
    for file in [*folder.rglob("RECORD"), *folder.rglob("INSTALLER"), *folder.rglob("REQUESTED"), folder / ".lock"]:
        file.unlink(missing_ok=True)
    shutil.rmtree(folder / "bin", ignore_errors=True)
    stamp.write_text(fingerprint)
    return folder


def _blocks(requirements: Path) -> dict[str, str]:
    """The entries of a locked requirements file by package name, each with its hashes."""
    blocks: dict[str, list[str]] = {}
    current: list[str] = []
    for line in requirements.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith((" ", "#")):
            current = blocks.setdefault(line.partition("==")[0].strip(), [])
        if not line.startswith("#"):
            current.append(line)
    return {name: "\n".join(lines) for name, lines in blocks.items()}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.package", description=__doc__.splitlines()[0])
    parser.add_argument("--target", choices=sorted(TARGETS), default="lambda")
    parser.add_argument("--build", type=Path, help="output folder (default: build/<target>)")
    parser.add_argument("--env", help="environment whose architecture to package for")
    options = parser.parse_args(arguments)
    build = (options.build or ROOT / "build" / options.target).resolve()
    try:
        zips = package(_target(options.target, options.env), build)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    for path in zips:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        print(f"{path.stat().st_size / 1024:9.0f} KB  {digest}  {path.relative_to(build)}")
    return 0


def _target(name: str, environment: str | None) -> Target:
    if name != "lambda" or environment is None:
        return TARGETS[name]
    settings = ROOT / "terraform/environments" / f"{environment}.tfvars"
    found = re.search(r'^architecture\s*=\s*"(\w+)"', settings.read_text(encoding="utf-8"), re.MULTILINE)
    return lambda_target(found[1]) if found else TARGETS[name]


if __name__ == "__main__":
    sys.exit(main())

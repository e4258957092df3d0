"""`make setup`: downloads the browser that takes screenshots, for the picture function and for tests.

It is Chromium as packaged for Lambda, and a Japanese font. Both are npm packages without dependencies, downloaded as
one file each and pinned by integrity hash. NPM_CONFIG_REGISTRY selects another registry.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import platform
import sys
import tarfile
import urllib.error
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.errors import DownloadError, SetupError
from tools.fetch_terraform import Fetch, download
from webordinary.browser.chromium import (
    BROWSER_FILES,
    JAPANESE,
    JAPANESE_LICENSE,
    Chromium,
    atomic_directory,
    unpack,
)


@dataclass(frozen=True)
class Package:
    """An npm package. `files` maps file names in the layer to paths in the package."""

    scope: str
    name: str
    version: str
    integrity: str
    files: Mapping[str, str]

    def url(self, registry: str) -> str:
        return f"{registry}/{self.scope}/{self.name}/-/{self.name}-{self.version}.tgz"


# The package holds Chromium for x86-64 only, so the picture function always runs on x86-64.
BROWSER = Package(
    "@sparticuz",
    "chromium",
    "153.0.0",
    "sha512-jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA==",
    {name: f"bin/{name}" for name in BROWSER_FILES},
)
# All of JIS X 0208 in 4.5 MB.
FONT = Package(
    "@expo-google-fonts",
    "biz-udpgothic",
    "0.4.2",
    "sha512-HySo5PUz//XzvqKTKiOcgvdFuyPvJBIrnhhEW7l+Q1sqxblzzHuXhIaiYx4VdLjLbNA1fNaMdTgM7wj2k1FYBQ==",
    {JAPANESE: "400Regular/BIZUDPGothic_400Regular.ttf", JAPANESE_LICENSE: "LICENSE_FONT"},
)
PACKAGES = (BROWSER, FONT)
# Named after both versions, so that a new version of either is downloaded.
FOLDER = "-".join(package.version for package in PACKAGES)
REGISTRY = "https://registry.npmjs.org"
MACHINES = ("Linux on x86_64", "Linux on AMD64")
CACHE = Path(__file__).resolve().parent.parent / ".cache/chromium"


REMEDY = "Set NPM_CONFIG_REGISTRY to a registry that this machine can reach, and run make setup again."


class UnsupportedPlatformError(SetupError):
    def __init__(self, machine: str) -> None:
        super().__init__(
            f"No browser package exists for {machine}, only for Linux on x86-64: replies of the local stack have no "
            f"pictures, and browser tests are skipped."
        )


class IntegrityError(SetupError):
    def __init__(self, url: str) -> None:
        super().__init__(f"{url} does not match the pinned integrity hash. Nothing was installed.")


def packed(cache: Path, environment: Mapping[str, str], fetch: Fetch = download) -> Path:
    """The folder with the packed browser for the layer; downloads and verifies it once."""
    folder = cache / FOLDER
    if folder.is_dir():
        return folder
    variables = {name.lower(): value for name, value in environment.items()}
    registry = (variables.get("npm_config_registry") or REGISTRY).rstrip("/")
    with atomic_directory(folder) as unfinished:
        for package in PACKAGES:
            _download_into(unfinished, package, package.url(registry), fetch)
    return folder


def _download_into(folder: Path, package: Package, url: str, fetch: Fetch) -> None:
    try:
        content = fetch(url)
    except (urllib.error.URLError, OSError) as error:
        raise DownloadError("the browser", url, str(getattr(error, "reason", error)), REMEDY) from error
    if f"sha512-{base64.b64encode(hashlib.sha512(content).digest()).decode()}" != package.integrity:
        raise IntegrityError(url)
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for name, path in package.files.items():
            file = archive.extractfile(f"package/{path}")
            if file is None:
                raise IntegrityError(url)
            (folder / name).write_bytes(file.read())


def installed(cache: Path = CACHE) -> Chromium:
    """The browser of this machine, unpacked."""
    if (machine := f"{platform.system()} on {platform.machine()}") not in MACHINES:
        raise UnsupportedPlatformError(machine)
    return unpack(packed(cache, os.environ), cache)


def main() -> int:
    try:
        installed()
    except UnsupportedPlatformError as error:
        print(error)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

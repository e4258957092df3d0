"""`make setup`: fetches the browser that takes pictures and that tests look at pages with.

It is Chromium as it is packed for Lambda, and a font for Japanese: npm packages without parts for other machines, so
each is fetched as one file, pinned with its integrity. A registry of one's own is set as npm does it, by
NPM_CONFIG_REGISTRY.
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

from tools.errors import SetupError
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
    """One of npm's. `files` are those that are wanted: the name here → the path in the package."""

    scope: str
    name: str
    version: str
    integrity: str
    files: Mapping[str, str]

    def address(self, registry: str) -> str:
        return f"{registry}/{self.scope}/{self.name}/-/{self.name}-{self.version}.tgz"


# The package carries Chromium for x86-64 only, so the function that uses it runs on x86-64 whatever the others do.
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
# Names what was fetched, so that another version of either is fetched anew.
FOLDER = "-".join(package.version for package in PACKAGES)
REGISTRY = "https://registry.npmjs.org"
MACHINES = ("Linux on x86_64", "Linux on AMD64")
CACHE = Path(__file__).resolve().parent.parent / ".cache/chromium"


class NotFetchedError(SetupError):
    def __init__(self, address: str, reason: str) -> None:
        super().__init__(
            f"The browser could not be fetched from {address} ({reason}). Set NPM_CONFIG_REGISTRY to a registry that "
            f"this machine reaches, and run make setup again."
        )


class UnsupportedPlatformError(SetupError):
    def __init__(self, machine: str) -> None:
        super().__init__(
            f"There is no packed browser for {machine}, only for Linux on x86-64: answers of this machine have no "
            f"pictures, and tests that look at pages are left out."
        )


class IntegrityError(SetupError):
    def __init__(self, address: str) -> None:
        super().__init__(f"{address} is not the package that is pinned here. Nothing was installed.")


def packed(cache: Path, environment: Mapping[str, str], fetch: Fetch = download) -> Path:
    """The folder with the packed browser as it goes into a layer, fetched and checked if it is not there yet."""
    folder = cache / FOLDER
    if folder.is_dir():
        return folder
    named = {name.lower(): value for name, value in environment.items()}
    registry = (named.get("npm_config_registry") or REGISTRY).rstrip("/")
    with atomic_directory(folder) as unfinished:
        for package in PACKAGES:
            _fetch_into(unfinished, package, package.address(registry), fetch)
    return folder


def _fetch_into(folder: Path, package: Package, address: str, fetch: Fetch) -> None:
    try:
        fetched = fetch(address)
    except (urllib.error.URLError, OSError) as error:
        raise NotFetchedError(address, str(getattr(error, "reason", error))) from error
    if f"sha512-{base64.b64encode(hashlib.sha512(fetched).digest()).decode()}" != package.integrity:
        raise IntegrityError(address)
    with tarfile.open(fileobj=io.BytesIO(fetched)) as archive:
        for name, path in package.files.items():
            content = archive.extractfile(f"package/{path}")
            if content is None:
                raise IntegrityError(address)
            (folder / name).write_bytes(content.read())


def installed(cache: Path = CACHE) -> Chromium:
    """The browser of this machine, ready to be started."""
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

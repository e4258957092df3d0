"""`make setup`: fetches the browser that takes pictures and that tests look at pages with.

It is Chromium as it is packed for Lambda: an npm package without parts for other machines, so it is fetched as one
file, pinned with its integrity. A registry of one's own is set as npm does it, by NPM_CONFIG_REGISTRY.
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
from pathlib import Path

from tools.errors import SetupError
from tools.fetch_terraform import Fetch, download
from webordinary.browser.packed import FILES, Chromium, made_whole, unpack

# The package carries Chromium for x86-64 only, so the function that uses it runs on x86-64 whatever the others do.
VERSION = "153.0.0"
INTEGRITY = "sha512-jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA=="
REGISTRY = "https://registry.npmjs.org"
MACHINES = ("Linux on x86_64", "Linux on AMD64")
CACHE = Path(__file__).resolve().parent.parent / ".cache/chromium"


class NotFetchedError(SetupError):
    def __init__(self, address: str, reason: str) -> None:
        super().__init__(
            f"The browser could not be fetched from {address} ({reason}). Set NPM_CONFIG_REGISTRY to a registry that "
            f"this machine reaches, and run make setup again."
        )


class OtherMachineError(SetupError):
    def __init__(self, machine: str) -> None:
        super().__init__(
            f"There is no packed browser for {machine}, only for Linux on x86-64: answers of this machine have no "
            f"pictures, and tests that look at pages are left out."
        )


class WrongPackageError(SetupError):
    def __init__(self, address: str) -> None:
        super().__init__(f"{address} is not the browser {VERSION} that is pinned here. Nothing was installed.")


def packed(cache: Path, environment: Mapping[str, str], fetch: Fetch = download) -> Path:
    """The folder with the packed browser as it goes into a layer, fetched and checked if it is not there yet."""
    folder = cache / VERSION
    if folder.is_dir():
        return folder
    named = {name.lower(): value for name, value in environment.items()}
    registry = (named.get("npm_config_registry") or REGISTRY).rstrip("/")
    address = f"{registry}/@sparticuz/chromium/-/chromium-{VERSION}.tgz"
    try:
        package = fetch(address)
    except (urllib.error.URLError, OSError) as error:
        raise NotFetchedError(address, str(getattr(error, "reason", error))) from error
    if f"sha512-{base64.b64encode(hashlib.sha512(package).digest()).decode()}" != INTEGRITY:
        raise WrongPackageError(address)
    with made_whole(folder) as unfinished, tarfile.open(fileobj=io.BytesIO(package)) as archive:
        for name in FILES:
            content = archive.extractfile(f"package/bin/{name}")
            if content is None:
                raise WrongPackageError(address)
            (unfinished / name).write_bytes(content.read())
    return folder


def installed(cache: Path = CACHE) -> Chromium:
    """The browser of this machine, ready to be started."""
    if (machine := f"{platform.system()} on {platform.machine()}") not in MACHINES:
        raise OtherMachineError(machine)
    return unpack(packed(cache, os.environ), cache)


def main() -> int:
    try:
        installed()
    except OtherMachineError as error:
        print(error)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

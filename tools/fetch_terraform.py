"""`make setup`: fetches Terraform into the environment where this machine has none that is new enough.

The version is pinned, and so is what its archive must be. An address of one's own (a mirror inside a company) is set by
WEBORDINARY_TERRAFORM_RELEASES; it has the same files below the same names.
"""

from __future__ import annotations

import hashlib
import http.client
import io
import os
import platform
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from tools.errors import SetupError
from tools.terraform_workspace import DOWNLOAD_PAGE, TerraformMissingError, TerraformTooOldError, find_version

VERSION = "1.11.4"
RELEASES = "https://releases.hashicorp.com/terraform"
RELEASES_VARIABLE = "WEBORDINARY_TERRAFORM_RELEASES"
SHA256 = {
    "linux_amd64": "1ce994251c00281d6845f0f268637ba50c0005657eb3cf096b92f753b42ef4dc",
    "linux_arm64": "a43d1d0da9b9bab214a8305a39db0e40869572594ccf50c416a7756499143633",
    "darwin_amd64": "a56d5002b9f7647291faccc3dd1a70350e60fb61e4c45037629508b8fdc2575b",
    "darwin_arm64": "867e0808fa971217043e25b7a792b10720c79b1546f8a68479b74f138be73e18",
}
ARCHITECTURES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
SECONDS = 120

Fetch = Callable[[str], bytes]


class UnsupportedMachineError(SetupError):
    def __init__(self, machine: str) -> None:
        super().__init__(f"There is no pinned Terraform for {machine}. Install 1.11 or newer from {DOWNLOAD_PAGE}.")


class NotFetchedError(SetupError):
    def __init__(self, address: str, reason: str) -> None:
        super().__init__(
            f"Terraform could not be fetched from {address} ({reason}). Put Terraform 1.11 or newer on the PATH "
            f"yourself, or set {RELEASES_VARIABLE} to an address that has the releases, and run make setup again."
        )


class WrongArchiveError(SetupError):
    def __init__(self, address: str) -> None:
        super().__init__(f"{address} is not the Terraform {VERSION} that is pinned here. Nothing was installed.")


def machine() -> str:
    name = f"{platform.system().lower()}_{ARCHITECTURES.get(platform.machine().lower(), platform.machine())}"
    if name not in SHA256:
        raise UnsupportedMachineError(name)
    return name


def install(folder: Path, environment: Mapping[str, str], fetch: Fetch, name: str) -> Path:
    """Fetches, checks and installs the pinned version into a folder."""
    releases = (environment.get(RELEASES_VARIABLE) or RELEASES).rstrip("/")
    address = f"{releases}/{VERSION}/terraform_{VERSION}_{name}.zip"
    try:
        archive = fetch(address)
    except (urllib.error.URLError, OSError) as error:
        raise NotFetchedError(address, str(getattr(error, "reason", error))) from error
    if hashlib.sha256(archive).hexdigest() != SHA256[name]:
        raise WrongArchiveError(address)
    program = folder / "terraform"
    unfinished = folder / "terraform.new"
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        unfinished.write_bytes(opened.read("terraform"))
    unfinished.chmod(0o755)
    unfinished.replace(program)
    return program


def download(address: str) -> bytes:
    """Tried a few times: a large file does not always come in one go. What the server refuses is refused at once."""
    for waiting in (1, 3, None):
        try:
            with urllib.request.urlopen(address, timeout=SECONDS) as answer:  # noqa: S310 (its content is checked)
                content: bytes = answer.read()
                return content
        except urllib.error.HTTPError:
            raise
        except (OSError, http.client.HTTPException) as error:
            if waiting is None:
                raise OSError(str(error)) from error
            time.sleep(waiting)
    raise AssertionError  # the last try returns or raises


def main() -> int:
    try:
        find_version(os.environ)
    except (TerraformMissingError, TerraformTooOldError):
        pass
    else:
        return 0
    try:
        program = install(Path(sys.executable).parent, os.environ, download, machine())
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Terraform {VERSION} was installed as {program}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

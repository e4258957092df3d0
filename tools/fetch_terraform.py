"""`make setup`: installs Terraform into .venv unless the machine has a recent version.

The version and the hash of its archive are pinned. WEBORDINARY_TERRAFORM_RELEASES sets a mirror with the same layout as
releases.hashicorp.com.
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

from tools.errors import DownloadError, SetupError
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
TIMEOUT_SECONDS = 120

Fetch = Callable[[str], bytes]


class UnsupportedMachineError(SetupError):
    def __init__(self, machine: str) -> None:
        super().__init__(
            f"No pinned Terraform exists for {machine}. Install version 1.11 or newer from {DOWNLOAD_PAGE}."
        )


REMEDY = (
    "Install Terraform 1.11 or newer yourself, "
    f"or set {RELEASES_VARIABLE} to a mirror of the releases, and run make setup again."
)


class WrongArchiveError(SetupError):
    def __init__(self, url: str) -> None:
        super().__init__(f"{url} does not match the pinned hash of Terraform {VERSION}. Nothing was installed.")


def machine() -> str:
    name = f"{platform.system().lower()}_{ARCHITECTURES.get(platform.machine().lower(), platform.machine())}"
    if name not in SHA256:
        raise UnsupportedMachineError(name)
    return name


def install(folder: Path, environment: Mapping[str, str], fetch: Fetch, name: str) -> Path:
    """Downloads, verifies and installs the pinned version into a folder."""
    releases = (environment.get(RELEASES_VARIABLE) or RELEASES).rstrip("/")
    url = f"{releases}/{VERSION}/terraform_{VERSION}_{name}.zip"
    try:
        archive = fetch(url)
    except (urllib.error.URLError, OSError) as error:
        raise DownloadError("Terraform", url, str(getattr(error, "reason", error)), REMEDY) from error
    if hashlib.sha256(archive).hexdigest() != SHA256[name]:
        raise WrongArchiveError(url)
    program = folder / "terraform"
    unfinished = folder / "terraform.new"
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        unfinished.write_bytes(opened.read("terraform"))
    unfinished.chmod(0o755)
    unfinished.replace(program)
    return program


def download(url: str) -> bytes:
    """Retries broken connections twice; HTTP errors are raised at once."""
    for delay in (1, 3, None):
        try:
            with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as response:  # noqa: S310 (the content is verified)
                content: bytes = response.read()
                return content
        except urllib.error.HTTPError:
            raise
        except (OSError, http.client.HTTPException) as error:
            if delay is None:
                raise OSError(str(error)) from error
            time.sleep(delay)
    raise AssertionError  # unreachable: the last attempt returns or raises


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
    print(f"Installed Terraform {VERSION} as {program}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

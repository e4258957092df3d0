"""Chromium as its package brings it: a program, its graphics, its fonts and the libraries that Amazon Linux lacks; and
a font for Japanese, of which a function's machine has none.

Most of it is compressed, because a function may only be so large; it is unpacked once for every machine that runs it.
"""

from __future__ import annotations

import ctypes
import io
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import brotli

PROGRAM = "chromium.br"
GRAPHICS = "swiftshader.tar.br"
FONTS = "fonts.tar.br"
LIBRARIES = "al2023.tar.br"
JAPANESE = "japanese.ttf"
JAPANESE_LICENSE = "japanese.ttf.license"
BROWSER_FILES = (PROGRAM, GRAPHICS, FONTS, LIBRARIES)
FILES = (*BROWSER_FILES, JAPANESE, JAPANESE_LICENSE)

READ_AT_ONCE = 1 << 20

FONT_SETTINGS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>{fonts}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>{cache}</cachedir>
</fontconfig>
"""


class IncompletePackageError(Exception):
    def __init__(self, folder: Path, missing: list[str]) -> None:
        super().__init__(f"There is no packed browser in {folder}: {', '.join(missing)} is missing.")


@dataclass(frozen=True)
class Chromium:
    """An unpacked browser."""

    folder: Path

    @property
    def program(self) -> Path:
        return self.folder / "chromium"

    @property
    def font_settings(self) -> Path:
        return self.folder / "fonts.conf"

    @property
    def library_path(self) -> str:
        """Where the program finds what the machine lacks. A machine that has its own libraries keeps to them."""
        brought = self.folder / "lib"
        wanted = [file.name for file in brought.glob("*.so*")]
        return str(self.folder) if all(map(_loads, wanted)) else f"{brought}:{self.folder}"


def unpack(packed: Path, parent: Path) -> Chromium:
    """Unpacks below a folder, once: whoever comes later, or at the same time, gets what is there.

    The name tells one package from another, so that a newer one is not mistaken for what was unpacked before.
    """
    if missing := [name for name in FILES if not (packed / name).is_file()]:
        raise IncompletePackageError(packed, missing)
    folder = parent / f"chromium-{'-'.join(str((packed / name).stat().st_size) for name in FILES)}"
    if folder.is_dir():
        return Chromium(folder)
    with atomic_directory(folder) as unfinished:
        _unpack_program(packed / PROGRAM, unfinished / "chromium")
        for name in (GRAPHICS, FONTS, LIBRARIES):
            _unpack_tar(packed / name, unfinished)
        for name in (JAPANESE, JAPANESE_LICENSE):
            shutil.copyfile(packed / name, unfinished / "fonts" / name)
        settings = FONT_SETTINGS.format(fonts=folder / "fonts", cache=folder / "font-cache")
        (unfinished / "fonts.conf").write_text(settings, encoding="utf-8")
    return Chromium(folder)


@contextmanager
def atomic_directory(folder: Path) -> Iterator[Path]:
    """A place to fill, which becomes `folder` once it is complete. Of several who make it at once, the first wins."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
    try:
        yield unfinished
        unfinished.chmod(0o755)
        try:
            unfinished.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _unpack_program(source: Path, target: Path) -> None:
    with target.open("wb") as program:
        for part in _decompressed(source):
            program.write(part)
    target.chmod(0o755)


def _unpack_tar(source: Path, folder: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(b"".join(_decompressed(source)))) as archive:
        archive.extractall(folder, filter="data")


def _decompressed(source: Path) -> Iterator[bytes]:
    stream = brotli.Decompressor()
    with source.open("rb") as compressed:
        while part := compressed.read(READ_AT_ONCE):
            yield stream.process(part)


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library, mode=os.RTLD_LAZY)
    except OSError:
        return False
    return True

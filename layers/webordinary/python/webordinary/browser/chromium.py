"""Chromium from its package: the program, graphics, fonts and libraries that Amazon Linux lacks, plus a Japanese font.

Most of it is compressed because of Lambda's size limit; it is unpacked once per machine.
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

from webordinary.archives import unpack_tar

PROGRAM = "chromium.br"
GRAPHICS = "swiftshader.tar.br"
FONTS = "fonts.tar.br"
LIBRARIES = "al2023.tar.br"
JAPANESE = "japanese.ttf"
JAPANESE_LICENSE = "japanese.ttf.license"
BROWSER_FILES = (PROGRAM, GRAPHICS, FONTS, LIBRARIES)
FILES = (*BROWSER_FILES, JAPANESE, JAPANESE_LICENSE)

CHUNK_SIZE = 1 << 20

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
        super().__init__(f"Incomplete browser package in {folder}: missing {', '.join(missing)}.")


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
        """Library search path: the packaged libraries are used only if the machine lacks one of them."""
        packaged = self.folder / "lib"
        names = [file.name for file in packaged.glob("*.so*")]
        return str(self.folder) if all(map(_loads, names)) else f"{packaged}:{self.folder}"


def unpack(package: Path, parent: Path) -> Chromium:
    """Unpacks the package below `parent` once; later and concurrent calls reuse the directory.

    The directory name contains the file sizes, so that a newer package gets another directory.
    """
    if missing := [name for name in FILES if not (package / name).is_file()]:
        raise IncompletePackageError(package, missing)
    folder = parent / f"chromium-{'-'.join(str((package / name).stat().st_size) for name in FILES)}"
    if folder.is_dir():
        return Chromium(folder)
    with atomic_directory(folder) as unfinished:
        _unpack_program(package / PROGRAM, unfinished / "chromium")
        for name in (GRAPHICS, FONTS, LIBRARIES):
            _unpack_tar(package / name, unfinished)
        for name in (JAPANESE, JAPANESE_LICENSE):
            shutil.copyfile(package / name, unfinished / "fonts" / name)
        settings = FONT_SETTINGS.format(fonts=folder / "fonts", cache=folder / "font-cache")
        (unfinished / "fonts.conf").write_text(settings, encoding="utf-8")
    return Chromium(folder)


@contextmanager
def atomic_directory(folder: Path) -> Iterator[Path]:
    """A temporary directory that is renamed to `folder` when complete. Of concurrent callers, the first wins."""
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
        unpack_tar(archive, folder)


def _decompressed(source: Path) -> Iterator[bytes]:
    stream = brotli.Decompressor()
    with source.open("rb") as compressed:
        while part := compressed.read(CHUNK_SIZE):
            yield stream.process(part)


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library, mode=os.RTLD_LAZY)
    except OSError:
        return False
    return True

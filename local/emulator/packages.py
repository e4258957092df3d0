"""Unpacks the archives of functions and layers, each digest once."""

import io
import shutil
import tempfile
import threading
import zipfile
from pathlib import Path


class Packages:
    """A folder with one unpacked archive per digest."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)

    def unpack(self, archive: bytes, digest: str) -> Path:
        """The folder with the archive's content. It is created atomically."""
        target = self._folder / digest
        with self._lock:
            if not target.exists():
                unfinished = Path(tempfile.mkdtemp(prefix="unpacking-", dir=self._folder))
                try:
                    _extract(archive, unfinished)
                    unfinished.rename(target)
                except BaseException:
                    shutil.rmtree(unfinished)
                    raise
        return target


def _extract(archive: bytes, folder: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(archive)) as content:
        for member in content.infolist():
            extracted = Path(content.extract(member, folder))
            # zipfile drops permissions, which programs in a layer need.
            permissions = (member.external_attr >> 16) & 0o777
            if permissions and not member.is_dir():
                extracted.chmod(permissions)


def python_folders(layer: Path) -> list[Path]:
    """The folders of a layer that Lambda adds to the Python path."""
    python = layer / "python"
    return [folder for folder in (*python.glob("lib/python3.*/site-packages"), python) if folder.is_dir()]

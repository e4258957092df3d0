"""Unpacks the archives of functions and layers, each content once."""

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
        self._one_at_a_time = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)

    def unpack(self, archive: bytes, digest: str) -> Path:
        """The folder with an archive's content. It appears complete or not at all."""
        target = self._folder / digest
        with self._one_at_a_time:
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
            # zipfile drops permissions, and programs in a layer need theirs.
            permissions = (member.external_attr >> 16) & 0o777
            if permissions and not member.is_dir():
                extracted.chmod(permissions)


def python_folders(layer: Path) -> list[Path]:
    """Where Lambda looks for Python modules in a layer."""
    python = layer / "python"
    return [folder for folder in (*python.glob("lib/python3.*/site-packages"), python) if folder.is_dir()]

"""Removes the mail's pictures that no page shows: their addresses could be guessed."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from webordinary_worker.confinement.safe_copy import open_folder, remove
from webordinary_worker.deploy.built_files import ChangedFileError, SiteFiles
from webordinary_worker.git.work_tree import WorkTree

# Files of a built site that may name a picture.
TEXTS = (".html", ".htm", ".css", ".js", ".mjs", ".json", ".webmanifest", ".svg", ".xml", ".txt", ".xhtml")
SOURCES = (*TEXTS, ".astro", ".md", ".mdx", ".ts", ".tsx", ".jsx", ".vue", ".svelte", ".scss", ".yaml", ".yml", ".toml")
MAX_SOURCE_BYTES = 2 * 1024 * 1024


def remove_unused(tree: WorkTree, site: SiteFiles, uploads: Collection[str]) -> None:
    """Removes new uploads that neither a built page names nor a source file imports, from tree and built site."""
    if not uploads:
        return
    names = {path: PurePosixPath(path).name for path in set(uploads) & set(tree.changed_files())}
    if not names:
        return
    digests = site.digests()
    used = _used(names, (_content(site, path, digests[path]) for path in digests if path.endswith(TEXTS)))
    used |= _used({path: name for path, name in names.items() if path not in used}, _imports(tree.folder))
    for path in names.keys() - used:
        (tree.folder / path).unlink(missing_ok=True)
        ending = "/".join(PurePosixPath(path).parts[-2:])
        for built in digests:
            if built == ending or built.endswith(f"/{ending}"):
                _remove_built(site.folder, built)


def _used(names: dict[str, str], texts: Iterable[bytes]) -> set[str]:
    used: set[str] = set()
    for text in texts:
        for path, name in names.items():
            if path not in used and any(
                form.encode() in text for form in {name, quote(name), name.replace("&", "&amp;")}
            ):
                used.add(path)
        if len(used) == len(names):
            break
    return used


def _content(site: SiteFiles, path: str, digest: str) -> bytes:
    try:
        return site.read(path, digest)
    except ChangedFileError:
        return b""


def _imports(folder: Path) -> Iterable[bytes]:
    """The lines of source files that name the folder of uploads with its whole path, as an import does."""
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != "node_modules" and not name.startswith(".")]
        for path in (Path(parent, name) for name in files if name.endswith(SOURCES)):
            if not path.is_symlink() and path.stat().st_size <= MAX_SOURCE_BYTES:
                yield b"\n".join(line for line in path.read_bytes().split(b"\n") if b"public/uploads/" in line)


def _remove_built(folder: Path, path: str) -> None:
    *parents, name = PurePosixPath(path).parts
    with suppress(OSError), open_folder(folder.joinpath(*parents)) as parent:
        remove(name, parent)

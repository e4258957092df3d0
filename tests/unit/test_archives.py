"""Archives that try to write outside of their folder, or more than plain files into it."""

from __future__ import annotations

import io
import os
import stat
import tarfile
from pathlib import Path

import pytest

from webordinary.archives import UnsafeArchiveError, unpack_tar

LINK, HARD_LINK, FOLDER = tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE


def entry(
    name: str, kind: bytes = tarfile.REGTYPE, target: str = "", content: bytes = b"", mode: int = 0o644
) -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(name)
    member.type, member.linkname, member.size, member.mode = kind, target, len(content), mode
    return member, content


Entries = tuple[tuple[tarfile.TarInfo, bytes], ...]

# Python's own filter refuses these too.
REFUSED: dict[str, Entries] = {
    "name with dots": (entry("../outside", content=b"x"),),
    "name with dots below a folder": (entry("a/../../outside", content=b"x"),),
    "absolute name with dots": (entry("/../outside", content=b"x"),),
    "absolute link": (entry("link", LINK, "/etc"),),
    "link to the folder above": (entry("link", LINK, ".."),),
    "link that goes down before it leaves": (entry("a/link", LINK, "b/../../../outside"),),
    "file through a link to the outside": (entry("link", LINK, "../victim"), entry("link/new", content=b"x")),
    "link below a link": (
        entry("a/b", FOLDER),
        entry("a/b/up", LINK, "../.."),
        entry("a/b/up/link", LINK, "../../../victim"),
    ),
    "absolute hard link": (entry("link", HARD_LINK, "/etc/passwd"),),
    "hard link to the outside": (entry("link", HARD_LINK, "../victim/file"),),
    "hard link to a missing file": (entry("link", HARD_LINK, "missing"),),
    "character device": (entry("device", tarfile.CHRTYPE),),
    "block device": (entry("device", tarfile.BLKTYPE),),
    "pipe": (entry("pipe", tarfile.FIFOTYPE),),
}

# Python's filter accepts these in some versions.
REFUSED_HERE: dict[str, Entries] = {
    "hard link to a later link": (entry("a", HARD_LINK, "b"), entry("b", LINK, "c")),
    "hard link to itself": (entry("a", HARD_LINK, "a", mode=0o4755),),
    "file through a link inside": (entry("real", FOLDER), entry("link", LINK, "real"), entry("link/new", content=b"x")),
    "file instead of the folder": (entry(".", content=b"x"),),
}


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    folder = tmp_path / "victim"
    folder.mkdir()
    (folder / "file").write_text("untouched")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "unpacked"
    folder.mkdir()
    return folder


def archive_of(entries: Entries) -> tarfile.TarFile:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for member, data in entries:
            archive.addfile(member, io.BytesIO(data))
    content.seek(0)
    return tarfile.open(fileobj=content)


def leaves(folder: Path) -> bool:
    return any(
        not Path(os.path.realpath(path)).is_relative_to(folder.resolve())
        for path in folder.rglob("*")
        if path.is_symlink()
    )


@pytest.mark.parametrize("entries", [*REFUSED.values(), *REFUSED_HERE.values()], ids=[*REFUSED, *REFUSED_HERE])
def test_unsafe_archive_is_refused(entries: Entries, folder: Path, victim: Path) -> None:
    with archive_of(entries) as archive, pytest.raises((UnsafeArchiveError, OSError)):
        unpack_tar(archive, folder)

    assert sorted(path.name for path in folder.parent.iterdir()) == ["unpacked", "victim"]
    assert [path.read_text() for path in victim.iterdir()] == ["untouched"]
    assert not leaves(folder)


@pytest.mark.skipif(not hasattr(tarfile, "data_filter"), reason="Python 3.11.4 added the filter")
@pytest.mark.parametrize("entries", REFUSED.values(), ids=REFUSED)
def test_python_filter_refuses_the_same_archives(entries: Entries, folder: Path, victim: Path) -> None:
    with archive_of(entries) as archive, pytest.raises((tarfile.TarError, OSError, KeyError)):
        archive.extractall(folder, filter="data")


def test_absolute_name_is_unpacked_into_the_folder(folder: Path) -> None:
    with archive_of((entry("/etc/passwd", content=b"x"),)) as archive:
        unpack_tar(archive, folder)

    assert (folder / "etc/passwd").read_bytes() == b"x"


def test_link_keeps_inside_whatever_other_links_do(folder: Path, victim: Path) -> None:
    links = (entry("a/b", FOLDER), entry("out", LINK, "a/b/up/../victim"), entry("a/b/up", LINK, "../.."))
    for order in (links, links[::-1]):
        with archive_of(order) as archive:
            unpack_tar(archive, folder)

        assert not leaves(folder)
        assert str((folder / "out").readlink()) == "a/b/victim"


def test_archive_cannot_write_through_a_link_of_an_earlier_one(folder: Path) -> None:
    with archive_of((entry("a/b", FOLDER), entry("a/b/up", LINK, "../.."))) as archive:
        unpack_tar(archive, folder)

    with archive_of((entry("a/b/up/file", content=b"x"),)) as archive, pytest.raises(UnsafeArchiveError):
        unpack_tar(archive, folder)


def test_file_replaces_a_link_instead_of_writing_through_it(folder: Path, victim: Path) -> None:
    (folder / "file").symlink_to(victim / "file")

    with archive_of((entry("file", content=b"x"),)) as archive:
        unpack_tar(archive, folder)

    assert (victim / "file").read_text() == "untouched"
    assert (folder / "file").read_bytes() == b"x"


@pytest.mark.parametrize(
    ("packed", "unpacked"),
    [(0o4755, 0o755), (0o2777, 0o755), (0o1666, 0o644), (0o000, 0o600), (0o600, 0o600), (0o611, 0o600), (0o711, 0o711)],
)
def test_permissions_are_limited(packed: int, unpacked: int, folder: Path) -> None:
    with archive_of((entry("file", mode=packed), entry("copy", HARD_LINK, "file", mode=0o6777))) as archive:
        unpack_tar(archive, folder)

    assert stat.S_IMODE((folder / "file").stat().st_mode) == unpacked
    assert (folder / "copy").samefile(folder / "file")


def test_folder_permissions_are_not_those_of_the_archive(folder: Path) -> None:
    with archive_of((entry("closed", FOLDER, mode=0o6000), entry("closed/file", content=b"x"))) as archive:
        unpack_tar(archive, folder)

    made = folder / "made"
    made.mkdir()
    assert (folder / "closed").stat().st_mode == made.stat().st_mode


def test_files_belong_to_the_running_user(folder: Path) -> None:
    entries = (entry("folder", FOLDER), entry("folder/file", content=b"x"), entry("link", LINK, "folder"))
    for member, _ in entries:
        member.uid, member.gid, member.uname, member.gname = 65534, 65534, "nobody", "nogroup"
    with archive_of(entries) as archive:
        unpack_tar(archive, folder)

    for path in folder.rglob("*"):
        assert (path.lstat().st_uid, path.lstat().st_gid) == (os.geteuid(), os.getegid()), path


def test_ordinary_archive_is_unpacked_whole(folder: Path) -> None:
    entries = (
        entry("./", FOLDER),
        entry("./src/pages", FOLDER),
        entry("./src/pages/index.astro", content=b"hello"),
        entry("./run", content=b"#!", mode=0o755),
        entry("./latest", LINK, "src/pages/../pages/index.astro"),
        entry("./src/root", LINK, ".."),
        entry("./dangling", LINK, "nothing/here"),
        entry("./run", content=b"second", mode=0o755),
    )
    with archive_of(entries) as archive:
        unpack_tar(archive, folder)

    assert (folder / "latest").read_bytes() == b"hello"
    assert (folder / "src/root/run").read_bytes() == b"second"
    assert os.access(folder / "run", os.X_OK)
    assert str((folder / "dangling").readlink()) == "nothing/here"

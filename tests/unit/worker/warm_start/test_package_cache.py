"""Packages stored for the next worker: restored if valid, ignored if not."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from backports import zstd

from tests.support.world import PAIR, World
from tests.unit.worker.warm_start.successive_workers import run_now
from webordinary.contract.messages.base import Pair
from webordinary_worker.confinement.limits import Limits
from webordinary_worker.confinement.processes import Confinement
from webordinary_worker.site.packages.installer import InstallRecord
from webordinary_worker.site.packages.manager_process import RECORD
from webordinary_worker.warm_start.package_cache import PackageCache
from webordinary_worker.warm_start.tar_store import TarStore

NAME, OTHER = "0" * 32, "1" * 32
KEY = "sessions/bakery/ada/archive/packages.tar.zst"


class Machine:
    """A worker's disk and its archive."""

    def __init__(self, world: World, cache: Path, pair: Pair = PAIR, **limits: int) -> None:
        self.cache = cache
        bucket, prefix = world.names.bucket("media"), world.names.object_prefix("archives", pair)
        store = TarStore(world.s3, bucket, prefix, Confinement("test"), Limits.model_validate(limits), run_now)
        self.packages = PackageCache(store, cache)

    def install(self, name: str = NAME, text: str = "code", *places: str) -> None:
        folder = self.cache / name / "node_modules"
        (folder / ".bin").mkdir(parents=True)
        (folder / "astro.js").write_text(text)
        (folder / "astro.js").chmod(0o755)
        (folder / ".bin/astro").symlink_to("../astro.js")
        facts = InstallRecord(manager="npm", version="11", lock="package-lock.json", stale=False, places=("", *places))
        (folder.parent / RECORD).write_text(facts.model_dump_json())

    def store(self) -> None:
        self.packages.store()

    def restore(self) -> list[str]:
        self.packages.start_restore()
        self.packages.wait()
        return sorted(path.name for path in self.cache.iterdir())


@pytest.fixture
def bucket(world: World) -> str:
    name = world.names.bucket("media")
    world.s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    return name


@pytest.fixture
def first(world: World, bucket: str, tmp_path: Path) -> Machine:
    machine = Machine(world, tmp_path / "first")
    machine.install()
    return machine


@pytest.fixture
def later(world: World, bucket: str, tmp_path: Path) -> Machine:
    return Machine(world, tmp_path / "later")


def test_next_worker_has_the_installed_packages(first: Machine, later: Machine) -> None:
    first.store()

    assert later.restore() == [NAME]
    packages = later.cache / NAME / "node_modules"
    assert (packages / ".bin/astro").read_text() == "code"
    assert (packages / "astro.js").stat().st_mode & 0o777 == 0o755


def test_other_pair_does_not_get_the_packages(first: Machine, world: World, tmp_path: Path) -> None:
    first.store()

    assert Machine(world, tmp_path / "other", Pair(project="bakery", user="bob")).restore() == []


def test_without_an_archive_nothing_is_restored(later: Machine) -> None:
    assert later.restore() == []


def test_restored_archive_is_not_stored_again(first: Machine, later: Machine, world: World, bucket: str) -> None:
    first.store()
    later.restore()
    world.s3.delete_object(Bucket=bucket, Key=KEY)

    later.store()

    assert "Contents" not in world.s3.list_objects_v2(Bucket=bucket)


def test_only_the_newest_installations_are_stored(first: Machine, later: Machine) -> None:
    for number in range(1, 4):
        first.install(str(number) * 32)
        os.utime(first.cache / (str(number) * 32), (2e9 + number, 2e9 + number))
    (first.cache / "installing-something").mkdir()

    first.store()

    assert later.restore() == ["2" * 32, "3" * 32]


def test_existing_installation_is_not_replaced(first: Machine, later: Machine) -> None:
    first.store()
    later.install(text="installed meanwhile")

    later.restore()

    assert (later.cache / NAME / "node_modules/astro.js").read_text() == "installed meanwhile"


def packed(add: Callable[[tarfile.TarFile], None]) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        add(archive)
    return zstd.compress(content.getvalue())


def entry(name: str, kind: bytes = tarfile.REGTYPE, **more: Any) -> Callable[[tarfile.TarFile], None]:
    def add(archive: tarfile.TarFile) -> None:
        folder = tarfile.TarInfo(NAME)
        folder.type, folder.mode = tarfile.DIRTYPE, 0o755
        archive.addfile(folder)
        member = tarfile.TarInfo(name)
        member.type, member.mode = kind, 0o644
        for key, value in more.items():
            setattr(member, key, value)
        archive.addfile(member)

    return add


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no archive at all",
        zstd.compress(b"nor this one"),
        packed(entry(f"{NAME}/file"))[:-30],
        packed(entry("../outside")),
        packed(entry("/var/outside")),
        packed(entry(f"{NAME}/../../outside")),
        packed(entry("something-else/file")),
        packed(entry(f"{NAME}/link", tarfile.SYMTYPE, linkname="/etc/passwd")),
        packed(entry(f"{NAME}/link", tarfile.SYMTYPE, linkname="../../first")),
        packed(entry(f"{NAME}/link", tarfile.LNKTYPE, linkname="../../../../../../../../etc/passwd")),
        packed(entry(f"{NAME}/pipe", tarfile.FIFOTYPE)),
        packed(entry(f"{NAME}/device", tarfile.CHRTYPE, devmajor=1, devminor=3)),
        packed(entry(f"{NAME}/file", mode=0o4755)),
        packed(entry(OTHER, tarfile.SYMTYPE, linkname="..")),
    ],
    ids=lambda content: f"{len(content)} bytes",
)
def test_malicious_or_damaged_archive_is_not_used(
    later: Machine, world: World, bucket: str, tmp_path: Path, content: bytes
) -> None:
    world.s3.put_object(Bucket=bucket, Key=KEY, Body=content)

    restored = later.restore()

    assert not (tmp_path / "outside").exists()
    used = [path for name in restored for path in (later.cache / name).rglob("*")]
    assert all(path.is_file() and not path.is_symlink() and path.stat().st_mode & 0o7000 == 0 for path in used)


@pytest.mark.parametrize("limits", [{"archive_bytes": 100}, {"unpacked_bytes": 5000}])
def test_too_large_archive_is_not_used(first: Machine, world: World, tmp_path: Path, limits: dict[str, int]) -> None:
    first.store()

    assert Machine(world, tmp_path / "later", PAIR, **limits).restore() == []


@pytest.mark.parametrize("place", ["../elsewhere", "/etc", "packages/../../.."])
def test_installation_linked_outside_is_not_used(first: Machine, later: Machine, place: str) -> None:
    first.install(OTHER, "code", place)
    first.store()

    assert later.restore() == []


def test_too_large_archive_is_not_stored(world: World, bucket: str, tmp_path: Path) -> None:
    machine = Machine(world, tmp_path / "first", archive_bytes=100)
    machine.install()

    machine.store()

    assert "Contents" not in world.s3.list_objects_v2(Bucket=bucket)

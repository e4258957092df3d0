"""A repository's objects for the next worker: they speed up its clone and are never trusted."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from backports import zstd
from moto.moto_api._internal.models import moto_api_backend

from tests.support.world import World
from tests.unit.worker.small_site import PAGE, SmallSite
from tests.unit.worker.warm_start.successive_workers import WarmWorker, make_bucket

KEY = "sessions/bakery/ada/archive/repository.tar.zst"
PICTURE = "public/picture.bin"
Start = Callable[[], WarmWorker]


@pytest.fixture
def bucket(world: World) -> str:
    return make_bucket(world)


@pytest.fixture
def start(world: World, bucket: str, site: SmallSite, tmp_path: Path) -> Start:
    """Starts the pair's next worker."""
    numbers = iter(range(10))
    return lambda: WarmWorker(world, tmp_path / f"worker-{next(numbers)}", site.remote.as_uri())


class Archived(NamedTuple):
    remote: Path
    archive: bytes


@pytest.fixture(scope="module")
def archived(memory_aws: None, tmp_path_factory: pytest.TempPathFactory) -> Archived:
    """A repository that is large enough, and the archive that a worker stores of it. Tests get copies."""
    moto_api_backend.reset()
    world, folder = World(), tmp_path_factory.mktemp("archived")
    bucket, site = make_bucket(world), SmallSite(folder)
    site.push_as_developer(PICTURE, os.urandom(400_000).hex(), "A picture", branch="main")
    worker = WarmWorker(world, folder / "worker", site.remote.as_uri())
    worker.open()
    worker.store()
    return Archived(site.remote, world.s3.get_object(Bucket=bucket, Key=KEY)["Body"].read())


@pytest.fixture
def archive_stored(archived: Archived, site: SmallSite, world: World, bucket: str) -> None:
    shutil.rmtree(site.remote)
    shutil.copytree(archived.remote, site.remote)
    world.s3.put_object(Bucket=bucket, Key=KEY, Body=archived.archive)


def has_picture(worker: WarmWorker, site: SmallSite) -> bool:
    """Whether the contents are in the local repository."""
    picture = site.git("rev-parse", f"main:{PICTURE}", cwd=site.remote).strip()
    command = ["git", "cat-file", "--batch-check", "--batch-all-objects"]
    listed = subprocess.run(command, cwd=worker.repository, check=True, capture_output=True, text=True).stdout
    return picture in listed


def stored(world: World, bucket: str) -> dict[str, bytes]:
    body = world.s3.get_object(Bucket=bucket, Key=KEY)["Body"].read()
    with tarfile.open(fileobj=io.BytesIO(zstd.decompress(body))) as archive:
        return {member.name: found.read() for member in archive if (found := archive.extractfile(member))}


def store(world: World, bucket: str, files: dict[str, bytes]) -> None:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    world.s3.put_object(Bucket=bucket, Key=KEY, Body=zstd.compress(content.getvalue()))


def test_next_worker_fetches_only_newer_commits(archive_stored: None, site: SmallSite, start: Start) -> None:
    site.push_as_developer(PAGE, "written since\n", branch="main")
    later = start()

    tree = later.open()

    assert (tree.folder / PAGE).read_text() == "written since\n"
    packs = sorted((later.repository / "objects/pack").glob("*.pack"), key=lambda path: path.stat().st_size)
    assert packs[-1].stat().st_size > 400_000  # the archive's
    assert sum(path.stat().st_size for path in packs[:-1]) < 10_000


def test_archive_contains_only_objects_and_tips(archive_stored: None, world: World, bucket: str) -> None:
    assert set(stored(world, bucket)) == {"objects.pack", "tips"}


@pytest.mark.parametrize("name", ["config", "hooks/post-checkout", "objects/info/alternates", "packed-refs", "HEAD"])
def test_archive_with_other_files_is_not_used(
    archive_stored: None, site: SmallSite, world: World, bucket: str, start: Start, name: str
) -> None:
    store(world, bucket, {**stored(world, bucket), name: b"[core]\n\tsshCommand = touch /tmp/taken-over\n"})
    later = start()

    tree = later.open()

    assert (tree.folder / PICTURE).is_file()
    own = {path.name for path in later.repository.iterdir()}
    assert own.isdisjoint({"packed-refs"})
    assert b"taken-over" not in b"".join(path.read_bytes() for path in later.repository.rglob("*") if path.is_file())


def test_damaged_objects_are_not_used(archive_stored: None, world: World, bucket: str, start: Start) -> None:
    files = stored(world, bucket)
    middle = len(files["objects.pack"]) // 2
    files["objects.pack"] = files["objects.pack"][:middle] + b"damaged" + files["objects.pack"][middle + 7 :]
    store(world, bucket, files)

    tree = start().open()

    assert (tree.folder / PICTURE).is_file()


@pytest.mark.parametrize(
    "tips", [b"--upload-pack=touch\n", b"refs/heads/main\n", b"0" * 40 + b"\n", b"\xff\n", b""], ids=repr
)
def test_invalid_tips_do_not_break_the_clone(
    archive_stored: None, site: SmallSite, world: World, bucket: str, start: Start, tips: bytes
) -> None:
    store(world, bucket, {**stored(world, bucket), "tips": tips})
    site.push_as_developer(PAGE, "written since\n", branch="main")

    tree = start().open()

    assert (tree.folder / PAGE).read_text() == "written since\n"
    assert (tree.folder / PICTURE).is_file()


def pack_of(folder: Path, *objects: str) -> bytes:
    done = subprocess.run(
        ["git", "pack-objects", "--quiet", "--stdout"],
        cwd=folder,
        input="\n".join(objects).encode(),
        check=True,
        capture_output=True,
    )
    return done.stdout


def test_commits_without_contents_do_not_break_the_clone(
    site: SmallSite, world: World, bucket: str, start: Start
) -> None:
    """The remote sends nothing for a commit that the worker claims to have."""
    site.push_as_developer(PICTURE, "a picture", branch="main")
    tip = site.git("rev-parse", "main", cwd=site.remote).strip()
    store(world, bucket, {"objects.pack": pack_of(site.remote, tip), "tips": tip.encode() + b"\n"})
    site.push_as_developer(PAGE, "written since\n", branch="main")

    tree = start().open()

    assert (tree.folder / PAGE).read_text() == "written since\n"
    assert (tree.folder / PICTURE).read_text() == "a picture"


def test_commits_without_contents_from_a_server_without_partial_clone(
    site: SmallSite, world: World, bucket: str, start: Start
) -> None:
    site.git("config", "uploadpack.allowFilter", "false", cwd=site.remote)
    test_commits_without_contents_do_not_break_the_clone(site, world, bucket, start)


def test_forged_commits_in_an_archive_are_not_used(
    archive_stored: None, site: SmallSite, world: World, bucket: str, start: Start, tmp_path: Path
) -> None:
    """The archive names a commit that was never pushed as a tip."""
    forged = tmp_path / "forged"
    site.git("clone", "--quiet", str(site.remote), str(forged), cwd=tmp_path)
    (forged / PAGE).write_text("forged\n")
    site.git("commit", "--quiet", "--all", "-m", "Forged", cwd=forged)
    everything = site.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)", cwd=forged).split()
    tip = site.git("rev-parse", "HEAD", cwd=forged).strip()
    store(world, bucket, {"objects.pack": pack_of(forged, *everything), "tips": tip.encode() + b"\n"})

    tree = start().open()

    assert (tree.folder / PAGE).read_text() != "forged\n"
    assert tree.head == site.git("rev-parse", "main", cwd=site.remote).strip()


def test_small_repository_is_not_stored(world: World, bucket: str, start: Start) -> None:
    worker = start()
    worker.open()

    worker.store()

    assert "Contents" not in world.s3.list_objects_v2(Bucket=bucket)


def test_restored_archive_is_not_stored_again(
    archive_stored: None, site: SmallSite, world: World, bucket: str, start: Start
) -> None:
    later = start()
    later.open()
    world.s3.delete_object(Bucket=bucket, Key=KEY)

    later.store()

    assert "Contents" not in world.s3.list_objects_v2(Bucket=bucket)


def test_restored_archive_leaves_no_files_in_the_cache(archive_stored: None, site: SmallSite, start: Start) -> None:
    later = start()
    later.open()
    later.warm_start.wait_for_packages()

    assert has_picture(later, site)
    assert [*later.cache.iterdir()] == []

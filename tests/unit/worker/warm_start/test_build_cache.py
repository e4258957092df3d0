"""Build caches for the next worker: for builds of the same thread, never for clean ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.small_astro import SmallAstro
from tests.support.world import THREAD, World
from tests.unit.worker.warm_start.successive_workers import WarmWorker, make_bucket
from webordinary_worker.confinement.limits import Limits
from webordinary_worker.confinement.safe_copy import OverQuotaError, Quota
from webordinary_worker.site.build.builder import SiteBuilder

OTHER_THREAD = "b" * 26
ENOUGH = Quota(100, 10_000, 10_000)
# The page shows the content of the cache; the content `broken` fails the build.
CACHING = """
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
export default ({ outDir }) => {
  mkdirSync("node_modules/.astro/assets", { recursive: true });
  const file = "node_modules/.astro/assets/cached.txt";
  const found = existsSync(file) ? readFileSync(file, "utf8") : "nothing";
  if (found === "broken") throw new Error("it is broken");
  writeFileSync(file, "worked out");
  writeFileSync(new URL("index.html", outDir), found);
};
"""


@pytest.fixture
def tree(bench: SmallAstro) -> Path:
    return bench.new_tree("caching", behaviour_mjs=CACHING)


@pytest.fixture
def restored_cache(tmp_path: Path) -> Path:
    folder = tmp_path / "restored-cache"
    (folder / "assets").mkdir(parents=True)
    (folder / "assets/cached.txt").write_text("restored")
    return folder


def build_page(
    bench: SmallAstro, tree: Path, builder: SiteBuilder, restored_cache: Path, *, clean: bool = False
) -> str:
    return (bench.build(tree, builder, cache=restored_cache, clean=clean).folder / "index.html").read_text()


def test_restored_cache_is_used_by_the_first_build_only(
    bench: SmallAstro, tree: Path, builder: SiteBuilder, restored_cache: Path
) -> None:
    assert build_page(bench, tree, builder, restored_cache) == "restored"
    assert build_page(bench, tree, builder, restored_cache) == "worked out"
    assert not restored_cache.exists()


def test_clean_build_ignores_the_restored_cache(
    bench: SmallAstro, tree: Path, builder: SiteBuilder, restored_cache: Path
) -> None:
    assert build_page(bench, tree, builder, restored_cache, clean=True) == "nothing"


def test_build_that_fails_with_the_cache_is_repeated_without(
    bench: SmallAstro, tree: Path, builder: SiteBuilder, restored_cache: Path
) -> None:
    (restored_cache / "assets/cached.txt").write_text("broken")

    assert build_page(bench, tree, builder, restored_cache) == "nothing"


def test_links_in_the_cache_are_neither_restored_nor_stored(
    bench: SmallAstro, tree: Path, builder: SiteBuilder, restored_cache: Path, tmp_path: Path
) -> None:
    (restored_cache / "passwords").symlink_to("/etc/passwd")
    build_page(bench, tree, builder, restored_cache)
    cache = tmp_path / "build/tree/node_modules/.astro"
    assert [path.name for path in cache.iterdir()] == ["assets"]
    (cache / "hosts").symlink_to("/etc/hosts")
    (tmp_path / "copied").mkdir()

    builder.copy_cache(tmp_path / "build", tmp_path / "copied", ENOUGH)

    assert [path.name for path in (tmp_path / "copied").iterdir()] == ["assets"]


def test_cache_that_is_a_link_or_too_large_is_not_stored(
    bench: SmallAstro, tree: Path, builder: SiteBuilder, restored_cache: Path, tmp_path: Path
) -> None:
    build_page(bench, tree, builder, restored_cache)
    (tmp_path / "copied").mkdir()
    with pytest.raises(OverQuotaError):
        builder.copy_cache(tmp_path / "build", tmp_path / "copied", Quota(100, 5, 5))
    cache = tmp_path / "build/tree/node_modules/.astro"
    cache.rename(cache.with_name("elsewhere"))
    cache.symlink_to("/etc")

    with pytest.raises(OSError, match="astro"):
        builder.copy_cache(tmp_path / "build", tmp_path / "copied", ENOUGH)


def store(worker: WarmWorker, text: str, thread_id: str = THREAD) -> None:
    def copy(target: Path, _: Quota) -> None:
        (target / "cached.txt").write_text(text)

    worker.warm_start.store_build_cache(thread_id, copy)


def restore(worker: WarmWorker, folder: Path, thread_id: str = THREAD) -> dict[str, str]:
    worker.warm_start.start_build_cache_restore(thread_id, folder)
    worker.warm_start.wait_for_build_cache(thread_id)
    return {path.name: path.read_text() for path in folder.iterdir()} if folder.exists() else {}


@pytest.fixture
def workers(world: World, tmp_path: Path) -> Iterator[WarmWorker]:
    make_bucket(world)
    return (WarmWorker(world, tmp_path / f"worker-{number}") for number in itertools.count())


def test_next_worker_has_the_cache_for_the_same_thread_only(workers: Iterator[WarmWorker], tmp_path: Path) -> None:
    store(next(workers), "worked out")
    later = next(workers)

    assert restore(later, tmp_path / "same") == {"cached.txt": "worked out"}
    assert restore(later, tmp_path / "other", OTHER_THREAD) == {}


def test_cache_is_stored_again_only_if_changed(workers: Iterator[WarmWorker], world: World) -> None:
    bucket, worker = world.names.bucket("media"), next(workers)
    store(worker, "worked out")
    [key] = [stored["Key"] for stored in world.s3.list_objects_v2(Bucket=bucket)["Contents"]]
    world.s3.delete_object(Bucket=bucket, Key=key)

    store(worker, "worked out")
    assert "Contents" not in world.s3.list_objects_v2(Bucket=bucket)
    store(worker, "worked out, and more")
    assert "Contents" in world.s3.list_objects_v2(Bucket=bucket)


def test_damaged_cache_is_not_restored(workers: Iterator[WarmWorker], world: World, tmp_path: Path) -> None:
    store(next(workers), "worked out")
    bucket = world.names.bucket("media")
    [key] = [stored["Key"] for stored in world.s3.list_objects_v2(Bucket=bucket)["Contents"]]
    content = world.s3.get_object(Bucket=bucket, Key=key)["Body"].read()
    world.s3.put_object(Bucket=bucket, Key=key, Body=content[:-5])

    assert restore(next(workers), tmp_path / "restored") == {}


def test_stored_cache_has_a_quota(workers: Iterator[WarmWorker]) -> None:
    quotas: list[Quota] = []
    worker = next(workers)

    worker.warm_start.store_build_cache(THREAD, lambda _, quota: quotas.append(quota))

    assert [quota.total_bytes for quota in quotas] == [Limits().build_cache_bytes]

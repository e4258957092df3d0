"""A small site with remote, preview and worker, and one that is only built."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.small_astro import SmallAstro
from tests.unit.worker.small_site import SmallSite
from webordinary_worker.jobs.pair_tools import PairTools
from webordinary_worker.site.build.builder import SiteBuilder


@pytest.fixture
def site(tmp_path: Path) -> SmallSite:
    return SmallSite(tmp_path)


@pytest.fixture
def tools(site: SmallSite) -> PairTools:
    return site.worker()


@pytest.fixture
def bench(tmp_path: Path) -> SmallAstro:
    return SmallAstro(tmp_path)


@pytest.fixture
def builder(bench: SmallAstro) -> Iterator[SiteBuilder]:
    """One builder for several builds, as in a worker."""
    builder = bench.builder()
    yield builder
    builder.end()

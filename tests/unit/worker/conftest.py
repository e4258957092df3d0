"""A small site with its remote and its preview, and a worker for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.worker.small_site import SmallSite
from webordinary_worker.job_context import Tools


@pytest.fixture
def site(tmp_path: Path) -> SmallSite:
    return SmallSite(tmp_path)


@pytest.fixture
def tools(site: SmallSite) -> Tools:
    return site.worker()

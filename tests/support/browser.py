"""The browser of tests, which also takes the pictures of replies."""

from __future__ import annotations

import os

import pytest

from tools.chromium import installed
from tools.errors import SetupError
from webordinary.browser.chromium import Chromium


def local_chromium() -> Chromium:
    try:
        return installed()
    except SetupError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))

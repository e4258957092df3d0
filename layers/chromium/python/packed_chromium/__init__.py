"""Chromium as npm brings it, put beside this file when the layer is packaged."""

from pathlib import Path

FOLDER = Path(__file__).parent

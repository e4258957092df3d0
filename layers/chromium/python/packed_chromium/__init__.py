"""The folder of npm's packed Chromium. Packaging the layer copies it here."""

from pathlib import Path

FOLDER = Path(__file__).parent

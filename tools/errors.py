"""Errors of the tools, with what to do about them."""

from __future__ import annotations


class SetupError(Exception):
    """Something that the tools need is missing or invalid. The text says what, and what to do."""


class DownloadError(SetupError):
    def __init__(self, name: str, url: str, reason: str, remedy: str) -> None:
        super().__init__(f"Could not download {name} from {url} ({reason}). {remedy}")

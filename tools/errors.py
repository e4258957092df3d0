"""What can be wrong with a machine or a setup, said to the person who has to put it right."""

from __future__ import annotations


class SetupError(Exception):
    """Something that the tools need is missing or wrong. The sentence says what, and what to do."""

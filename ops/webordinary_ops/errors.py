"""What an operator is told when a command cannot do what it was asked, in one sentence each."""

from __future__ import annotations


class OperatorError(Exception):
    """A command cannot go on, for a reason that a person can understand. Nothing was changed unless it says so."""

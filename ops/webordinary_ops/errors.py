"""Errors that commands report to the operator, one line each."""

from __future__ import annotations


class OperatorError(Exception):
    """A command failed for a known reason. Nothing was changed unless the text says so."""

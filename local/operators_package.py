"""The names that the local stack imports from the operator's command; `domain` has added its folder to the path."""

from __future__ import annotations

import local.domain  # noqa: F401
from webordinary_ops.connection import FILE as CONNECTION_FILE
from webordinary_ops.connection import RUN, Connection
from webordinary_ops.console.app import Console
from webordinary_ops.console.app import create_app as create_console
from webordinary_ops.console.data.job_timeline import Milestone, with_takeovers
from webordinary_ops.console.data.logs import LogLine
from webordinary_ops.deployment import Deployment
from webordinary_ops.onboarding import apply_entries, read_file

__all__ = [
    "CONNECTION_FILE",
    "RUN",
    "Connection",
    "Console",
    "Deployment",
    "LogLine",
    "Milestone",
    "apply_entries",
    "create_console",
    "read_file",
    "with_takeovers",
]

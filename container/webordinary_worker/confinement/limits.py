"""How much anything confined may use, and how much of what it leaves is taken: all limits in one place."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from webordinary_worker.confinement.safe_copy import Quota

MEBIBYTE = 1024 * 1024
Positive = Annotated[int, Field(gt=0)]


class Limits(BaseModel):
    """Memory and CPU seconds count for each process, the rest for one run of a confined program."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # Threads count as processes. Only users of their own have this limit: it counts all that a user runs.
    processes: Positive = 1024
    # Of data, not of addresses: Node.js and Claude Code reserve far more addresses than they ever use.
    memory_bytes: Positive = 3072 * MEBIBYTE
    file_bytes: Positive = 256 * MEBIBYTE
    open_files: Positive = 8192
    cpu_seconds: Positive = 1200
    # Of the site's own server, which runs only where so much is free.
    live_memory_bytes: Positive = 1536 * MEBIBYTE
    # What is taken from a tree or a built site; a sparse file counts with the size that it claims.
    tree_files: Positive = 50_000
    tree_bytes: Positive = 1024 * MEBIBYTE
    # Of what a worker keeps for the next one: as one file, and unpacked.
    archive_bytes: Positive = 512 * MEBIBYTE
    unpacked_bytes: Positive = 2048 * MEBIBYTE
    # Of what a thread's builds have worked out and the next worker need not.
    build_cache_bytes: Positive = 128 * MEBIBYTE
    site_files: Positive = 50_000
    site_bytes: Positive = 1024 * MEBIBYTE

    @property
    def tree(self) -> Quota:
        return Quota(self.tree_files, self.file_bytes, self.tree_bytes)

    @property
    def site(self) -> Quota:
        return Quota(self.site_files, self.file_bytes, self.site_bytes)


def _from_text(given: Any) -> Any:
    return json.loads(given) if isinstance(given, str) else given


GivenLimits = Annotated[Limits, BeforeValidator(_from_text)]

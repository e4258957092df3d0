"""Limits for confined programs, and for the files that are copied, uploaded or stored afterwards."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from webordinary_worker.confinement.safe_copy import Quota

MEBIBYTE = 1024 * 1024
Positive = Annotated[int, Field(gt=0)]


class Limits(BaseModel):
    """Memory and CPU seconds are per process, the rest per run of a confined program."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # Threads included. The kernel counts per user, so this is set only for separate users.
    processes: Positive = 1024
    # Data, not address space: Node.js and Claude Code reserve far more address space than they use.
    memory_bytes: Positive = 3072 * MEBIBYTE
    file_bytes: Positive = 256 * MEBIBYTE
    open_files: Positive = 8192
    cpu_seconds: Positive = 1200
    # For the dev server, which runs only if this much memory is free.
    live_memory_bytes: Positive = 1536 * MEBIBYTE
    # Of a tree or a built site; a sparse file counts with its apparent size.
    tree_files: Positive = 50_000
    tree_bytes: Positive = 1024 * MEBIBYTE
    # Of an archive for the next worker: packed, and unpacked.
    archive_bytes: Positive = 512 * MEBIBYTE
    unpacked_bytes: Positive = 2048 * MEBIBYTE
    # Of the build cache of a thread.
    build_cache_bytes: Positive = 128 * MEBIBYTE
    site_files: Positive = 50_000
    site_bytes: Positive = 1024 * MEBIBYTE

    @property
    def tree(self) -> Quota:
        return Quota(self.tree_files, self.file_bytes, self.tree_bytes)

    @property
    def site(self) -> Quota:
        return Quota(self.site_files, self.file_bytes, self.site_bytes)


def _parse_json(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


LimitsFromJson = Annotated[Limits, BeforeValidator(_parse_json)]

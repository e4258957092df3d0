"""The tools of one pair: everything that its jobs use. `wiring` makes them with the pair's role session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from webordinary.tables.jobs import JobRecord
from webordinary.tables.projects import ProjectConfig
from webordinary_worker.agent.agent import Agent
from webordinary_worker.agent.transcripts import Transcripts
from webordinary_worker.confinement.limits import Limits
from webordinary_worker.confinement.processes import Confinement
from webordinary_worker.deploy.live_site import LiveSite
from webordinary_worker.deploy.preview import Preview
from webordinary_worker.git.workspace import Workspace
from webordinary_worker.jobs.attachments import Attachments
from webordinary_worker.live_preview.live_preview import LivePreview
from webordinary_worker.site.build.builder import SiteBuilder
from webordinary_worker.warm_start.warm_start import NoWarmStart, WarmStart

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


@dataclass(frozen=True)
class PairTools:
    project: ProjectConfig
    workspace: Workspace
    agent: Agent
    builder: SiteBuilder
    transcripts: Transcripts
    warm_start: WarmStart | NoWarmStart
    attachments: Attachments
    confinement: Confinement
    limits: Limits
    preview: Callable[[str], Preview]
    live: LiveSite
    s3: S3Client
    find_job: Callable[[str], JobRecord | None]
    builder_user: int | None = None
    live_preview: Callable[[str, Path], LivePreview] | None = None

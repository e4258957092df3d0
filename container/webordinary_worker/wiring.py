"""What a claim brings: tables and queues with the rights of one pair, and the tools that carry out its jobs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import boto3

from webordinary.aws.clients import Clock
from webordinary.aws.queues import Queues
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Job
from webordinary.protocol.worker.host import CheckLease, Granted, PairAccess
from webordinary.protocol.worker.run import Run
from webordinary.tables.jobs import JobsTable
from webordinary.tables.ownership import Ownership, OwnershipTable
from webordinary.tables.pauses import Pauses
from webordinary.tables.projects import ProjectConfigs
from webordinary_worker.agent.agent import Agent
from webordinary_worker.agent.transcripts import Sessions
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.processes import Confinement
from webordinary_worker.deploy.live_site import LiveSite
from webordinary_worker.deploy.preview import Preview
from webordinary_worker.git.command import Identity
from webordinary_worker.git.credentials import GitCredentials
from webordinary_worker.git.workspace import Workspace
from webordinary_worker.jobs.attachments import Attachments
from webordinary_worker.jobs.job_run import JobRun
from webordinary_worker.jobs.pair_tools import PairTools
from webordinary_worker.live_preview.live_preview import Announcement, LivePreview
from webordinary_worker.proxies.preview_proxy import PreviewProxy
from webordinary_worker.runtime import pause_watcher, process_hardening
from webordinary_worker.runtime.broker_client import BrokerClient
from webordinary_worker.runtime.pair_clients import Clients, clients_for_pair
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.site.build.builder import SiteBuilder
from webordinary_worker.site.build.dev_server import DevServer
from webordinary_worker.site.options import SiteOptions
from webordinary_worker.warm_start.warm_start import NoWarmStart, WarmStart


@dataclass(frozen=True)
class PairDoor:
    """Opens the access to a pair. Everything behind it acts with the pair's role session, not the worker's role."""

    settings: WorkerSettings
    session: boto3.Session
    broker: BrokerClient
    confinement: Confinement
    clock: Clock
    shutdown: threading.Event
    on_paused: Callable[[], None]
    preview_proxy: PreviewProxy | None = None

    def enter(self, granted: Granted) -> PairAccess:
        settings, names, ownership = self.settings, self.settings.names, granted.ownership
        self.session.get_credentials()  # read now, because the environment loses them before anything of a pair runs
        process_hardening.hide()
        clients = clients_for_pair(self.session.region_name, granted.credentials, self.broker.credentials)
        queues, pauses = Queues(clients.sqs, names), Pauses(clients.dynamodb, names)
        pause_watcher.watch(lambda: pauses.is_paused(ownership.pair.project), self.on_paused, self.shutdown)
        tools = cache(lambda: self._tools(ownership, clients))

        def prepare(job: Job, check_lease: CheckLease) -> Run:
            return JobRun(job, tools, check_lease)

        return PairAccess(
            ownership=OwnershipTable(clients.dynamodb, names, settings.timing, self.clock),
            jobs=JobsTable(clients.dynamodb, names, self.clock),
            queues=queues,
            prepare=prepare,
        )

    def _warm_start(self, pair: Pair, clients: Clients, confinement: Confinement) -> WarmStart | NoWarmStart:
        settings = self.settings
        if not settings.archive:
            return NoWarmStart()
        cache = settings.cache / pair.project
        return WarmStart(clients.s3, settings.names, pair, cache, confinement, settings.limits)

    def _tools(self, ownership: Ownership, clients: Clients) -> PairTools:
        settings, pair, names = self.settings, ownership.pair, self.settings.names
        project = ProjectConfigs(clients.dynamodb, names).project(pair.project)
        identity = Identity(settings.committer_name, settings.committer_email)
        credentials = GitCredentials(
            clients.ssm, names, pair.project, project.repository, request_token=self.broker.repository
        )
        confinement = replace(self.confinement, limits=settings.limits)
        warm_start = self._warm_start(pair, clients, confinement)
        warm_start.start_restore()
        workspace = Workspace(
            settings.workspace, pair, project, identity, credentials, settings.git_network, warm_start
        )
        options = SiteOptions.of_project(project, clients.ssm, names)
        builder = SiteBuilder(settings, confinement.as_user(settings.site_user), pair.project, options)

        def live_preview(thread_id: str, tree: Path) -> LivePreview:
            folder = workspace.thread_folder(thread_id) / "live"
            host = urlsplit(project.preview_of(thread_id)).hostname or ""
            shown_by = confinement.as_user(settings.live_uid)

            def install(cancellation: CancellationToken) -> None:
                warm_start.wait_for_packages()
                builder.install(tree, cancellation)

            def start(cancellation: CancellationToken) -> DevServer:
                return builder.start_dev_server(tree, folder, host, shown_by, cancellation)

            told = Announcement(lambda: self.broker.show(thread_id), lambda: self.broker.hide(thread_id))
            return LivePreview(tree, settings.agent_uid, install, start, self.preview_proxy, told)

        return PairTools(
            project=project,
            warm_start=warm_start,
            workspace=workspace,
            agent=Agent(settings, confinement),
            builder=builder,
            live_preview=live_preview,
            transcripts=Sessions(clients.s3, names, pair),
            attachments=Attachments(clients.s3, names),
            confinement=confinement,
            limits=settings.limits,
            s3=clients.s3,
            builder_user=settings.site_user,
            live=LiveSite(clients.s3, names, pair, ownership.fence, settings.timing, self.clock),
            preview=lambda thread_id: Preview(
                clients.s3,
                names,
                pair.project,
                thread_id,
                ownership.fence,
                builder=settings.site_user,
                quota=settings.limits.site,
            ),
        )

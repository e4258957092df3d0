"""The composition root: the only module that makes the worker's objects from its settings.

Everything that `PairWiring` makes uses the role session of the claimed pair, never the worker's own role.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from urllib.parse import urlsplit

import boto3
from botocore.credentials import ReadOnlyCredentials

from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.queues import Queues
from webordinary.aws.telemetry import logger
from webordinary.contract.messages.job import Job
from webordinary.protocol.worker.host import CheckLease, ClaimedPair, PairAccess
from webordinary.protocol.worker.run import CancelReason, Run
from webordinary.protocol.worker.worker import Worker
from webordinary.tables.jobs import JobsTable
from webordinary.tables.ownership import Ownership, OwnershipTable
from webordinary.tables.pauses import Pauses
from webordinary.tables.projects import ProjectConfig, ProjectConfigs
from webordinary_worker.agent.agent import Agent
from webordinary_worker.agent.transcripts import Transcripts
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
from webordinary_worker.proxies.model_access import ModelAccess, open_model
from webordinary_worker.proxies.preview_proxy import PreviewProxy
from webordinary_worker.runtime import pause_watcher, process_hardening
from webordinary_worker.runtime.broker_client import BrokerClient
from webordinary_worker.runtime.health_file import HealthFile
from webordinary_worker.runtime.main_loop import run_until_served
from webordinary_worker.runtime.pair_clients import PairClients, clients_for_pair
from webordinary_worker.runtime.thread_host import ThreadHost
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.site.build.builder import SiteBuilder
from webordinary_worker.site.build.dev_server import DevServer
from webordinary_worker.site.options import SiteOptions
from webordinary_worker.warm_start.warm_start import NoWarmStart, WarmStart


def run_worker(settings: WorkerSettings) -> None:
    shutdown = threading.Event()
    session = boto3.Session()
    proxy = PreviewProxy(settings.live_address) if settings.shows_live else None
    broker = BrokerClient(session, settings, endpoint=proxy.endpoint if proxy is not None else None)
    # The marker is the workspace, which no two workers share.
    confinement = Confinement(str(settings.workspace.resolve()), settings.agent_uid)
    wiring = PairWiring(settings, session, broker, confinement, utc_now, shutdown, lambda: stop(), proxy)
    health_file = HealthFile(settings.heartbeat)
    worker = Worker(ThreadHost(settings, shutdown, wiring.open_pair, utc_now, health_file), broker)

    def stop() -> None:
        shutdown.set()
        worker.cancel_running(CancelReason.SHUTDOWN)

    def handle_signal(_signal: int, _frame: object) -> None:
        shutdown.set()
        # In a thread: the handler may have interrupted code that holds the locks which cancelling needs.
        threading.Thread(target=stop).start()

    signal.signal(signal.SIGTERM, handle_signal)
    signal.signal(signal.SIGINT, handle_signal)
    if proxy is not None:
        proxy.start()
    settings.workspace.mkdir(parents=True, exist_ok=True, mode=0o711)
    logger().info("worker ready", extra={"container_id": settings.container_id})
    run_until_served(worker, shutdown, health_file)
    if killed := confinement.kill_leftovers():
        logger().warning("Killed processes that outlived their job.", extra={"processes": killed})
    logger().info("worker gone", extra={"container_id": settings.container_id})


@dataclass(frozen=True)
class PairWiring:
    """Makes tables, queues and tools of a claimed pair."""

    settings: WorkerSettings
    session: boto3.Session
    broker: BrokerClient
    confinement: Confinement
    clock: Clock
    shutdown: threading.Event
    on_paused: Callable[[], None]
    preview_proxy: PreviewProxy | None = None

    def open_pair(self, claimed: ClaimedPair) -> PairAccess:
        settings, names, ownership = self.settings, self.settings.names, claimed.ownership
        self.session.get_credentials()  # read now: the environment is cleared before any code of a pair runs
        process_hardening.hide_secrets()
        clients = clients_for_pair(self.session.region_name, claimed.credentials, self.broker.credentials)
        pauses = Pauses(clients.dynamodb, names)
        pause_watcher.watch(lambda: pauses.is_paused(ownership.pair.project), self.on_paused, self.shutdown)
        tools = cache(lambda: self._tools(ownership, clients))

        def prepare(job: Job, check_lease: CheckLease) -> Run:
            return JobRun(job, tools, check_lease)

        return PairAccess(
            ownership=OwnershipTable(clients.dynamodb, names, settings.timing, self.clock),
            jobs=JobsTable(clients.dynamodb, names, self.clock),
            queues=Queues(clients.sqs, names),
            prepare=prepare,
        )

    def _tools(self, ownership: Ownership, clients: PairClients) -> PairTools:
        settings, pair, names = self.settings, ownership.pair, self.settings.names
        project = ProjectConfigs(clients.dynamodb, names).project(pair.project)
        confinement = replace(self.confinement, limits=settings.limits)
        warm_start: WarmStart | NoWarmStart = NoWarmStart()
        if settings.archive:
            cache_folder = settings.cache / pair.project
            warm_start = WarmStart(clients.s3, names, pair, cache_folder, confinement, settings.limits)
        warm_start.start_restore()
        identity = Identity(settings.committer_name, settings.committer_email)
        credentials = GitCredentials(
            clients.ssm, names, pair.project, project.repository, request_token=self.broker.repository
        )
        workspace = Workspace(
            settings.workspace, pair, project, identity, credentials, settings.git_network, warm_start
        )
        options = SiteOptions.from_project(project, clients.ssm, names)
        builder = SiteBuilder(settings, confinement.as_user(settings.site_user), pair.project, options)
        return PairTools(
            project=project,
            warm_start=warm_start,
            workspace=workspace,
            agent=Agent(settings, confinement, lambda: self._open_model(project, clients)),
            builder=builder,
            live_preview=self._live_previews(project, workspace, builder, warm_start, confinement),
            transcripts=Transcripts(clients.s3, names, pair),
            attachments=Attachments(clients.s3, names),
            confinement=confinement,
            limits=settings.limits,
            s3=clients.s3,
            find_job=partial(JobsTable(clients.dynamodb, names, self.clock).find, pair),
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

    def _open_model(self, project: ProjectConfig, clients: PairClients) -> ModelAccess:
        session = clients.session

        def credentials() -> ReadOnlyCredentials | None:
            found = session.get_credentials()
            return found.get_frozen_credentials() if found is not None else None

        return open_model(self.settings, project, session.region_name, credentials)

    def _live_previews(
        self,
        project: ProjectConfig,
        workspace: Workspace,
        builder: SiteBuilder,
        warm_start: WarmStart | NoWarmStart,
        confinement: Confinement,
    ) -> Callable[[str, Path], LivePreview]:
        settings, broker = self.settings, self.broker

        def live_preview(thread_id: str, tree: Path) -> LivePreview:
            folder = workspace.thread_folder(thread_id) / "live"
            host = urlsplit(project.preview_of(thread_id)).hostname or ""
            server_user = confinement.as_user(settings.live_uid)

            def install(cancellation: CancellationToken) -> None:
                warm_start.wait_for_packages()
                builder.install(tree, cancellation)

            def start(cancellation: CancellationToken) -> DevServer:
                return builder.start_dev_server(tree, folder, host, server_user, cancellation)

            announcement = Announcement(lambda: broker.show(thread_id), lambda: broker.hide(thread_id))
            return LivePreview(tree, settings.agent_uid, install, start, self.preview_proxy, announcement)

        return live_preview

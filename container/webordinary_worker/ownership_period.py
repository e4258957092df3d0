"""From a won claim to the release: puts together what serving one pair needs, and leaves nothing waiting behind.

Everything here acts with the pair's own role session, not with the worker's role.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from webordinary.platform.clients import Clock
from webordinary.platform.messages import Job, Pair
from webordinary.platform.observability import logger, milestone
from webordinary.platform.queues import Queues
from webordinary.tables.claim_requests import ClaimRequests
from webordinary.tables.jobs import JobsTable
from webordinary.tables.ownership import Ownership, OwnershipLostError, OwnershipTable
from webordinary.tables.projects import ProjectConfigs
from webordinary_worker.access import Clients, clients_for_pair
from webordinary_worker.agent import Agent
from webordinary_worker.astro import SiteBuilder
from webordinary_worker.attachments import Attachments
from webordinary_worker.commands import JobRun, Tools
from webordinary_worker.deploy import Preview
from webordinary_worker.git import Identity
from webordinary_worker.lease import LeaseKeeper
from webordinary_worker.processes import Confinement
from webordinary_worker.serving import Ended, PairService, Run
from webordinary_worker.sessions import Sessions
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.stopping import Stop, StopReason
from webordinary_worker.watch import Reports
from webordinary_worker.workspace import Workspace


@dataclass
class OwnershipPeriods:
    """Serves one pair after the other."""

    settings: WorkerSettings
    session: boto3.Session
    confinement: Confinement
    protect: Callable[[], None]
    shutdown: threading.Event
    clock: Clock
    current: PairService | None = None

    def stop_running(self, reason: StopReason) -> None:
        if self.current is not None:
            self.current.stop_running(reason)

    def serve(self, ownership: Ownership, claim_sent_at: float, delete_request: Callable[[], None]) -> None:
        settings, pair = self.settings, ownership.pair
        clients = clients_for_pair(self.session, settings.access_role_arn, pair, settings.container_id)
        table = OwnershipTable(clients.dynamodb, settings.names, settings.timing, self.clock)
        queues = Queues(clients.sqs, settings.names)
        jobs = JobsTable(clients.dynamodb, settings.names, self.clock)
        claims = ClaimRequests(clients.dynamodb, queues, settings.names, settings.timing, self.clock)
        lease = LeaseKeeper(table, ownership, settings.timing, claim_sent_at=claim_sent_at)
        lease.start()
        ended = Ended.LOST
        try:
            # In this order: with the request gone and the note left, a death here would cost a whole window.
            claims.clear(pair)
            delete_request()
            ended = self._serve(ownership, lease, clients, queues, jobs)
        finally:
            lease.end()
            self.current = None
            if not lease.is_lost:
                self._leave(table, ownership, jobs, claims, ended)

    def _serve(
        self, ownership: Ownership, lease: LeaseKeeper, clients: Clients, queues: Queues, jobs: JobsTable
    ) -> Ended:
        tools = self._tools(ownership, lease, clients)

        def start_run(job: Job, stop: Stop, after_interrupted: bool) -> Run:
            return JobRun(job, tools, stop, after_interrupted=after_interrupted)

        self.current = PairService(
            self.settings,
            lease,
            queues,
            jobs,
            Reports(queues, ownership, self.settings.container_id, self.clock),
            start_run,
            self.shutdown,
            self.protect,
        )
        return self.current.serve()

    def _tools(self, ownership: Ownership, lease: LeaseKeeper, clients: Clients) -> Tools:
        settings, pair, names = self.settings, ownership.pair, self.settings.names
        project = ProjectConfigs(clients.dynamodb, names).project(pair.project)
        identity = Identity(settings.committer_name, settings.committer_email)
        return Tools(
            project=project,
            workspace=Workspace(settings.workspace, pair, project, identity),
            agent=Agent(settings, self.confinement),
            builder=SiteBuilder(settings, self.confinement, pair.project),
            sessions=Sessions(clients.s3, names, pair),
            attachments=Attachments(clients.s3, names),
            confinement=self.confinement,
            preview=lambda thread_id: Preview(clients.s3, names, pair.project, thread_id, ownership.fence),
            may_publish=lease.check,
        )

    def _leave(
        self, table: OwnershipTable, ownership: Ownership, jobs: JobsTable, claims: ClaimRequests, ended: Ended
    ) -> None:
        pair = ownership.pair
        try:
            table.release(ownership)
            milestone("pair_released", pair=pair.key, fence=ownership.fence, reason=ended)
            self._ask_for_a_successor(pair, jobs, claims)
        except OwnershipLostError as error:
            logger().warning(str(error))
        except (BotoCoreError, ClientError) as error:
            # The lease runs out by itself, and the sweeper finds what waits.
            logger().error("The pair could not be released properly.", extra={"cause": str(error)})

    def _ask_for_a_successor(self, pair: Pair, jobs: JobsTable, claims: ClaimRequests) -> None:
        # After the release, never before: a mail that arrives in between is seen here or finds no owner itself.
        claims.clear(pair)
        waiting = jobs.open_jobs_of(pair)
        if waiting:
            claims.request(pair, waiting[0].job.job_id)

"""Access to one deployment: names, facts recorded by Terraform, tables and queues."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from botocore.exceptions import ClientError

from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.queue_provisioning import PairQueues
from webordinary.aws.queues import Queues
from webordinary.contract.messages.base import Message
from webordinary.contract.names import Names
from webordinary.contract.settings import Timing
from webordinary.protocol.task_tokens import TaskTokens
from webordinary.protocol.worker_requests import WorkerRequests
from webordinary.repositories.github_app import GithubApps
from webordinary.repositories.installation_tokens import RepositoryTokens
from webordinary.tables.conversation_lists import ConversationLists
from webordinary.tables.fleet_decisions import FleetDecisions
from webordinary.tables.idempotency import IdempotencyTable, Purpose
from webordinary.tables.jobs import JobsTable
from webordinary.tables.ownership import OwnershipTable
from webordinary.tables.pauses import Pauses
from webordinary.tables.project_entries import ProjectEntries
from webordinary.tables.projects import ProjectConfigs
from webordinary.tables.second_attempts import SecondAttempts
from webordinary.tables.spending import Spending
from webordinary.tables.sweep_notes import SweepNotes
from webordinary.tables.threads import Threads
from webordinary.tables.workers import WorkersTable
from webordinary_ops.connection import Connection
from webordinary_ops.deployed_versions import DeployedVersions
from webordinary_ops.errors import OperatorError
from webordinary_ops.model_profiles import ModelProfiles, ProfileScope
from webordinary_ops.stored_credentials import StoredCredentials


class NotDeployedError(OperatorError):
    def __init__(self, connection: Connection) -> None:
        super().__init__(
            f"No deployment '{connection.prefix}' found in {connection.region}, or you lack access to it. "
            f"Deploy it with `make apply ENV={connection.environment}`."
        )


class DeploymentFacts(Message):
    """Facts that Terraform stores in the parameter `deployment` of the contract."""

    mail_domain: str
    reply_from: str
    state_machine_arn: str
    cluster: str
    site_url: str
    preview_url: str
    own_domains: dict[str, str]
    timing: Timing
    kms_key_arn: str | None = None
    models: tuple[str, ...] = ()  # that workers may use; empty in the facts of an older version
    model_providers: tuple[str, ...] = ()
    model_geography: str = ""
    project_profiles: bool = False  # whether workers may use the projects' own inference profiles


@dataclass(frozen=True)
class Deployment:
    connection: Connection
    clock: Clock = utc_now

    def client(self, service: str) -> Any:
        if service not in self._clients:
            self._clients[service] = self.connection.client(service)
        return self._clients[service]

    @cached_property
    def _clients(self) -> dict[str, Any]:
        return {}

    @cached_property
    def names(self) -> Names:
        return Names(self.connection.prefix, self.facts.state_machine_arn.split(":")[4])

    @cached_property
    def facts(self) -> DeploymentFacts:
        name = Names(self.connection.prefix, "").parameter("deployment")
        try:
            answer = self.client("ssm").get_parameter(Name=name)
        except ClientError as error:
            if error.response["Error"]["Code"] != "ParameterNotFound":
                raise
            raise NotDeployedError(self.connection) from error
        return DeploymentFacts.read(answer["Parameter"]["Value"])

    @cached_property
    def jobs(self) -> JobsTable:
        return JobsTable(self.client("dynamodb"), self.names, self.clock)

    @cached_property
    def ownership(self) -> OwnershipTable:
        return OwnershipTable(self.client("dynamodb"), self.names, self.facts.timing, self.clock)

    @cached_property
    def workers(self) -> WorkersTable:
        return WorkersTable(self.client("dynamodb"), self.names, self.facts.timing, self.clock)

    @cached_property
    def worker_requests(self) -> WorkerRequests:
        return WorkerRequests(self.client("dynamodb"), self.queues, self.names, self.facts.timing, self.clock)

    @cached_property
    def projects(self) -> ProjectConfigs:
        return ProjectConfigs(self.client("dynamodb"), self.names)

    @cached_property
    def pauses(self) -> Pauses:
        return Pauses(self.client("dynamodb"), self.names, self.clock)

    @cached_property
    def entries(self) -> ProjectEntries:
        return ProjectEntries(self.client("dynamodb"), self.names)

    @cached_property
    def threads(self) -> Threads:
        return Threads(self.client("dynamodb"), self.names, self.clock)

    @cached_property
    def conversations(self) -> ConversationLists:
        return ConversationLists(self.client("dynamodb"), self.names, self.clock)

    @cached_property
    def spending(self) -> Spending:
        return Spending(self.client("dynamodb"), self.names, self.clock)

    @cached_property
    def fleet_decisions(self) -> FleetDecisions:
        return FleetDecisions(self.client("dynamodb"), self.names)

    @cached_property
    def idempotency(self) -> IdempotencyTable:
        return IdempotencyTable(self.client("dynamodb"), self.names, self.clock)

    @cached_property
    def sweep_notes(self) -> SweepNotes:
        return SweepNotes(self.idempotency)

    @cached_property
    def second_attempts(self) -> SecondAttempts:
        return SecondAttempts(self.client("dynamodb"), self.names)

    @cached_property
    def queues(self) -> Queues:
        return Queues(self.client("sqs"), self.names)

    @cached_property
    def pair_queues(self) -> PairQueues:
        return PairQueues(self.client("sqs"), self.names, self.facts.timing, self.facts.kms_key_arn)

    @cached_property
    def git_credentials(self) -> StoredCredentials:
        return StoredCredentials(self.client("ssm"), self.names, self.facts.kms_key_arn)

    @cached_property
    def github_apps(self) -> GithubApps:
        return GithubApps(self.clock, os.environ.get("SSL_CERT_FILE"))

    @cached_property
    def repository_tokens(self) -> RepositoryTokens:
        return RepositoryTokens(self.projects, self.names, lambda: self.client("ssm"), self.github_apps)

    @cached_property
    def model_profiles(self) -> ModelProfiles:
        facts = self.facts
        scope = ProfileScope.of(facts.state_machine_arn, self.connection.prefix, facts.model_geography)
        return ModelProfiles(self.client("bedrock"), scope)

    @cached_property
    def versions(self) -> DeployedVersions:
        lambdas, machines, parameters = (self.client(service) for service in ("lambda", "stepfunctions", "ssm"))
        return DeployedVersions(lambdas, machines, parameters, self.names, self.facts.state_machine_arn)

    @cached_property
    def tokens(self) -> TaskTokens:
        return TaskTokens(self.client("stepfunctions"), self.jobs)

    def answer_to(self, job_id: str) -> str | None:
        """The Message-ID of the reply that was sent, if any."""
        return self.idempotency.result_of(Purpose.REPLY, job_id)

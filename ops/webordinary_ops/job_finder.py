"""Finds a job by its id, and reads its history from Step Functions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from webordinary.contract.errors import InvalidMessageError, UnknownJobError
from webordinary.contract.messages.base import Message, Pair
from webordinary.tables.jobs import JobRecord, UnreadableJobError
from webordinary_ops.deployment import Deployment
from webordinary_ops.errors import OperatorError

MOST_LISTED = 5


class NoSuchJobError(OperatorError):
    def __init__(self, job_id: str, deployment: Deployment) -> None:
        super().__init__(
            f"Job {job_id} not found. `{deployment.connection.command('jobs --all')}` lists the jobs of the last 90 "
            "days; rejected and dropped mails have no job."
        )


class SeveralJobsError(OperatorError):
    def __init__(self, prefix: str, job_ids: list[str]) -> None:
        some = ", ".join(sorted(job_ids)[:MOST_LISTED])
        super().__init__(f"{len(job_ids)} jobs begin with {prefix}: {some}. Write more of the id; nothing was changed.")


class ExecutionStep(Message):
    """A state that the execution entered, or the end of the execution."""

    at: str
    step: str


@dataclass(frozen=True)
class JobFinder:
    deployment: Deployment

    def find(self, job_id: str) -> JobRecord:
        """The job with this id, or the only one whose id begins with it."""
        pair = self.pair_of(job_id)
        if pair is not None:
            try:
                return self.deployment.jobs.get(pair, job_id)
            except UnknownJobError as error:  # a command that needs no worker
                raise NoSuchJobError(job_id, self.deployment) from error
            except UnreadableJobError as error:
                raise OperatorError(str(error)) from error
        # No execution: a prefix, or AWS has deleted it after 90 days.
        found = [
            record
            for record in self.deployment.jobs.scan()
            if record.job_id.startswith(job_id) and isinstance(record, JobRecord)
        ]
        exact = [record for record in found if record.job_id == job_id] or found
        if not exact:
            raise NoSuchJobError(job_id, self.deployment)
        if len(exact) > 1:
            raise SeveralJobsError(job_id, [record.job_id for record in exact])
        return exact[0]

    def execution_arn(self, job_id: str) -> str:
        return f"{self.deployment.facts.state_machine_arn.replace(':stateMachine:', ':execution:')}:{job_id}"

    def steps(self, job_id: str) -> list[ExecutionStep]:
        """The states of the execution, with times. Empty once AWS has deleted the execution."""
        return [
            ExecutionStep(at=event["timestamp"].isoformat(timespec="milliseconds"), step=name)
            for event in self._events(job_id)
            if (name := _step_of(event)) is not None
        ]

    def reason(self, job_id: str) -> str | None:
        """Why the mail was refused or dropped, as parse_email decided."""
        for event in self._events(job_id):
            with suppress(ValueError, KeyError, TypeError):
                output = json.loads(event["stateExitedEventDetails"]["output"])
                return None if output["decision"] == "accept" else str(output["reason"])
        return None

    def links(self, job_id: str) -> dict[str, str]:
        """Links to the AWS console."""
        region = self.deployment.connection.region
        console = f"https://{region}.console.aws.amazon.com"
        return {
            "execution": f"{console}/states/home?region={region}#/v2/executions/details/{self.execution_arn(job_id)}",
            "logs": f"{console}/cloudwatch/home?region={region}#logsV2:logs-insights",
            "logs_query": f'fields @timestamp, service, milestone | filter job_id = "{job_id}" | sort @timestamp',
        }

    def pair_of(self, job_id: str) -> Pair | None:
        """The pair of a job, from its execution; None if it has none (any more)."""
        for event in self._events(job_id):
            try:
                return Pair.read(json.loads(event["stateExitedEventDetails"]["output"])["job"]["pair"])
            except (ValueError, KeyError, TypeError, InvalidMessageError):
                continue  # not a state exit, or a state before the job exists
        return None

    def _events(self, job_id: str) -> Iterator[dict[str, Any]]:
        client = self.deployment.client("stepfunctions")
        try:
            for page in client.get_paginator("get_execution_history").paginate(
                executionArn=self.execution_arn(job_id), includeExecutionData=True
            ):
                yield from page["events"]
        except ClientError as error:
            if error.response["Error"]["Code"] != "ExecutionDoesNotExist":
                raise


def _step_of(event: dict[str, Any]) -> str | None:
    if "stateEnteredEventDetails" in event:
        return str(event["stateEnteredEventDetails"]["name"])
    if event["type"].startswith("Execution"):
        return str(event["type"])
    return None

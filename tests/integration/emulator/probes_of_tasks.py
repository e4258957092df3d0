"""Probes for ECS and for Lambda invocations of type Event."""

import json
import tempfile
from pathlib import Path
from typing import Any

from local.aws import EmulatedAws
from tests.integration.emulator.probes import probe
from tests.integration.emulator.support import archive, eventually, role

LOG_SECONDS = 120.0  # only a hang reaches it
WAITING = """
import os, time

def handler(event, context):
    while not os.path.exists(event["file"]):
        time.sleep(0.05)
    print("it ran")
"""


def cluster(aws: EmulatedAws, name: str) -> Any:
    """A client, with a cluster and a task definition of that name."""
    tasks = aws.client("ecs")
    tasks.create_cluster(clusterName=name)
    tasks.register_task_definition(
        family=name,
        requiresCompatibilities=["FARGATE"],
        networkMode="awsvpc",
        cpu="256",
        memory="512",
        containerDefinitions=[{"name": "worker", "image": "worker"}],
    )
    return tasks


def run(tasks: Any, name: str) -> str:
    response = tasks.run_task(
        cluster=name,
        taskDefinition=name,
        clientToken=name,
        capacityProviderStrategy=[{"capacityProvider": "FARGATE_SPOT", "weight": 1}],
        networkConfiguration={"awsvpcConfiguration": {"subnets": ["subnet-any"], "securityGroups": ["sg-any"]}},
    )
    return str(response["tasks"][0]["taskArn"])


def described(tasks: Any, name: str, arn: str) -> Any:
    return tasks.describe_tasks(cluster=name, tasks=[arn])["tasks"][0]


@probe("ecs.start_tasks_asynchronously", on_aws=(1, "PENDING"))
def tasks_of_one_token_and_their_state(aws: EmulatedAws) -> tuple[int, str]:
    tasks = cluster(aws, "starting")
    arns = {run(tasks, "starting") for _ in range(2)}

    return len(arns), described(tasks, "starting", arns.pop())["lastStatus"]


@probe("ecs.stop_tasks_asynchronously", on_aws=("PENDING", "STOPPED"))
def state_of_a_stopping_task(aws: EmulatedAws) -> tuple[str, str]:
    tasks = cluster(aws, "stopping")
    arn = run(tasks, "stopping")
    stopped = tasks.stop_task(cluster="stopping", task=arn, reason="Not needed.")["task"]

    return stopped["lastStatus"], stopped["desiredStatus"]


@probe("ecs.report_missing_tasks", on_aws=[("0123", "MISSING")])
def failures_for_an_unknown_task(aws: EmulatedAws) -> list[tuple[str, str]]:
    response = cluster(aws, "missing").describe_tasks(cluster="missing", tasks=["0123"])

    return [(failure["arn"], failure["reason"]) for failure in response["failures"]]


@probe("ecs.accept_task_state_changes", on_aws=("STOPPED", 137, "Killed"))
def task_that_its_agent_reported_as_stopped(aws: EmulatedAws) -> tuple[str, int, str]:
    tasks = cluster(aws, "ending")
    arn = run(tasks, "ending")
    tasks.submit_task_state_change(
        cluster="ending",
        task=arn,
        status="STOPPED",
        reason="Killed",
        containers=[{"containerName": "worker", "status": "STOPPED", "exitCode": 137}],
    )
    task = described(tasks, "ending", arn)

    return task["lastStatus"], task["containers"][0]["exitCode"], task["stoppedReason"]


@probe("lambda_functions.invoke_events_asynchronously", on_aws=(202, True))
def invocation_of_type_event(aws: EmulatedAws) -> tuple[int, bool]:
    """The function ends after the call has returned, or never."""
    lambdas = aws.client("lambda")
    lambdas.create_function(
        FunctionName="waiting",
        Runtime="python3.13",
        Role=role(aws.endpoint, "waiting"),
        Handler="handler.handler",
        Timeout=60,
        Code={"ZipFile": archive({"handler.py": WAITING})},
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "go-on")
        payload = json.dumps({"file": str(file)})
        status = lambdas.invoke(FunctionName="waiting", InvocationType="Event", Payload=payload)["StatusCode"]
        file.touch()
        return status, _printed(aws, "waiting", "it ran")


def _printed(aws: EmulatedAws, function: str, text: str) -> bool:
    logs = aws.client("logs")

    def found() -> bool | None:
        groups = logs.describe_log_groups(logGroupNamePrefix=f"/aws/lambda/{function}")["logGroups"]
        events = logs.filter_log_events(logGroupName=f"/aws/lambda/{function}")["events"] if groups else []
        return any(text in event["message"] for event in events) or None

    return eventually(found, limit=LOG_SECONDS)

"""The HTTP endpoints that Fargate offers to a task: its metadata and the credentials of its role."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from local.aws import EmulatedAws


@dataclass(frozen=True)
class Task:
    """A task that the emulator's ECS asked to start."""

    arn: str
    cluster: str
    definition: str
    container: str
    role: str
    environment: dict[str, str]

    @classmethod
    def from_order(cls, order: Mapping[str, Any]) -> Self:
        names = ("cluster", "definition", "container", "role", "environment")
        return cls(arn=order["task"], **{name: order[name] for name in names})

    @property
    def id(self) -> str:
        return self.arn.rpartition("/")[2]

    def metadata(self) -> dict[str, Any]:
        family, _, revision = self.definition.rpartition("/")[2].partition(":")
        return {
            "Cluster": self.cluster,
            "TaskARN": self.arn,
            "Family": family,
            "Revision": revision,
            "DesiredStatus": "RUNNING",
            "KnownStatus": "RUNNING",
            "LaunchType": "FARGATE",
            "Containers": [self.container_metadata()],
        }

    def container_metadata(self) -> dict[str, Any]:
        return {"Name": self.container, "DesiredStatus": "RUNNING", "KnownStatus": "RUNNING"}


class TaskEndpoints:
    """An HTTP server for all tasks. `environment_of` returns the variables that point a task at its endpoints."""

    def __init__(self, emulated: EmulatedAws) -> None:
        self._sts = emulated.client("sts")
        self._tasks: dict[str, Task] = {}
        endpoints = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                document = endpoints.document(self.path)
                body = json.dumps(document).encode()
                self.send_response(200 if document is not None else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Requests are not logged."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, name="task-endpoints", daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def environment_of(self, task: Task) -> dict[str, str]:
        self._tasks[task.id] = task
        return {
            "ECS_CONTAINER_METADATA_URI_V4": f"{self.address}/v4/{task.id}",
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": f"{self.address}/v2/credentials/{task.id}",
            "AWS_EXECUTION_ENV": "AWS_ECS_FARGATE",
        }

    def document(self, path: str) -> dict[str, Any] | None:
        match path.strip("/").split("/"):
            case ["v4", task_id, "task"] if task_id in self._tasks:
                return self._tasks[task_id].metadata()
            case ["v4", task_id] if task_id in self._tasks:
                return self._tasks[task_id].container_metadata()
            case ["v2", "credentials", task_id] if task_id in self._tasks:
                return self._credentials(self._tasks[task_id])
        return None

    def _credentials(self, task: Task) -> dict[str, Any]:
        """A session of the task's role. AWS too names the session after the task id."""
        credentials = self._sts.assume_role(RoleArn=task.role, RoleSessionName=task.id)["Credentials"]
        return {
            "RoleArn": task.role,
            "AccessKeyId": credentials["AccessKeyId"],
            "SecretAccessKey": credentials["SecretAccessKey"],
            "Token": credentials["SessionToken"],
            "Expiration": credentials["Expiration"].strftime("%Y-%m-%dT%H:%M:%SZ"),
        }

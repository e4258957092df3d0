"""The console on a deployment in memory, as a browser on this machine calls it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.world import World
from webordinary_ops.console.app import Console, create_app
from webordinary_ops.deployment import Deployment

ADDRESS = "http://127.0.0.1:8030"


@dataclass(frozen=True)
class Visitor:
    console: Console
    client: Any

    def get(self, path: str, status: int = 200, **headers: str) -> str:
        answer = self.client.get(path, base_url=ADDRESS, headers=headers)
        assert answer.status_code == status, answer.text
        return str(answer.text)

    def post(self, path: str, status: int = 200, origin: str = ADDRESS, **fields: str) -> str:
        headers = {"Origin": origin} if origin else {}
        answer = self.client.post(path, base_url=ADDRESS, data=fields, headers=headers)
        assert answer.status_code == status, answer.text
        return str(answer.text)


def visitor_of(deployment: Deployment, **more: Any) -> Visitor:
    console = Console(deployment, ADDRESS, **more)
    app = create_app(console)
    app.testing = True
    return Visitor(console, app.test_client())


@pytest.fixture
def visitor(deployment: Deployment) -> Visitor:
    return visitor_of(deployment)


@pytest.fixture
def acting(deployment: Deployment) -> Visitor:
    return visitor_of(deployment, allow_actions=True)


class CountedCalls(Counter[str]):
    """Calls to AWS by operation, and the seconds that they took."""

    seconds = 0.0


@pytest.fixture
def calls(deployment: Deployment, world: World) -> Iterator[CountedCalls]:
    counted, begun = CountedCalls(), list[float]()

    def count(model: Any, **_: Any) -> None:
        counted[str(model.name)] += 1
        begun.append(time.monotonic())

    def end(**_: Any) -> None:
        counted.seconds += time.monotonic() - begun.pop()

    services = ("dynamodb", "sqs", "s3", "ssm", "stepfunctions", "cloudwatch", "sts", "logs")
    clients = [deployment.client(service) for service in services]
    for client in clients:
        client.meta.events.register("before-call", count)
        client.meta.events.register("after-call", end)
    yield counted
    for client in clients:
        client.meta.events.unregister("before-call", count)
        client.meta.events.unregister("after-call", end)

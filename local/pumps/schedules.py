"""EventBridge rules with a rate: invokes their target functions at that rate, multiplied by `speed`."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from local.aws import ACCOUNT, EmulatedAws
from local.errors import LocalError
from local.pumps.pump import Pump, Report

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient

_SECONDS = {"minute": 60, "hour": 3600, "day": 86400}
_RATE = re.compile(r"^rate\((\d+) (minute|hour|day)s?\)$")


class UnsupportedScheduleError(LocalError):
    def __init__(self, expression: str) -> None:
        super().__init__(f"Unsupported schedule '{expression}': the local stack supports rates only.")


@dataclass(frozen=True)
class Schedule:
    rule_arn: str
    function_arn: str
    seconds: float
    input: str | None


class Schedules(Pump):
    name = "schedules"

    def __init__(
        self,
        emulated: EmulatedAws,
        report: Report,
        *,
        speed: float = 1.0,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        super().__init__(report)
        self._region = emulated.region
        self._events: Any = emulated.client("events")
        self._lambda: LambdaClient = emulated.client("lambda")
        self._speed = speed
        self._clock = clock

    def tasks(self) -> list[Callable[[], None]]:
        return [partial(self._wait_and_fire, schedule) for schedule in self.schedules()]

    def schedules(self) -> list[Schedule]:
        found = []
        for rule in self._events.list_rules()["Rules"]:
            if rule.get("State", "ENABLED") != "ENABLED" or "ScheduleExpression" not in rule:
                continue
            for target in self._events.list_targets_by_rule(Rule=rule["Name"])["Targets"]:
                seconds = rate_seconds(rule["ScheduleExpression"])
                found.append(Schedule(rule["Arn"], target["Arn"], seconds, target.get("Input")))
        return found

    def tick(self) -> None:
        """Fires every schedule now, independent of its rate."""
        for schedule in self.schedules():
            self._fire(schedule)

    def _wait_and_fire(self, schedule: Schedule) -> None:
        if not self._stopping.wait(schedule.seconds / self._speed):
            self._fire(schedule)

    def _fire(self, schedule: Schedule) -> None:
        event = schedule.input or json.dumps(self._scheduled_event(schedule))
        response = self._lambda.invoke(FunctionName=schedule.function_arn, Payload=event)
        if response.get("FunctionError"):
            self._report(f"{self.name}: {schedule.function_arn} failed: {response['Payload'].read().decode()}")

    def _scheduled_event(self, schedule: Schedule) -> dict[str, Any]:
        return {
            "version": "0",
            "id": str(uuid.uuid4()),
            "detail-type": "Scheduled Event",
            "source": "aws.events",
            "account": ACCOUNT,
            "time": self._clock().strftime("%Y-%m-%dT%H:%M:%SZ"),
            "region": self._region,
            "resources": [schedule.rule_arn],
            "detail": {},
        }


def rate_seconds(expression: str) -> float:
    match = _RATE.match(expression)
    if match is None:
        raise UnsupportedScheduleError(expression)
    return int(match[1]) * _SECONDS[match[2]]

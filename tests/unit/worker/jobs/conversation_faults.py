"""What can happen while a job runs, and stand-ins for agent and build that let it happen at a given point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from botocore.exceptions import ClientError

from tests.unit.worker.small_site import CrashError, lose_lease
from webordinary.protocol.worker.run import CancelReason, JobCancelledError
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.jobs.job_run import JobRun
from webordinary_worker.jobs.pair_tools import PairTools


class Event(StrEnum):
    NOTHING = ""
    INTERRUPT = "a newer mail of the thread interrupts"
    STOP = "the sender stops it"
    OTHER_THREAD = "a mail of another thread interrupts"
    FAILS = "the point fails"
    KILLED = "the worker is killed, and another one runs the job"
    LEASE_LOST = "another worker takes over while this one is paused"
    LOST = "the worker is killed, and the job is never run again"


class Point(StrEnum):
    START = "at the start"
    AGENT = "in the agent's turn"
    BUILD = "in the build"
    PUSH = "before a push"
    DEPLOY = "before the deployment of the preview"
    LIVE = "before the publication"
    REPORT = "before the report"


class Fault(NamedTuple):
    event: Event = Event.NOTHING
    point: Point = Point.START


NO_FAULT = Fault()
WORK = (Point.AGENT, Point.BUILD, Point.PUSH, Point.DEPLOY, Point.LIVE)
POINTS = {
    Event.INTERRUPT: (Point.START, *WORK),
    Event.STOP: (Point.START, *WORK),
    Event.OTHER_THREAD: (Point.START, *WORK),
    Event.FAILS: (Point.AGENT, Point.PUSH, Point.DEPLOY),
    Event.KILLED: (*WORK, Point.REPORT),
    Event.LEASE_LOST: WORK,
    Event.LOST: (Point.DEPLOY, Point.LIVE, Point.REPORT),
}
FAULTS = tuple(Fault(event, point) for event, points in POINTS.items() for point in points)
CANCELS = (Event.INTERRUPT, Event.STOP, Event.OTHER_THREAD)
DURING_AGENT, DURING_BUILD = Fault(Event.INTERRUPT, Point.AGENT), Fault(Event.INTERRUPT, Point.BUILD)
AT_START = Fault(Event.INTERRUPT, Point.START)


@dataclass
class FaultyRun:
    """One run of a job in which a fault happens once. `take_over` runs the job on another worker meanwhile."""

    fault: Fault
    take_over: Callable[[], None]
    run: JobRun = field(init=False)
    happened: bool = False
    lease_lost: bool = False

    def reach(self, point: Point) -> bool:
        """Lets the fault happen, if it belongs to this point. True if the point itself is to fail."""
        if self.happened or point is not self.fault.point or self.fault.event is Event.NOTHING:
            return False
        self.happened = True
        event = self.fault.event
        if event in CANCELS:
            self.run.cancel(CancelReason.INTERRUPTED)
            if point is Point.BUILD:  # the build process is killed
                raise JobCancelledError(CancelReason.INTERRUPTED)
        if event in (Event.KILLED, Event.LOST):
            raise CrashError
        if event is Event.LEASE_LOST:
            self.take_over()
            self.lease_lost = True
        return event is Event.FAILS

    def check_lease(self) -> None:
        self.reach(Point.PUSH)
        if self.lease_lost:
            lose_lease()

    def tools(self, tools: PairTools) -> PairTools:
        def preview(thread: str) -> Any:
            real = tools.preview(thread)
            real.deploy = self._at(Point.DEPLOY, real.deploy)  # type: ignore[method-assign]
            return real

        live = replace_methods(tools.live, publish=self._at(Point.LIVE, tools.live.publish))
        return replace(tools, preview=preview, live=live)

    def agent(self, work: Callable[[str, Path], AgentResult]) -> Callable[[str, Path], AgentResult]:
        def turn(prompt: str, tree: Path) -> AgentResult:
            return AgentResult(is_error=True) if self.reach(Point.AGENT) else work(prompt, tree)

        return turn

    def builder(self, build: Callable[[Path], Path]) -> Callable[[Path], Path]:
        def building(tree: Path) -> Path:
            self.reach(Point.BUILD)
            return build(tree)

        return building

    def _at(self, point: Point, call: Callable[..., Any]) -> Callable[..., Any]:
        def faulty(*arguments: Any, **more: Any) -> Any:
            if self.reach(point):
                raise ClientError({"Error": {"Code": "InternalError"}}, "PutObject")
            return call(*arguments, **more)

        return faulty


def replace_methods(part: Any, **methods: Callable[..., Any]) -> Any:
    """The same object with other methods."""

    class Replaced:
        def __getattr__(self, name: str) -> Any:
            return methods.get(name) or getattr(part, name)

    return Replaced()

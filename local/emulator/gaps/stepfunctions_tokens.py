"""Step Functions: task tokens."""

import threading
from typing import Any

from moto.core.exceptions import AWSError
from moto.core.responses import ActionResult, EmptyResult
from moto.stepfunctions.exceptions import InvalidToken
from moto.stepfunctions.parser.api import HistoryEventType, TaskTimedOutEventDetails
from moto.stepfunctions.parser.asl.component.common.error_name.error_equals_decl import ErrorEqualsDecl
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import FailureEvent
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name import StatesErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name_type import StatesErrorNameType
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.resource import ResourceCondition
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_callback import (
    StateTaskServiceCallback,
)
from moto.stepfunctions.parser.asl.eval.callback.callback import (
    CallbackEndpoint,
    CallbackOutcome,
    CallbackOutcomeFailure,
    CallbackOutcomeSuccess,
    CallbackPoolManager,
    HeartbeatTimeoutError,
)
from moto.stepfunctions.parser.asl.eval.environment import Environment
from moto.stepfunctions.parser.asl.eval.event.event_detail import EventDetails
from moto.stepfunctions.responses import StepFunctionResponse

from local.emulator.gaps.patching import Function, add, gap, wrap

HEARTBEAT_TIMEOUT = StatesErrorName(typ=StatesErrorNameType.StatesHeartbeatTimeout)
TIMEOUT = StatesErrorName(typ=StatesErrorNameType.StatesTimeout)
LARGEST_OUTPUT = 262_144  # bytes
LONGEST_CAUSE = 32_768


class TaskTimedOut(AWSError):  # noqa: N818 (the name is the error code that a client sees)
    TYPE = "TaskTimedOut"
    STATUS = 400

    def __init__(self) -> None:
        super().__init__("Task Timed Out: 'Provided task does not exist anymore'")


class PayloadTooLarge(AWSError):  # noqa: N818
    TYPE = "ValidationException"
    STATUS = 400

    def __init__(self, name: str, most: int) -> None:
        super().__init__(
            f"1 validation error detected: Value at '{name}' failed to satisfy constraint: "
            f"Member must have length less than or equal to {most}"
        )


class TaskTokenRegistry:
    """Every issued token, and whether its task is still waiting."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._endpoints: dict[str, CallbackEndpoint] = {}
        self._ended: set[str] = set()

    def add(self, endpoint: CallbackEndpoint) -> None:
        with self._lock:
            self._endpoints[endpoint.callback_id] = endpoint

    def answer(self, outcome: CallbackOutcome) -> None:
        with self._lock:
            endpoint = self._waiting(outcome.callback_id)
            self._ended.add(outcome.callback_id)
            endpoint.notify(outcome)

    def heartbeat(self, token: str) -> None:
        with self._lock:
            self._waiting(token).notify_heartbeat()

    def end(self, token: str) -> None:
        with self._lock:
            self._ended.add(token)

    def _waiting(self, token: str) -> CallbackEndpoint:
        if token not in self._endpoints:
            raise InvalidToken
        if token in self._ended:
            raise TaskTimedOut
        return self._endpoints[token]


@gap(seen_with="5.2.5")
def reject_second_answers() -> None:
    """A call for a task that has ended (answered, timed out, stopped) fails with TaskTimedOut, for an unknown token
    with InvalidToken. moto confuses the two, lets a second answer overwrite the first, and loses a failure's cause.
    The end of a task also ends its wait at once."""
    tokens = TaskTokenRegistry()
    _register_tokens(tokens)
    _route_answers(tokens)
    _end_waits_with_state(tokens)


def _register_tokens(tokens: TaskTokenRegistry) -> None:
    @wrap(CallbackPoolManager, "add")
    def add_to_pool(original: Function, self: CallbackPoolManager, callback_id: str) -> CallbackEndpoint:
        endpoint: CallbackEndpoint = original(self, callback_id)
        tokens.add(endpoint)
        return endpoint


def _route_answers(tokens: TaskTokenRegistry) -> None:
    def send_task_success(self: StepFunctionResponse) -> ActionResult:
        tokens.answer(CallbackOutcomeSuccess(self._get_param("taskToken"), self._get_param("output")))
        return EmptyResult()

    def send_task_failure(self: StepFunctionResponse) -> ActionResult:
        token, error, cause = (self._get_param(name) for name in ("taskToken", "error", "cause"))
        tokens.answer(CallbackOutcomeFailure(token, error=error, cause=cause))
        return EmptyResult()

    def send_task_heartbeat(self: StepFunctionResponse) -> ActionResult:
        tokens.heartbeat(self._get_param("taskToken"))
        return EmptyResult()

    add(StepFunctionResponse, send_task_success, send_task_failure, send_task_heartbeat)


@gap(seen_with="5.2.5")
def accept_early_answers() -> None:
    """An answer may arrive before the function that forwarded the token has returned; moto loses it and waits until the
    heartbeat expires."""

    @wrap(CallbackEndpoint, "setup_heartbeat_endpoint")
    def setup(original: Function, self: CallbackEndpoint, heartbeat_seconds: int) -> Any:
        endpoint: Any = original(self, heartbeat_seconds)
        if self.get_outcome() is not None:
            endpoint.notify()
        return endpoint


@gap(seen_with="5.2.5")
def limit_payloads() -> None:
    """moto accepts outputs and causes of any size."""

    @wrap(StepFunctionResponse, "send_task_success")
    def send_task_success(original: Function, self: StepFunctionResponse) -> ActionResult:
        if len(self._get_param("output").encode()) > LARGEST_OUTPUT:
            raise PayloadTooLarge("output", LARGEST_OUTPUT)
        return original(self)  # type: ignore[no-any-return]

    @wrap(StepFunctionResponse, "send_task_failure")
    def send_task_failure(original: Function, self: StepFunctionResponse) -> ActionResult:
        if len(self._get_param("cause") or "") > LONGEST_CAUSE:
            raise PayloadTooLarge("cause", LONGEST_CAUSE)
        return original(self)  # type: ignore[no-any-return]

    @wrap(StepFunctionResponse, "start_execution")
    def start_execution(original: Function, self: StepFunctionResponse) -> ActionResult:
        if len((self._get_param("input") or "").encode()) > LARGEST_OUTPUT:
            raise PayloadTooLarge("input", LARGEST_OUTPUT)
        return original(self)  # type: ignore[no-any-return]


def _end_waits_with_state(tokens: TaskTokenRegistry) -> None:
    @wrap(CallbackEndpoint, "interrupt_all")
    def interrupt_all(original: Function, self: CallbackEndpoint) -> None:
        tokens.end(self.callback_id)
        original(self)

    def end_wait_after(name: str) -> None:
        @wrap(Environment, name)
        def ended(original: Function, self: Environment, *arguments: Any, **named: Any) -> None:
            original(self, *arguments, **named)
            task = self.states.context_object.context_object_data.get("Task")
            endpoint = self.callback_pool_manager.get(task["Token"]) if task else None
            if endpoint is not None and not self.is_running():
                endpoint.interrupt_all()

    for name in ("set_ended", "set_error", "set_timed_out", "set_stop"):
        end_wait_after(name)


@gap(seen_with="5.2.5")
def create_token_per_attempt() -> None:
    """moto reuses the token of the first attempt and its answer."""

    @wrap(StateTaskServiceCallback, "_evaluate_with_timeout")
    def evaluate(original: Function, self: StateTaskServiceCallback, env: Environment) -> None:
        context: Any = env.states.context_object
        is_retry = context.context_object_data["State"]["RetryCount"] > 0
        if is_retry and self.resource.condition == ResourceCondition.WaitForTaskToken:
            env.callback_pool_manager.add(context.update_task_token())
        original(self, env)


@gap(seen_with="5.2.5")
def report_missed_heartbeats() -> None:
    """A missed heartbeat is States.HeartbeatTimeout, which catchers of that name or of States.Timeout match."""

    @wrap(StateTaskServiceCallback, "_from_error")
    def from_error(original: Function, self: Any, env: Environment, ex: Exception) -> FailureEvent:
        if not isinstance(ex, HeartbeatTimeoutError):
            return original(self, env=env, ex=ex)  # type: ignore[no-any-return]
        details = TaskTimedOutEventDetails(
            resourceType=self._get_sfn_resource_type(),
            resource=self._get_sfn_resource(),
            error=HEARTBEAT_TIMEOUT.error_name,
        )
        return FailureEvent(
            env=env,
            error_name=HEARTBEAT_TIMEOUT,
            event_type=HistoryEventType.TaskTimedOut,
            event_details=EventDetails(taskTimedOutEventDetails=details),  # type: ignore[typeddict-item]
        )

    @wrap(ErrorEqualsDecl, "_eval_body")
    def matches(original: Function, self: ErrorEqualsDecl, env: Environment) -> None:
        error_name = env.stack[-1]
        original(self, env)
        if error_name == HEARTBEAT_TIMEOUT and TIMEOUT in self.error_names:
            env.stack[-1] = True

"""Lambda. Differs from AWS: an invocation of type Event that fails is not tried again."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any
from urllib.parse import unquote

from moto.awslambda.models import FunctionUrlConfig, LambdaFunction
from moto.awslambda.responses import LambdaResponse

from local.emulator.fleet import CodeArchive, FunctionDeployment, FunctionFleet
from local.emulator.function_urls import FunctionUrls
from local.emulator.gaps.lambda_aliases import layer_of
from local.emulator.gaps.patching import Function, gap, wrap

# Invocations of type Event of a function that reserves nothing.
EVENTS_AT_ONCE = 4


def run_functions_in(fleet: FunctionFleet) -> None:
    """moto would start a docker container; behind its one seam the code runs in AWS's own runtime client."""

    @wrap(LambdaFunction, "_invoke_lambda")
    def invoke_lambda(_original: Function, self: LambdaFunction, event: Any = None) -> tuple[str, bool, str]:
        invocation = fleet.invoke(_deployment_of(self), event)
        _keep_log(self, invocation.log_text)
        return invocation.payload, invocation.error is not None, invocation.log_text


def _keep_log(function: Any, text: str) -> None:
    """A group that the function was told to use is made by whoever told it; deleted, it does not come back."""
    if "LogGroup" not in function.logging_config:
        function.logs_backend.ensure_log_group(function.logs_group_name)
    if function.logs_group_name in function.logs_backend.groups:
        function.save_logs(text)


def take_calls_of_urls_with(urls: FunctionUrls) -> None:
    """moto gives a function an address at which nobody answers; this one is the emulator's own."""

    @wrap(FunctionUrlConfig, "__init__")
    def create(original: Function, self: Any, *arguments: Any, **named: Any) -> None:
        original(self, *arguments, **named)
        self.url = urls.add(self)


def _deployment_of(function: LambdaFunction) -> FunctionDeployment:
    return FunctionDeployment(
        arn=function.function_arn,
        name=function.function_name,
        version=str(function.version),
        region=function.region,
        handler=str(function.handler),
        timeout=float(function.timeout),
        memory_mb=int(function.memory_size),
        variables=tuple(sorted(function.environment_vars.items())),
        log_group=function.logs_group_name,
        code=CodeArchive(function.code_digest, function.code_bytes),
        layers=tuple(_layer(function, str(layer["Arn"])) for layer in function.layers),
    )


def _layer(function: LambdaFunction, arn: str) -> CodeArchive:
    version = layer_of(function, arn)
    return CodeArchive(version.code_digest, version.code_bytes)


@gap(seen_with="5.2.5")
def invoke_events_without_waiting() -> None:
    """An invocation of type Event is accepted at once. As many run side by side as the function reserves."""
    executors: dict[tuple[str, int], ThreadPoolExecutor] = {}

    @wrap(LambdaResponse, "invoke")
    def invoke(original: Function, self: Any) -> Any:
        if self.headers.get("X-Amz-Invocation-Type") != "Event":
            return original(self)
        name = unquote(self.path.rsplit("/", 2)[-2])
        # What is reserved is reserved for all versions of a function together.
        function = self.backend.get_function(self.backend.get_function(name, None).function_name, None)
        side_by_side = int(function.reserved_concurrency or EVENTS_AT_ONCE)
        key = (function.function_arn, side_by_side)
        executor = executors.setdefault(key, ThreadPoolExecutor(side_by_side, thread_name_prefix=f"events-{name}"))
        executor.submit(partial(self.backend.invoke, name, None, self.body, self.headers, {}))
        return 202, {"status": "202"}, ""


@gap(seen_with="5.2.5")
def return_logging_config() -> None:
    """LoggingConfig comes back as it was sent. Its log group is used; the rest is an echo."""

    @wrap(LambdaFunction, "__init__")
    def create(original: Function, self: Any, account_id: str, spec: dict[str, Any], *rest: Any, **named: Any) -> None:
        original(self, account_id, spec, *rest, **named)
        _log_as_told(self, spec.get("LoggingConfig") or {})

    @wrap(LambdaFunction, "update_configuration")
    def update(original: Function, self: Any, updates: dict[str, Any]) -> Any:
        if "LoggingConfig" in updates:
            _log_as_told(self, updates["LoggingConfig"])
        return original(self, updates)

    @wrap(LambdaFunction, "get_configuration")
    def get(original: Function, self: Any, on_create: bool = False) -> dict[str, Any]:
        usual = {"LogFormat": "Text", "LogGroup": self.logs_group_name}
        return {**original(self, on_create), "LoggingConfig": {**usual, **self.logging_config}}


def _log_as_told(function: Any, logging_config: dict[str, Any]) -> None:
    function.logging_config = logging_config
    function.logs_group_name = logging_config.get("LogGroup") or function.logs_group_name

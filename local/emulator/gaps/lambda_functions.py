"""Lambda. Differs from AWS: a failed invocation of type Event is not retried."""

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

# Concurrent invocations of type Event of a function without reserved concurrency.
EVENT_CONCURRENCY = 4


def run_functions_in(fleet: FunctionFleet) -> None:
    """Runs the code in AWS's own runtime client, where moto would start a Docker container."""

    @wrap(LambdaFunction, "_invoke_lambda")
    def invoke_lambda(_original: Function, self: LambdaFunction, event: Any = None) -> tuple[str, bool, str]:
        invocation = fleet.invoke(_deployment_of(self), event)
        _save_log(self, invocation.log_text)
        return invocation.payload, invocation.error is not None, invocation.log_text


def _save_log(function: Any, text: str) -> None:
    """Creates only the default log group; a configured one must exist, and is not recreated after its deletion."""
    if "LogGroup" not in function.logging_config:
        function.logs_backend.ensure_log_group(function.logs_group_name)
    if function.logs_group_name in function.logs_backend.groups:
        function.save_logs(text)


def serve_function_urls_with(urls: FunctionUrls) -> None:
    """Gives a function a URL that the emulator serves; moto's own URL leads nowhere."""

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
def invoke_events_asynchronously() -> None:
    """An invocation of type Event returns at once. Reserved concurrency limits how many run in parallel."""
    executors: dict[tuple[str, int], ThreadPoolExecutor] = {}

    @wrap(LambdaResponse, "invoke")
    def invoke(original: Function, self: Any) -> Any:
        if self.headers.get("X-Amz-Invocation-Type") != "Event":
            return original(self)
        name = unquote(self.path.rsplit("/", 2)[-2])
        # Reserved concurrency applies to all versions of a function together.
        function = self.backend.get_function(self.backend.get_function(name, None).function_name, None)
        concurrency = int(function.reserved_concurrency or EVENT_CONCURRENCY)
        key = (function.function_arn, concurrency)
        executor = executors.setdefault(key, ThreadPoolExecutor(concurrency, thread_name_prefix=f"events-{name}"))
        executor.submit(partial(self.backend.invoke, name, None, self.body, self.headers, {}))
        return 202, {"status": "202"}, ""


@gap(seen_with="5.2.5")
def return_logging_config() -> None:
    """LoggingConfig is returned as it was sent. Its log group is used; the rest is an echo."""

    @wrap(LambdaFunction, "__init__")
    def create(original: Function, self: Any, account_id: str, spec: dict[str, Any], *rest: Any, **named: Any) -> None:
        original(self, account_id, spec, *rest, **named)
        _set_logging(self, spec.get("LoggingConfig") or {})

    @wrap(LambdaFunction, "update_configuration")
    def update(original: Function, self: Any, updates: dict[str, Any]) -> Any:
        if "LoggingConfig" in updates:
            _set_logging(self, updates["LoggingConfig"])
        return original(self, updates)

    @wrap(LambdaFunction, "get_configuration")
    def get(original: Function, self: Any, on_create: bool = False) -> dict[str, Any]:
        defaults = {"LogFormat": "Text", "LogGroup": self.logs_group_name}
        return {**original(self, on_create), "LoggingConfig": {**defaults, **self.logging_config}}


def _set_logging(function: Any, logging_config: dict[str, Any]) -> None:
    function.logging_config = logging_config
    function.logs_group_name = logging_config.get("LogGroup") or function.logs_group_name

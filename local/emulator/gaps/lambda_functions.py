"""Lambda.

- Functions run: moto would start a docker container; behind its one seam the code runs in AWS's own runtime client.
- An invocation of type Event is answered at once and carried out afterwards; moto made the caller wait. It is tried
  once: the two later attempts and the failure destination of AWS are missing.
- A failed invocation is marked Unhandled, as AWS marks what a Python handler raises.
- Log lines go to the function's log group, and to whoever watches the emulator.
- DeadLetterConfig and LoggingConfig come back as they were sent. The log group of the latter is used; the rest is
  an echo.
- A function keeps the layers that it was given, also after a layer version was deleted.
"""

import json
import threading
from typing import Any

from moto.awslambda.models import LambdaFunction
from moto.awslambda.utils import get_backend

from local.emulator.fleet import Archive, Deployment, FunctionFleet
from local.emulator.functions import Invocation
from local.emulator.gaps.patching import Function, wrap

ECHOED = ("DeadLetterConfig", "LoggingConfig")


def apply(fleet: FunctionFleet) -> None:
    _run_in(fleet)
    _echo_configuration()


def _run_in(fleet: FunctionFleet) -> None:
    layers_seen: dict[str, Archive] = {}

    def run(function: LambdaFunction, event: object) -> Invocation:
        invocation = fleet.invoke(_deployment_of(function, layers_seen), event)
        function.logs_backend.ensure_log_group(function.logs_group_name)
        function.save_logs(invocation.log_text)
        return invocation

    @wrap(LambdaFunction, "_invoke_lambda")
    def invoke_lambda(_original: Function, self: LambdaFunction, event: Any = None) -> tuple[str, bool, str]:
        invocation = run(self, event)
        return invocation.payload, invocation.error is not None, invocation.log_text

    @wrap(LambdaFunction, "invoke")
    def invoke(original: Function, self: LambdaFunction, body: Any, request_headers: Any, response_headers: Any) -> Any:
        kind = request_headers.get("x-amz-invocation-type", "RequestResponse")
        if kind == "DryRun":
            return ""
        if kind == "Event":
            event = json.loads(body or "{}")
            threading.Thread(target=run, args=(self, event), name=f"event-{self.function_name}", daemon=True).start()
            return ""
        answer = original(self, body or "{}", request_headers, response_headers)
        if "x-amz-function-error" in response_headers:
            response_headers["x-amz-function-error"] = "Unhandled"
        return answer


def _deployment_of(function: LambdaFunction, layers_seen: dict[str, Archive]) -> Deployment:
    return Deployment(
        arn=function.function_arn,
        name=function.function_name,
        version=str(function.version),
        region=function.region,
        handler=str(function.handler),
        timeout=float(function.timeout),
        memory_mb=int(function.memory_size),
        variables=tuple(sorted(function.environment_vars.items())),
        log_group=function.logs_group_name,
        code=Archive(function.code_digest, function.code_bytes),
        layers=tuple(_layer(function, str(layer["Arn"]), layers_seen) for layer in function.layers),
    )


def _layer(function: LambdaFunction, arn: str, layers_seen: dict[str, Archive]) -> Archive:
    version = get_backend(function.account_id, function.region).layers_versions_by_arn(arn)
    if version is not None:
        layers_seen[arn] = Archive(version.code_digest, version.code_bytes)
    return layers_seen[arn]


def _echo_configuration() -> None:
    @wrap(LambdaFunction, "__init__")
    def remember(
        original: Function, self: Any, account_id: str, spec: dict[str, Any], *rest: Any, **named: Any
    ) -> None:
        original(self, account_id, spec, *rest, **named)
        self.echoed = {name: spec[name] for name in ECHOED if spec.get(name)}
        _use_log_group(self)

    @wrap(LambdaFunction, "update_configuration")
    def update(original: Function, self: Any, updates: dict[str, Any]) -> Any:
        self.echoed.update({name: updates[name] for name in ECHOED if name in updates})
        _use_log_group(self)
        return original(self, updates)

    @wrap(LambdaFunction, "get_configuration")
    def get(original: Function, self: Any, on_create: bool = False) -> dict[str, Any]:
        configuration: dict[str, Any] = original(self, on_create)
        logging = {"LogFormat": "Text", "LogGroup": self.logs_group_name, **self.echoed.get("LoggingConfig", {})}
        configuration["LoggingConfig"] = logging
        if self.echoed.get("DeadLetterConfig"):
            configuration["DeadLetterConfig"] = self.echoed["DeadLetterConfig"]
        return configuration


def _use_log_group(function: Any) -> None:
    function.logs_group_name = function.echoed.get("LoggingConfig", {}).get("LogGroup") or function.logs_group_name

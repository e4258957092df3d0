"""Step Functions: state machines and executions. What concerns task tokens is in `stepfunctions_tokens`.

- Definitions are interpreted; moto does that only when told to.
- StartExecution without a name gets one; moto's second unnamed execution would collide with the first.
- Two StartExecutions with one name are decided by a lock: the same input again while it runs gives the same
  execution, anything else is refused with ExecutionAlreadyExists, as on AWS.
- An execution can be asked about, answered or stopped from the moment it exists; moto makes its environment a
  little later, and calls that look through all executions failed in between.
- StopExecution ends it as ABORTED with the error and cause that were given, and a failure that follows from
  stopping does not turn it into FAILED.
- DescribeExecution gives an output that is a text as JSON, like every other output, and says when a timed out
  execution ended.
- What fails inside an execution is in its history; moto's report of it on standard error is switched off.
- The interpreter's calls to functions and queues reuse one client per service, and 127.0.0.1 instead of a name that
  may resolve to an address on which nobody listens.
- ValidateStateMachineDefinition tells whether moto's parser accepts the definition (AWS checks more).
- ListStateMachineVersions lists the versions that moto keeps.

Differs from AWS: JSONata needs an evaluator that is not installed, so definitions use JSONPath; TestState is
missing; history is kept as long as the emulator runs.
"""

# ruff: noqa: SLF001 (what is replaced here are moto's own insides)

import json
import logging
import sys
import threading
import uuid
from functools import cache
from typing import Any

import boto3
from botocore.config import Config
from moto.core.config import default_user_config
from moto.core.responses import ActionResult
from moto.core.utils import utcnow
from moto.settings import moto_server_port
from moto.stepfunctions.parser.api import InvalidDefinition
from moto.stepfunctions.parser.asl.eval.environment import Environment
from moto.stepfunctions.parser.asl.eval.program_state import ProgramStopped
from moto.stepfunctions.parser.asl.utils import boto_client
from moto.stepfunctions.parser.backend.execution import BaseExecutionWorkerCommunication
from moto.stepfunctions.parser.backend.execution_worker import ExecutionWorker
from moto.stepfunctions.parser.models import StepFunctionsParserBackend
from moto.stepfunctions.responses import StepFunctionResponse

from local.emulator.gaps.patching import Function, add, wrap

LONGEST_FUNCTION_SECONDS = 900


def apply() -> None:
    default_user_config["stepfunctions"] = {"execute_state_machine": True}
    add(StepFunctionResponse, validate_state_machine_definition, list_state_machine_versions, stop_execution)
    logging.getLogger("moto.stepfunctions").setLevel(logging.CRITICAL)
    _name_executions_once()
    _describe_in_json()
    _prepare_environments_early()
    _keep_the_reason_of_a_stop()
    _reuse_clients()


def validate_state_machine_definition(self: StepFunctionResponse) -> ActionResult:
    try:
        StepFunctionsParserBackend._validate_definition(self._get_param("definition"))
    except InvalidDefinition as error:
        problem = {"severity": "ERROR", "code": "SCHEMA_VALIDATION_FAILED", "message": str(error)}
        return ActionResult({"result": "FAIL", "diagnostics": [problem]})
    return ActionResult({"result": "OK", "diagnostics": []})


def list_state_machine_versions(self: StepFunctionResponse) -> ActionResult:
    machine = self.stepfunction_backend.describe_state_machine(self._get_param("stateMachineArn"))
    versions = [
        {"stateMachineVersionArn": version.arn, "creationDate": version.creation_date}
        for version in getattr(machine, "versions", {}).values()
    ]
    return ActionResult({"stateMachineVersions": versions})


def stop_execution(self: StepFunctionResponse) -> ActionResult:
    execution: Any = self.stepfunction_backend.describe_execution(self._get_param("executionArn"))
    execution.stop(stop_date=utcnow(), error=self._get_param("error"), cause=self._get_param("cause"))
    return ActionResult({"stopDate": execution.stop_date or utcnow()})


def _name_executions_once() -> None:
    one_at_a_time = threading.Lock()

    @wrap(StepFunctionsParserBackend, "start_execution")
    def start_execution(original: Function, self: Any, arn: str, name: str | None = None, *rest: Any) -> Any:
        with one_at_a_time:
            return original(self, arn, name or str(uuid.uuid4()), *rest)


def _describe_in_json() -> None:
    @wrap(StepFunctionResponse, "describe_execution")
    def describe_execution(original: Function, self: StepFunctionResponse) -> ActionResult:
        execution: Any = self.stepfunction_backend.describe_execution(self._get_param("executionArn"))
        answer: Any = original(self).result
        if "output" in answer:
            answer["output"] = json.dumps(execution.output)
        if execution.stop_date is not None:
            answer["stopDate"] = execution.stop_date
        return ActionResult(answer)


def _prepare_environments_early() -> None:
    @wrap(ExecutionWorker, "_get_evaluation_environment")
    def get_evaluation_environment(original: Function, self: ExecutionWorker) -> Environment:
        if self.env is None:
            self.env = original(self)
        return self.env

    @wrap(ExecutionWorker, "start")
    def start(original: Function, self: ExecutionWorker) -> None:
        self._get_evaluation_environment()
        original(self)


def _keep_the_reason_of_a_stop() -> None:
    @wrap(Environment, "set_error")
    def set_error(original: Function, self: Environment, error: Any) -> None:
        if self.is_running():
            original(self, error)

    @wrap(BaseExecutionWorkerCommunication, "_reflect_execution_status")
    def reflect(original: Function, self: Any) -> None:
        original(self)
        state = self.execution.exec_worker.env.program_state()
        if isinstance(state, ProgramStopped):
            self.execution.error, self.execution.cause = state.error, state.cause


def _reuse_clients() -> None:
    lock = threading.Lock()

    @cache
    def make(region: str, service: str) -> Any:
        session: Any = boto3.Session()
        return session.client(
            service,
            region_name=region,
            endpoint_url=f"http://127.0.0.1:{moto_server_port()}",
            aws_access_key_id="emulator",
            aws_secret_access_key="emulator",
            config=Config(
                parameter_validation=False,
                retries={"total_max_attempts": 1},
                read_timeout=LONGEST_FUNCTION_SECONDS + 60,
                max_pool_connections=100,
            ),
        )

    def boto_client_for(region: str, service: str, state_credentials: Any = None) -> Any:  # noqa: ARG001
        with lock:
            return make(region, service)

    stock = boto_client.boto_client_for
    for module in [module for name, module in sys.modules.items() if name.startswith("moto.stepfunctions.")]:
        if getattr(module, "boto_client_for", None) is stock:
            module.boto_client_for = boto_client_for  # type: ignore[attr-defined]

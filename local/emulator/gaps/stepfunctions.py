"""Step Functions: state machines and executions. `stepfunctions_tokens` handles task tokens.

Differs from AWS: definitions must use JSONPath, because no JSONata evaluator is installed; TestState is missing;
history is kept as long as the emulator runs.
"""

import copy
import logging
import sys
import threading
from functools import cache
from typing import Any

import boto3
from botocore.config import Config
from moto.core.config import default_user_config
from moto.core.responses import ActionResult
from moto.settings import moto_server_port
from moto.stepfunctions.models import StepFunctionBackend
from moto.stepfunctions.parser.api import InvalidDefinition
from moto.stepfunctions.parser.asl.utils import boto_client
from moto.stepfunctions.parser.models import StepFunctionsParserBackend
from moto.stepfunctions.responses import StepFunctionResponse

from local.emulator.gaps.patching import Function, add, gap, wrap

LONGEST_FUNCTION_SECONDS = 900


def interpret_definitions() -> None:
    """Enables moto's interpreter. Failures inside an execution are in its history and are not logged."""
    default_user_config["stepfunctions"] = {"execute_state_machine": True}
    logging.getLogger("moto.stepfunctions").setLevel(logging.CRITICAL)
    _reuse_clients()


@gap(seen_with="5.2.5")
def start_one_execution_per_name() -> None:
    """moto could run two concurrent StartExecutions with the same name."""
    lock = threading.Lock()

    @wrap(StepFunctionsParserBackend, "start_execution")
    def start_execution(original: Function, self: Any, *arguments: Any, **named: Any) -> Any:
        with lock:
            return original(self, *arguments, **named)


@gap(seen_with="5.2.5")
def start_executions_of_aliases() -> None:
    """moto cannot start an alias. The execution runs the version's definition and belongs to the machine: its name is
    unique across all aliases."""

    @wrap(StepFunctionBackend, "describe_state_machine")
    def describe_state_machine(original: Function, self: Any, arn: str) -> Any:
        machine_arn, _, qualifier = arn.rpartition(":")
        if machine_arn.endswith(":stateMachine") or qualifier.isnumeric():
            return original(self, arn)
        alias = self.describe_state_machine_alias(arn)
        version = original(self, alias.routing_configuration[0]["stateMachineVersionArn"])
        started = copy.copy(original(self, machine_arn))  # shares the machine's list of executions
        started.definition, started.roleArn = version.definition, version.roleArn
        return started


@gap(seen_with="5.2.5")
def validate_definitions() -> None:
    """Reports whether moto's parser accepts the definition; AWS checks more."""

    def validate_state_machine_definition(self: StepFunctionResponse) -> ActionResult:
        try:
            StepFunctionsParserBackend._validate_definition(self._get_param("definition"))  # noqa: SLF001
        except InvalidDefinition as error:
            problem = {"severity": "ERROR", "code": "SCHEMA_VALIDATION_FAILED", "message": str(error)}
            return ActionResult({"result": "FAIL", "diagnostics": [problem]})
        return ActionResult({"result": "OK", "diagnostics": []})

    add(StepFunctionResponse, validate_state_machine_definition)


@gap(seen_with="5.2.5")
def list_versions() -> None:
    """moto lacks ListStateMachineVersions."""

    def list_state_machine_versions(self: StepFunctionResponse) -> ActionResult:
        machine = self.stepfunction_backend.describe_state_machine(self._get_param("stateMachineArn"))
        versions = [
            {"stateMachineVersionArn": version.arn, "creationDate": version.creation_date}
            for version in getattr(machine, "versions", {}).values()
        ]
        return ActionResult({"stateMachineVersions": versions})

    add(StepFunctionResponse, list_state_machine_versions)


def _reuse_clients() -> None:
    """One client per service for the interpreter's calls. It calls 127.0.0.1, because `localhost` may resolve to an
    address without a listener."""
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

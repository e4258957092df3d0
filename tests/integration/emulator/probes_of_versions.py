"""Probes for versions and aliases."""

import json
from typing import Any

from local.aws import EmulatedAws
from tests.integration.emulator.probes import probe
from tests.integration.emulator.support import archive, error_code, eventually, queue, role

ANSWER = "def handler(event, context):\n    return {text!r}\n"
FROM_A_LAYER = "from layered import TEXT\n\n\ndef handler(event, context):\n    return TEXT\n"


def function(aws: EmulatedAws, name: str, content: str, **more: Any) -> Any:
    """A function with one version and the alias `live` for it."""
    lambdas = aws.client("lambda")
    lambdas.create_function(
        FunctionName=name,
        Runtime="python3.13",
        Role=role(aws.endpoint, name),
        Handler="handler.handler",
        Code={"ZipFile": archive({"handler.py": content})},
        Publish=True,
        **more,
    )
    lambdas.create_alias(FunctionName=name, Name="live", FunctionVersion="1")
    return lambdas


@probe("lambda_aliases.support_alias_urls", on_aws=("with-url:live", "ResourceNotFoundException"))
def url_of_an_alias(aws: EmulatedAws) -> tuple[str, str | None]:
    lambdas = function(aws, "with-url", ANSWER.format(text="one"))
    lambdas.create_function_url_config(FunctionName="with-url", Qualifier="live", AuthType="AWS_IAM")
    config = lambdas.get_function_url_config(FunctionName="with-url", Qualifier="live")

    return (
        config["FunctionArn"].rpartition(":function:")[2],
        error_code(lambda: lambdas.get_function_url_config(FunctionName="with-url")),
    )


@probe("lambda_aliases.map_queues_to_aliases", on_aws=["fed:live"])
def functions_mapped_to_a_queue(aws: EmulatedAws) -> list[str]:
    lambdas = function(aws, "fed", ANSWER.format(text="one"))
    queues, url = queue(aws, "feeding")
    arn = queues.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    alias = lambdas.get_alias(FunctionName="fed", Name="live")["AliasArn"]
    lambdas.create_event_source_mapping(EventSourceArn=arn, FunctionName=alias)

    mappings = lambdas.list_event_source_mappings(EventSourceArn=arn)["EventSourceMappings"]
    return [mapping["FunctionArn"].rpartition(":function:")[2] for mapping in mappings]


@probe("lambda_aliases.keep_deleted_layers_in_use", on_aws=b'"layered"')
def result_of_a_version_whose_layer_was_deleted(aws: EmulatedAws) -> object:
    lambdas = aws.client("lambda")
    content = archive({"python/layered.py": "TEXT = 'layered'\n"})
    layer = lambdas.publish_layer_version(LayerName="deleted", Content={"ZipFile": content})
    function(aws, "with-layer", FROM_A_LAYER, Layers=[layer["LayerVersionArn"]])
    lambdas.delete_layer_version(LayerName="deleted", VersionNumber=layer["Version"])

    return lambdas.invoke(FunctionName="with-layer:live", Payload=b"{}")["Payload"].read()


def passing(text: str) -> str:
    return json.dumps({"StartAt": "Only", "States": {"Only": {"Type": "Pass", "Result": {"is": text}, "End": True}}})


@probe("stepfunctions.start_executions_of_aliases", on_aws=("older", "ExecutionAlreadyExists"))
def execution_of_an_alias(aws: EmulatedAws) -> tuple[str, str | None]:
    machines = aws.client("stepfunctions")
    arn = machines.create_state_machine(
        name="aliased", definition=passing("older"), roleArn=role(aws.endpoint, "aliased"), publish=True
    )["stateMachineArn"]
    route = [{"stateMachineVersionArn": f"{arn}:1", "weight": 100}]
    alias = machines.create_state_machine_alias(name="live", routingConfiguration=route)["stateMachineAliasArn"]
    machines.update_state_machine(stateMachineArn=arn, definition=passing("newer"))
    started = machines.start_execution(stateMachineArn=alias, name="mail", input="{}")["executionArn"]

    def output() -> str | None:
        found = machines.describe_execution(executionArn=started)
        return None if found["status"] == "RUNNING" else str(json.loads(found["output"])["is"])

    ended = eventually(output, limit=60)
    # Execution names are unique per machine, across its aliases.
    return ended, error_code(lambda: machines.start_execution(stateMachineArn=arn, name="mail", input='{"other": 1}'))

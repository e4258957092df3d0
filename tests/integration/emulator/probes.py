"""One probe per gap, with a different result on AWS and on moto. `on_aws` is the result on AWS."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from local.aws import ACCOUNT, REGION, EmulatedAws
from tests.integration.emulator.support import (
    LONGEST_POLL_SECONDS,
    WaitingTask,
    archive,
    error_code,
    poll_while,
    queue,
    receive,
    role,
    run_concurrently,
)

RIVALS = 4


@dataclass(frozen=True)
class Probe:
    run: Callable[[EmulatedAws], object]
    on_aws: object


PROBES: dict[str, Probe] = {}


def probe(name: str, *, on_aws: object) -> Callable[[Callable[[EmulatedAws], object]], Callable[[EmulatedAws], object]]:
    def register(run: Callable[[EmulatedAws], object]) -> Callable[[EmulatedAws], object]:
        PROBES[name] = Probe(run, on_aws)
        return run

    return register


def winners(race: Callable[[int], object]) -> int:
    return run_concurrently(RIVALS, lambda rival: error_code(lambda: race(rival))).count(None)


@probe("dynamodb.make_calls_atomic", on_aws=1)
def successful_concurrent_conditional_updates(aws: EmulatedAws) -> int:
    clients = [aws.client("dynamodb") for _ in range(RIVALS)]
    clients[0].create_table(
        TableName="ownership",
        KeySchema=[{"AttributeName": "pair", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pair", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )

    def claim(rival: int) -> None:
        clients[rival].update_item(
            TableName="ownership",
            Key={"pair": {"S": "example#ada"}},
            UpdateExpression="SET #owner = :me",
            ConditionExpression="attribute_not_exists(#owner)",
            ExpressionAttributeNames={"#owner": "owner"},
            ExpressionAttributeValues={":me": {"S": str(rival)}},
        )

    return winners(claim)


@probe("s3.make_writes_atomic", on_aws=1)
def successful_concurrent_conditional_writes(aws: EmulatedAws) -> int:
    clients = [aws.client("s3") for _ in range(RIVALS)]
    clients[0].create_bucket(Bucket="releases")

    return winners(
        lambda rival: clients[rival].put_object(Bucket="releases", Key="release", Body=str(rival), IfNoneMatch="*")
    )


@probe("s3.ignore_conditional_statements", on_aws=None)
def error_with_a_policy_that_denies_plain_http(aws: EmulatedAws) -> str | None:
    storage = aws.client("s3")
    storage.create_bucket(Bucket="only-tls")
    only_tls = {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": ["arn:aws:s3:::only-tls", "arn:aws:s3:::only-tls/*"],
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    storage.put_bucket_policy(Bucket="only-tls", Policy=json.dumps({"Version": "2012-10-17", "Statement": [only_tls]}))

    return error_code(lambda: storage.put_object(Bucket="only-tls", Key="page", Body=b"hello"))


@probe("lambda_functions.return_logging_config", on_aws={"LogFormat": "JSON", "LogGroup": "/example/logging"})
def logging_of_a_function(aws: EmulatedAws) -> object:
    lambdas = aws.client("lambda")
    lambdas.create_function(
        FunctionName="logging",
        Runtime="python3.13",
        Role=role(aws.endpoint, "logging"),
        Handler="handler.handler",
        Code={"ZipFile": archive({"handler.py": ""})},
        LoggingConfig={"LogFormat": "JSON", "LogGroup": "/example/logging"},
    )

    return lambdas.get_function_configuration(FunctionName="logging")["LoggingConfig"]


@probe("ses.accept_any_bytes", on_aws=None)
def error_of_a_mail_that_is_not_utf8(aws: EmulatedAws) -> str | None:
    mail = aws.client("sesv2")
    mail.create_email_identity(EmailIdentity="bytes.example.com")
    raw = b"From: a@bytes.example.com\r\nTo: b@example.org\r\n\r\nna\xefve\r\n"

    return error_code(
        lambda: mail.send_email(
            FromEmailAddress="a@bytes.example.com",
            Destination={"ToAddresses": ["b@example.org"]},
            Content={"Raw": {"Data": raw}},
        )
    )


@probe("ses.delete_receipt_rules", on_aws=[])
def rules_after_the_only_one_was_deleted(aws: EmulatedAws) -> object:
    mail = aws.client("ses")
    mail.create_receipt_rule_set(RuleSetName="inbound")
    mail.create_receipt_rule(RuleSetName="inbound", Rule={"Name": "store", "Enabled": True})
    mail.delete_receipt_rule(RuleSetName="inbound", RuleName="store")

    return mail.describe_receipt_rule_set(RuleSetName="inbound").get("Rules", [])


@probe("ses.find_identity_tags", on_aws=[{"Key": "part", "Value": "mail"}])
def tags_of_an_identity(aws: EmulatedAws) -> object:
    mail = aws.client("sesv2")
    mail.create_email_identity(EmailIdentity="tags.example.com", Tags=[{"Key": "part", "Value": "mail"}])

    arn = f"arn:aws:ses:{REGION}:{ACCOUNT}:identity/tags.example.com"
    return mail.list_tags_for_resource(ResourceArn=arn)["Tags"]


@probe("ses.return_dkim_tokens", on_aws=3)
def dkim_tokens_of_an_identity(aws: EmulatedAws) -> int:
    mail = aws.client("sesv2")
    signing = {"NextSigningKeyLength": "RSA_2048_BIT"}
    mail.create_email_identity(EmailIdentity="dkim.example.com", DkimSigningAttributes=signing)

    return len(mail.get_email_identity(EmailIdentity="dkim.example.com")["DkimAttributes"]["Tokens"])


@probe("ses.return_configuration_sets", on_aws={"ConfigurationSetName", "SendingOptions", "Tags"})
def keys_of_a_plain_configuration_set(aws: EmulatedAws) -> object:
    mail = aws.client("sesv2")
    mail.create_configuration_set(ConfigurationSetName="plain", SendingOptions={"SendingEnabled": True})

    return mail.get_configuration_set(ConfigurationSetName="plain").keys() - {"ResponseMetadata"}


def attributes_of(queues: Any, url: str) -> dict[str, str]:
    return dict(queues.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"])


REDRIVE = f'{{"deadLetterTargetArn":"arn:aws:sqs:{REGION}:{ACCOUNT}:dead","maxReceiveCount":3}}'
ALLOW = '{"redrivePermission":"allowAll"}'
POLICY = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "sqs:*"}]}'


@probe("sqs.write_redrive_policies_without_spaces", on_aws=REDRIVE)
def redrive_policy_of_a_queue(aws: EmulatedAws) -> str | None:
    queue(aws, "dead")

    return attributes_of(*queue(aws, "redriven", RedrivePolicy=REDRIVE)).get("RedrivePolicy")


@probe("sqs.return_redrive_allow_policies", on_aws=ALLOW)
def redrive_allow_policy_of_a_queue(aws: EmulatedAws) -> str | None:
    return attributes_of(*queue(aws, "open", RedriveAllowPolicy=ALLOW)).get("RedriveAllowPolicy")


@probe("sqs.keep_policies", on_aws=True)
def policy_after_another_attribute_was_set(aws: EmulatedAws) -> bool:
    queues, url = queue(aws, "policy", Policy=POLICY)
    queues.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": "60"})

    return "Allow" in attributes_of(queues, url).get("Policy", "")


def send(queues: Any, url: str, body: str) -> None:
    queues.send_message(QueueUrl=url, MessageBody=body, MessageGroupId="pair", MessageDeduplicationId=body)


@probe("sqs_messages.deduplicate_after_deletion", on_aws=[])
def messages_after_resending_a_deleted_one(aws: EmulatedAws) -> object:
    queues, url = queue(aws, "duplicates.fifo")
    send(queues, url, "job")
    queues.delete_message(QueueUrl=url, ReceiptHandle=receive(queues, url)[0]["ReceiptHandle"])
    send(queues, url, "job")

    return receive(queues, url)


@probe("sqs_messages.wake_open_polls", on_aws=["second"])
def messages_of_an_open_poll_when_its_group_is_unblocked(aws: EmulatedAws) -> object:
    queues, url = queue(aws, "polled.fifo")
    send(queues, url, "first")
    send(queues, url, "second")
    [first] = receive(queues, url)

    found = poll_while(
        lambda: receive(queues, url, wait=LONGEST_POLL_SECONDS),
        lambda: queues.delete_message(QueueUrl=url, ReceiptHandle=first["ReceiptHandle"]),
    )
    return [message["Body"] for message in found]


@probe("sqs_messages.expire_receipt_handles", on_aws="InvalidParameterValue")
def error_of_a_delete_with_an_expired_receipt_handle(aws: EmulatedAws) -> str | None:
    queues, url = queue(aws, "held.fifo")
    send(queues, url, "job")
    [late] = receive(queues, url, hide=0)
    receive(queues, url)

    return error_code(lambda: queues.delete_message(QueueUrl=url, ReceiptHandle=late["ReceiptHandle"]))


@probe("stepfunctions.start_one_execution_per_name", on_aws=1)
def executions_after_concurrent_starts_with_one_name(aws: EmulatedAws) -> int:
    clients = [aws.client("stepfunctions") for _ in range(RIVALS)]
    definition = {"StartAt": "Wait", "States": {"Wait": {"Type": "Wait", "Seconds": 30, "End": True}}}
    machine = clients[0].create_state_machine(
        name="raced", definition=json.dumps(definition), roleArn=role(aws.endpoint, "raced")
    )["stateMachineArn"]

    started = run_concurrently(
        RIVALS, lambda rival: clients[rival].start_execution(stateMachineArn=machine, name="mail")["startDate"]
    )
    return len(set(started))


@probe("stepfunctions.validate_definitions", on_aws="FAIL")
def verdict_on_a_broken_definition(aws: EmulatedAws) -> object:
    broken = '{"StartAt": "Nowhere"}'
    return aws.client("stepfunctions").validate_state_machine_definition(definition=broken)["result"]


@probe("stepfunctions.list_versions", on_aws=[])
def versions_of_a_machine_without_any(aws: EmulatedAws) -> object:
    machines = aws.client("stepfunctions")
    definition = json.dumps({"StartAt": "Done", "States": {"Done": {"Type": "Succeed"}}})
    arn = machines.create_state_machine(name="plain", definition=definition, roleArn=role(aws.endpoint, "plain"))

    return machines.list_state_machine_versions(stateMachineArn=arn["stateMachineArn"])["stateMachineVersions"]


@probe("stepfunctions_tokens.reject_second_answers", on_aws=["TaskTimedOut", "InvalidToken"])
def errors_of_a_second_answer_and_of_an_unknown_token(aws: EmulatedAws) -> object:
    task = WaitingTask(aws, "answered")
    token = task.token()
    task.machines.send_task_success(taskToken=token, output='"first"')
    task.end()

    return [
        error_code(lambda: task.machines.send_task_success(taskToken=token, output='"second"')),
        error_code(lambda: task.machines.send_task_heartbeat(taskToken="no-such-token")),
    ]


@probe("stepfunctions_tokens.accept_early_answers", on_aws="SUCCEEDED")
def status_of_a_task_that_is_answered_early(aws: EmulatedAws) -> object:
    task = WaitingTask(aws, "early", HeartbeatSeconds=10)
    task.machines.send_task_success(taskToken=task.token(), output='"at once"')

    return task.end()["status"]


@probe("stepfunctions_tokens.create_token_per_attempt", on_aws=2)
def tokens_of_two_attempts(aws: EmulatedAws) -> int:
    again = [{"ErrorEquals": ["Again"], "IntervalSeconds": 1, "MaxAttempts": 1, "BackoffRate": 1}]
    task = WaitingTask(aws, "again", Retry=again)
    tokens = {task.token()}
    with suppress(ClientError):  # moto alone fails if the task does not wait yet
        task.machines.send_task_failure(taskToken=next(iter(tokens)), error="Again", cause="")

    return len(tokens | {task.token()})


@probe("stepfunctions_tokens.report_missed_heartbeats", on_aws="States.HeartbeatTimeout")
def error_of_a_missed_heartbeat(aws: EmulatedAws) -> object:
    caught = [{"ErrorEquals": ["States.Timeout"], "Next": "Caught"}]
    task = WaitingTask(aws, "missed", HeartbeatSeconds=1, Catch=caught)

    return json.loads(task.end()["output"])["Error"]


@probe("stepfunctions_tokens.limit_payloads", on_aws=["ValidationException", "ValidationException"])
def errors_of_outputs_that_are_too_large(aws: EmulatedAws) -> object:
    task = WaitingTask(aws, "large")
    token = task.token()
    errors = [
        error_code(lambda: task.machines.send_task_success(taskToken=token, output=f'"{"x" * 262_143}"')),
        error_code(lambda: task.machines.send_task_failure(taskToken=token, error="Large", cause="x" * 32_769)),
    ]
    with suppress(ClientError):  # the task has ended on moto alone
        task.machines.send_task_success(taskToken=token, output='"small"')

    return errors

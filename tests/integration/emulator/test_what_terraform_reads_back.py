"""What the Terraform provider sets and reads back. Most of it is only echoed, and no more than that is proved."""

import json
from collections.abc import Callable

from local.emulator.process import EmulatorProcess
from tests.integration.emulator.support import archive, role


def test_a_redrive_policy_comes_back_without_spaces(emulator: EmulatorProcess, unique: Callable[[str], str]) -> None:
    queues = emulator.client("sqs")
    dead_letters = unique("dead-letters")
    queues.create_queue(QueueName=dead_letters)
    policy = {"deadLetterTargetArn": f"arn:aws:sqs:us-east-1:123456789012:{dead_letters}", "maxReceiveCount": 3}
    url = queues.create_queue(QueueName=unique("queue"), Attributes={"RedrivePolicy": json.dumps(policy)})["QueueUrl"]

    found = queues.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]

    assert found["RedrivePolicy"] == json.dumps(policy, separators=(",", ":"))


def test_who_may_use_a_dead_letter_queue_comes_back(emulator: EmulatorProcess, unique: Callable[[str], str]) -> None:
    queues = emulator.client("sqs")
    policy = '{"redrivePermission":"allowAll"}'
    url = queues.create_queue(QueueName=unique("queue"), Attributes={"RedriveAllowPolicy": policy})["QueueUrl"]

    found = queues.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]

    assert found["RedriveAllowPolicy"] == policy


def test_the_event_bridge_flag_of_a_bucket_comes_back(emulator: EmulatorProcess, unique: Callable[[str], str]) -> None:
    storage, bucket = emulator.client("s3"), unique("bucket")
    storage.create_bucket(Bucket=bucket)

    storage.put_bucket_notification_configuration(
        Bucket=bucket, NotificationConfiguration={"EventBridgeConfiguration": {}}
    )

    found = storage.get_bucket_notification_configuration(Bucket=bucket)
    assert found["EventBridgeConfiguration"] == {}


def test_log_group_and_dead_letters_of_a_function_come_back(
    emulator: EmulatorProcess, unique: Callable[[str], str]
) -> None:
    name, topic = unique("function"), "arn:aws:sns:us-east-1:123456789012:failures"
    lambdas = emulator.client("lambda")
    lambdas.create_function(
        FunctionName=name,
        Runtime="python3.13",
        Role=role(emulator.endpoint, f"{name}-role"),
        Handler="handler.handler",
        Code={"ZipFile": archive({"handler.py": ""})},
        LoggingConfig={"LogFormat": "JSON", "LogGroup": f"/example/{name}"},
        DeadLetterConfig={"TargetArn": topic},
    )

    found = lambdas.get_function_configuration(FunctionName=name)

    assert found["LoggingConfig"] == {"LogFormat": "JSON", "LogGroup": f"/example/{name}"}
    assert found["DeadLetterConfig"] == {"TargetArn": topic}


def test_the_capacity_providers_of_a_service_come_back(emulator: EmulatorProcess, unique: Callable[[str], str]) -> None:
    containers, cluster = emulator.client("ecs"), unique("cluster")
    containers.create_cluster(clusterName=cluster)
    containers.register_task_definition(
        family=cluster, containerDefinitions=[{"name": "worker", "image": "example", "memory": 512}]
    )
    strategy = [{"capacityProvider": "FARGATE_SPOT", "weight": 1, "base": 0}]
    containers.create_service(
        cluster=cluster,
        serviceName="workers",
        taskDefinition=cluster,
        desiredCount=0,
        capacityProviderStrategy=strategy,
    )

    [found] = containers.describe_services(cluster=cluster, services=["workers"])["services"]

    assert found["capacityProviderStrategy"] == strategy


def test_the_tags_of_a_scalable_target_come_back(emulator: EmulatorProcess, unique: Callable[[str], str]) -> None:
    containers, scaling, cluster = emulator.client("ecs"), emulator.client("application-autoscaling"), unique("cluster")
    containers.create_cluster(clusterName=cluster)
    containers.register_task_definition(
        family=cluster, containerDefinitions=[{"name": "worker", "image": "example", "memory": 512}]
    )
    containers.create_service(cluster=cluster, serviceName="workers", taskDefinition=cluster, desiredCount=0)
    target = scaling.register_scalable_target(
        ServiceNamespace="ecs",
        ResourceId=f"service/{cluster}/workers",
        ScalableDimension="ecs:service:DesiredCount",
        MinCapacity=0,
        MaxCapacity=3,
        Tags={"project": "example"},
    )["ScalableTargetARN"]

    assert scaling.list_tags_for_resource(ResourceARN=target)["Tags"] == {"project": "example"}


def test_a_saved_query_comes_back(emulator: EmulatorProcess, unique: Callable[[str], str]) -> None:
    logs, name = emulator.client("logs"), unique("query")
    logs.put_query_definition(name=name, queryString="fields @message")

    [found] = logs.describe_query_definitions(queryDefinitionNamePrefix=name)["queryDefinitions"]

    assert found["queryString"] == "fields @message"


def test_a_composite_alarm_comes_back(emulator: EmulatorProcess, unique: Callable[[str], str]) -> None:
    alarms, name = emulator.client("cloudwatch"), unique("alarm")
    alarms.put_composite_alarm(AlarmName=name, AlarmRule="ALARM(other)")

    found = alarms.describe_alarms(AlarmNames=[name], AlarmTypes=["CompositeAlarm"])["CompositeAlarms"]

    assert [alarm["AlarmName"] for alarm in found] == [name]


def test_a_receipt_rule_can_be_deleted(emulator: EmulatorProcess, unique: Callable[[str], str]) -> None:
    mail, rules = emulator.client("ses"), unique("rules")
    mail.create_receipt_rule_set(RuleSetName=rules)
    mail.create_receipt_rule(RuleSetName=rules, Rule={"Name": "inbound", "Enabled": True})

    mail.delete_receipt_rule(RuleSetName=rules, RuleName="inbound")

    assert mail.describe_receipt_rule_set(RuleSetName=rules).get("Rules", []) == []


def test_the_event_destinations_of_a_configuration_set_come_back(
    emulator: EmulatorProcess, unique: Callable[[str], str]
) -> None:
    mail, name = emulator.client("sesv2"), unique("set")
    mail.create_configuration_set(ConfigurationSetName=name)
    mail.create_configuration_set_event_destination(
        ConfigurationSetName=name,
        EventDestinationName="failures",
        EventDestination={"Enabled": True, "MatchingEventTypes": ["BOUNCE"]},
    )

    [found] = mail.get_configuration_set_event_destinations(ConfigurationSetName=name)["EventDestinations"]

    assert (found["Name"], found["MatchingEventTypes"]) == ("failures", ["BOUNCE"])


def test_the_backup_policy_of_a_file_system_comes_back(emulator: EmulatorProcess, unique: Callable[[str], str]) -> None:
    files = emulator.client("efs")
    identifier = files.create_file_system(CreationToken=unique("files"))["FileSystemId"]

    files.put_backup_policy(FileSystemId=identifier, BackupPolicy={"Status": "ENABLED"})

    assert files.describe_backup_policy(FileSystemId=identifier)["BackupPolicy"] == {"Status": "ENABLED"}

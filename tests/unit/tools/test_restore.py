"""Restoring: every command of the runbook, on tables with point-in-time recovery in memory."""

from __future__ import annotations

import re
import shlex
from datetime import UTC, datetime

import pytest

from tests.support.world import make_tables
from tests.unit.tools.conftest import EnvironmentInMemory
from tools import restore
from tools.environment import ROOT, Environment
from webordinary.contract.names import Names
from webordinary.tables.items import to_values

RUNBOOK = ROOT / "docs/runbooks/restore.md"
PROGRAM = ".venv/bin/python -m tools.restore "
COMMANDS = [
    line.strip() for line in RUNBOOK.read_text(encoding="utf-8").splitlines() if line.strip().startswith(PROGRAM)
]
AT = datetime(2026, 11, 18, 10, tzinfo=UTC)


@pytest.fixture
def stored(environment: EnvironmentInMemory) -> EnvironmentInMemory:
    """Tables with an item each, recovery, and a state with two versions."""
    dynamodb, s3 = environment.client("dynamodb"), environment.client("s3")
    make_tables(dynamodb, Names("acme", "123456789012"))
    for kind in restore.TABLES:
        table = restore.table_name(environment, kind)
        dynamodb.update_continuous_backups(
            TableName=table, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
        )
    write(environment, "project_configs", pk="project#bakery", domain="right")
    # moto makes no backup of a deleted table.
    dynamodb.create_backup(TableName=restore.table_name(environment, "jobs"), BackupName="when-deleted")
    location = {"LocationConstraint": "eu-west-1"}
    s3.create_bucket(Bucket="acme-state", CreateBucketConfiguration=location)
    s3.put_bucket_versioning(Bucket="acme-state", VersioningConfiguration={"Status": "Enabled"})
    for content in (b"good", b"damaged"):
        s3.put_object(Bucket="acme-state", Key="acme.tfstate", Body=content)
    environment.backend["key"] = "acme.tfstate"
    return environment


def write(environment: EnvironmentInMemory, kind: str, **item: str) -> None:
    table = restore.table_name(environment, kind)
    environment.client("dynamodb").put_item(TableName=table, Item=to_values(item))


def read(environment: EnvironmentInMemory, kind: str) -> list[dict[str, str]]:
    table = restore.table_name(environment, kind)
    items = environment.client("dynamodb").scan(TableName=table)["Items"]
    return [{name: value["S"] for name, value in item.items()} for item in items]


def test_lost_entry_is_restored_under_its_name(stored: EnvironmentInMemory) -> None:
    copy = restore.restore_table(stored, "project_configs", AT, lambda _: None)
    key = to_values({"pk": "project#bakery"})
    stored.client("dynamodb").delete_item(TableName=restore.table_name(stored, "project_configs"), Key=key)

    assert restore.restore_items(stored, "project_configs", copy, lambda _: None, key="project#bakery") == 1
    assert read(stored, "project_configs") == [{"pk": "project#bakery", "domain": "right"}]


@pytest.mark.parametrize(("overwrite", "domain"), [(False, "wrong"), (True, "right")])
def test_changed_entry_is_replaced_only_if_asked(stored: EnvironmentInMemory, *, overwrite: bool, domain: str) -> None:
    copy = restore.restore_table(stored, "project_configs", AT, lambda _: None)
    write(stored, "project_configs", pk="project#bakery", domain="wrong")

    restore.restore_items(stored, "project_configs", copy, lambda _: None, overwrite=overwrite)

    assert read(stored, "project_configs") == [{"pk": "project#bakery", "domain": domain}]


def test_deleted_table_is_restored_from_its_backup(stored: EnvironmentInMemory) -> None:
    dynamodb, table = stored.client("dynamodb"), restore.table_name(stored, "project_configs")
    dynamodb.create_backup(TableName=table, BackupName="when-deleted")
    dynamodb.delete_table(TableName=table)

    copy = restore.restore_deleted_table(stored, "project_configs", lambda _: None)

    assert dynamodb.scan(TableName=copy)["Items"] == [to_values({"pk": "project#bakery", "domain": "right"})]


def test_deleted_table_without_a_backup_is_reported(stored: EnvironmentInMemory) -> None:
    with pytest.raises(restore.NoBackupError, match="point_in_time_recovery"):
        restore.restore_deleted_table(stored, "ownership", lambda _: None)


def test_older_fence_never_replaces_a_newer_one(stored: EnvironmentInMemory) -> None:
    write(stored, "ownership", projectKey="bakery#ada", fence="7")
    copy = restore.restore_table(stored, "ownership", AT, lambda _: None)
    write(stored, "ownership", projectKey="bakery#ada", fence="8")

    with pytest.raises(restore.OverwriteError):
        restore.restore_items(stored, "ownership", copy, lambda _: None, overwrite=True)
    assert restore.restore_items(stored, "ownership", copy, lambda _: None) == 0
    assert read(stored, "ownership")[0]["fence"] == "8"


def test_earlier_state_becomes_the_current_one(stored: EnvironmentInMemory) -> None:
    lines: list[str] = []
    restore.restore_state(stored, None, lines.append)
    version = next(line.split()[-1] for line in lines if "(current)" not in line)

    restore.restore_state(stored, version, lines.append)

    body = stored.client("s3").get_object(Bucket="acme-state", Key="acme.tfstate")["Body"].read()
    assert body == b"good"
    assert len([line for line in lines if "(current)" in line]) == 1


def test_every_command_of_the_runbook_works(
    stored: EnvironmentInMemory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Environment, "load", classmethod(lambda *_: stored))
    words = {"COPY": "", "VERSION": ""}
    for command in COMMANDS:
        arguments = [words.get(one, one) for one in shlex.split(command.removeprefix(PROGRAM))]

        assert restore.main(arguments) == 0, capsys.readouterr().err

        shown = capsys.readouterr().out
        if found := re.search(r"--from (\S+)", shown):
            words["COPY"] = found[1]
        if "(current)" in shown:
            words["VERSION"] = next(line.split()[-1] for line in shown.splitlines() if "(current)" not in line)
    assert len(COMMANDS) > 8

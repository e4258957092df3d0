"""Restores tables and Terraform's state; see docs/runbooks/restore.md.

    python -m tools.restore --env prod table project_configs --at 2026-11-18T10:00:00Z
    python -m tools.restore --env prod table jobs --deleted
    python -m tools.restore --env prod items project_configs --from COPY [--key KEY] [--overwrite]
    python -m tools.restore --env prod state [--version ID]

`table` restores a table as it was into a new table; a deleted one comes from the backup that AWS made then. `items`
copies missing items from it into the live table, so that names, streams and Terraform's state stay as they are. With
--overwrite, items that differ are replaced too.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import ClientError

from tools.environment import ROOT, Environment
from tools.errors import SetupError

CONTRACT = ROOT / "layers/webordinary/python/webordinary/contract/contract.json"
# An older fence or lease must not replace a newer one: these tables only get back what they lost.
NEVER_OVERWRITTEN = ("ownership",)
TABLES = ("project_configs", "thread_mappings", "jobs", *NEVER_OVERWRITTEN)
Say = Callable[[str], None]


class OverwriteError(SetupError):
    def __init__(self, kind: str) -> None:
        super().__init__(
            f"Items of {kind} are never overwritten: an older fence would let two workers act. Nothing was changed."
        )


class NoBackupError(SetupError):
    def __init__(self, table: str) -> None:
        super().__init__(
            f"AWS has no backup of {table}: it was deleted more than 35 days ago, or without point_in_time_recovery. "
            "Nothing was changed."
        )


def restore_table(environment: Environment, kind: str, at: datetime, say: Say) -> str:
    """Restores a table as it was at a time into a new table; returns its name."""
    dynamodb, source = environment.client("dynamodb"), table_name(environment, kind)
    target = f"{source}-{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    dynamodb.restore_table_to_point_in_time(
        SourceTableName=source, TargetTableName=target, RestoreDateTime=at, UseLatestRestorableTime=False
    )
    return _wait_for_copy(environment, kind, target, say)


def restore_deleted_table(environment: Environment, kind: str, say: Say) -> str:
    """Restores the newest backup of a table: AWS makes one when a table with point-in-time recovery is deleted."""
    dynamodb, source = environment.client("dynamodb"), table_name(environment, kind)
    backups = dynamodb.list_backups(TableName=source, BackupType="ALL")["BackupSummaries"]
    if not backups:
        raise NoBackupError(source)
    newest = max(backups, key=lambda one: one["BackupCreationDateTime"])
    target = f"{source}-{newest['BackupCreationDateTime'].astimezone(UTC):%Y%m%dT%H%M%SZ}"
    dynamodb.restore_table_from_backup(TargetTableName=target, BackupArn=newest["BackupArn"])
    return _wait_for_copy(environment, kind, target, say)


def _wait_for_copy(environment: Environment, kind: str, target: str, say: Say) -> str:
    say(f"Restoring into {target}. This takes some minutes, however small the table is.")
    dynamodb = environment.client("dynamodb")
    dynamodb.get_waiter("table_exists").wait(TableName=target, WaiterConfig={"Delay": 20, "MaxAttempts": 180})
    say(f"Restored. Next: python -m tools.restore --env {environment.name} items {kind} --from {target}")
    return target


def restore_items(
    environment: Environment, kind: str, copy: str, say: Say, *, key: str | None = None, overwrite: bool = False
) -> int:
    """Copies items back into the live table: those that it lacks and, if asked for, those that differ."""
    if overwrite and kind in NEVER_OVERWRITTEN:
        raise OverwriteError(kind)
    dynamodb, live = environment.client("dynamodb"), table_name(environment, kind)
    keys = _contract()["keys"][kind]["table"]
    written = 0
    for item in _items(dynamodb, copy):
        if key is not None and item[keys[0]]["S"] != key:
            continue
        condition = {} if overwrite else {"ConditionExpression": f"attribute_not_exists({keys[0]})"}
        try:
            dynamodb.put_item(TableName=live, Item=item, **condition)
        except dynamodb.exceptions.ConditionalCheckFailedException:
            continue
        written += 1
    say(f"Wrote {written} items into {live}. When you no longer need the copy:")
    say(f"aws dynamodb delete-table --region {environment.region} --table-name {copy}")
    return written


def restore_state(environment: Environment, version: str | None, say: Say) -> None:
    """Lists the versions of Terraform's state, or makes an earlier one the current one."""
    s3, bucket, key = environment.client("s3"), environment.state_bucket, environment.backend["key"]
    if version is None:
        for one in s3.list_object_versions(Bucket=bucket, Prefix=key).get("Versions", []):
            mark = "  (current)" if one["IsLatest"] else ""
            say(f"{one['LastModified']:%Y-%m-%d %H:%M:%S}  {one['Size']:>9}  {one['VersionId']}{mark}")
        return
    s3.copy_object(Bucket=bucket, Key=key, CopySource={"Bucket": bucket, "Key": key, "VersionId": version})
    say(f"The state is version {version} again. Next: make plan ENV={environment.name}; read what it would change.")


def table_name(environment: Environment, kind: str) -> str:
    return str(_contract()["tables"][kind]).replace("${prefix}", environment.prefix)


def _items(dynamodb: Any, table: str) -> Iterator[dict[str, Any]]:
    for page in dynamodb.get_paginator("scan").paginate(TableName=table, ConsistentRead=True):
        yield from page["Items"]


def _contract() -> Any:
    return json.loads(CONTRACT.read_text(encoding="utf-8"))


def _time(text: str) -> datetime:
    found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.restore", description=(__doc__ or "").partition(";")[0])
    parser.add_argument("--env", default="dev")
    commands = parser.add_subparsers(dest="command", required=True)
    table = commands.add_parser("table", help="restore a table into a new one")
    table.add_argument("kind", choices=TABLES)
    when = table.add_mutually_exclusive_group(required=True)
    when.add_argument("--at", type=_time, help="time, such as 2026-11-18T10:00:00Z")
    when.add_argument("--deleted", action="store_true", help="the table was deleted: restore the backup made then")
    items = commands.add_parser("items", help="copy items from a restored table into the live one")
    items.add_argument("kind", choices=TABLES)
    items.add_argument("--from", dest="copy", required=True, help="name of the restored table")
    items.add_argument("--key", help="only items with this first key, such as project#bakery")
    items.add_argument("--overwrite", action="store_true", help="replace items that differ")
    state = commands.add_parser("state", help="list the versions of Terraform's state, or restore one")
    state.add_argument("--version", help="id of the version to restore")
    options = parser.parse_args(arguments)
    try:
        run(Environment.load(options.env), options, print)
    except (SetupError, ClientError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def run(environment: Environment, options: argparse.Namespace, say: Say) -> None:
    if options.command == "table" and options.deleted:
        restore_deleted_table(environment, options.kind, say)
    elif options.command == "table":
        restore_table(environment, options.kind, options.at, say)
    elif options.command == "items":
        restore_items(environment, options.kind, options.copy, say, key=options.key, overwrite=options.overwrite)
    else:
        restore_state(environment, options.version, say)


if __name__ == "__main__":
    sys.exit(main())

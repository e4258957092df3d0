"""What the system keeps while nothing happens: rows, objects, messages, files and processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil

from local.runtime.children import descendants
from local.stack.stack import Stack
from tests.chaos.tables import MESSAGE_COUNTS
from webordinary.contract.values import contract

Kept = Counter[str]


def kept(stack: Stack) -> Kept:
    found: Kept = Counter()
    dynamodb, s3 = stack.emulated.client("dynamodb"), stack.emulated.client("s3")
    for kind in contract()["tables"]:
        pages = dynamodb.get_paginator("scan").paginate(TableName=stack.names.table(kind), Select="COUNT")
        found[f"rows of {kind}"] = sum(page["Count"] for page in pages)
    for kind in contract()["buckets"]:
        pages = s3.get_paginator("list_objects_v2").paginate(Bucket=stack.names.bucket(kind))
        found[f"objects of {kind}"] = sum(page["KeyCount"] for page in pages)
    found["messages"] = sum(_messages(stack))
    found["files of workers"] = sum(_number_of_files(home) for home in (stack.state / "workers").glob("*"))
    for folder in {_temporary_folder(process) for process in descendants()} - {""}:
        found["files of functions"] += _number_of_files(Path(folder))
    found["processes of workers"] = sum("webordinary_worker" in " ".join(_command(one)) for one in descendants())
    return found


def _number_of_files(folder: Path) -> int:
    """Without the workspace of a worker, whose clone grows with every commit."""
    inside = (file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
    return sum(file.parts[0] != "workspace" for file in inside)


def _temporary_folder(process: psutil.Process) -> str:
    """Of a function's process; empty for others."""
    with suppress(psutil.Error):
        return process.environ().get("TMPDIR", "") if "awslambdaric" in process.cmdline() else ""
    return ""


def _command(process: psutil.Process) -> list[str]:
    with suppress(psutil.Error):
        return list(process.cmdline())
    return []


def _messages(stack: Stack) -> Iterator[int]:
    sqs = stack.emulated.client("sqs")
    for url in sqs.list_queues(QueueNamePrefix=stack.names.prefix).get("QueueUrls", []):
        answer = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=list(MESSAGE_COUNTS))
        yield sum(int(answer["Attributes"][name]) for name in MESSAGE_COUNTS)

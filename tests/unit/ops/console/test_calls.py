"""The calls of each page, with 1,000 and with 50,000 jobs: bounded, by index, and never a scan of a large table."""

import inspect
import sys
import time
from collections import defaultdict
from datetime import timedelta
from typing import Any

import pytest
from moto.dynamodb.models.table import Table

from tests.support.world import World
from tests.unit.ops.console.conftest import CountedCalls, Visitor
from webordinary.tables.conversation_records import NotedMail
from webordinary.tables.items import to_values
from webordinary_ops.deployment import Deployment

PER_PROJECT, JOBS_PER_PAIR = 5, 5
ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
MOST = {
    "/": 25,  # of these, ten for the budgets of the projects with the last mails
    "/conversations": 31,
    "/conversations?state=failed": 31,
    "/conversations?project=p00007": 31,
    "/fleet": 6,
    "/projects": 29,  # of these, 25 for the spending of the projects it shows
    "/projects?q=p0000": 29,
    "/projects/p00007": 20,
}
SMALL_TABLES = ("workers", "worker_requests")


def thread_name(number: int) -> str:
    return "".join(ALPHABET[number // 32**place % 32] for place in range(26))


def fill(world: World, threads: list[str]) -> None:
    """Writes copies of real items into moto's own store: 60,000 calls would take minutes."""
    from moto.dynamodb.models import dynamodb_backends

    from tests.support.world import ACCOUNT, REGION

    backend = dynamodb_backends[ACCOUNT][REGION]
    now = world.clock()
    sample = NotedMail.of_job(world.job())
    world.conversations.note_mail(sample)
    written = world.dynamodb.scan(TableName=world.names.table("conversations"))["Items"]
    head = next(item for item in written if item["entry"]["S"] == "summary")
    job = world.jobs.record(world.job(), "token").job
    world.jobs.conclude(job.pair, job.job_id, _done(), settled=True)
    (record,) = world.dynamodb.scan(TableName=world.names.table("jobs"))["Items"]
    conversations = backend.get_table(world.names.table("conversations"))
    jobs = backend.get_table(world.names.table("jobs"))
    pairs = len(threads) // JOBS_PER_PAIR
    for number, thread in enumerate(threads):
        pair = number % pairs
        project, user = f"p{pair // PER_PROJECT:05}", f"u{pair % PER_PROJECT}"
        at = now - timedelta(seconds=number * 100)
        moved = {"threadId": thread, "project": project, "projectKey": f"{project}#{user}", "lastJob": f"job-{number}",
                 "lastMailAt": at.isoformat(timespec="milliseconds"), "day": at.date().isoformat()}  # fmt: skip
        conversations.put_item({**head, **to_values(moved)})
        jobs.put_item({**record, **to_values({"projectKey": f"{project}#{user}", "jobId": f"job-{number}"})})
    configs = backend.get_table(world.names.table("project_configs"))
    names = [f"p{number:05}" for number in range(pairs // PER_PROJECT)]
    for name in names:
        people = {f"u{number}": {"addresses": [f"u{number}@{name}.example.com"]} for number in range(PER_PROJECT)}
        entry = {"pk": f"project#{name}", "projectId": name, "domain": f"{name}.example.com", "revision": 1,
                 "repository": "https://git.example.com/x.git", "previewUrl": "https://${thread}--x.example.com/",
                 "users": sorted(people), "people": people}  # fmt: skip
        configs.put_item(to_values(entry))
    configs.put_item(to_values({"pk": "names", "complete": True, "projects": set(names)}))


@pytest.fixture
def fast_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    """moto compares every item of a table in each query. Here a query sees the items with its hash key only."""
    original, found = Table.query, dict[tuple[str, str | None], dict[Any, Any]]()
    parameters = inspect.signature(original)

    def items_by_key(table: Table, index: str | None) -> dict[Any, Any]:
        name = table.get_index(index).schema[0]["AttributeName"] if index else table.hash_key_attr
        groups: dict[Any, Any] = defaultdict(lambda: defaultdict(dict))
        for item in table.all_items():
            if name in item.attrs:
                groups[item.attrs[name]][item.hash_key][item.range_key] = item
        return groups

    def query(self: Table, *given: Any, **named: Any) -> Any:
        bound = parameters.bind(self, *given, **named).arguments
        key = (self.name, bound.get("index_name"))
        if key not in found:
            found[key] = items_by_key(self, key[1])
        groups = found[key]
        whole, self.items = self.items, groups.get(bound["hash_key"], {})
        try:
            return original(self, *given, **named)
        finally:
            self.items = whole

    monkeypatch.setattr(Table, "query", query)


def _done() -> Any:
    from webordinary.contract.messages.outcome import Outcome

    return Outcome(state="done")


@pytest.mark.parametrize("jobs", [1_000, pytest.param(50_000, marks=pytest.mark.exhaustive)])
def test_pages_of_a_large_deployment_make_few_calls(
    world: World, deployment: Deployment, visitor: Visitor, calls: CountedCalls, fast_queries: None,
    monkeypatch: pytest.MonkeyPatch, jobs: int,
) -> None:  # fmt: skip
    threads = [thread_name(number) for number in range(jobs)]
    fill(world, threads)
    scanned: list[str] = []
    scan = deployment.client("dynamodb").scan

    def noted_scan(**given: Any) -> Any:
        scanned.append(given["TableName"])
        return scan(**given)

    monkeypatch.setattr(deployment.client("dynamodb"), "scan", noted_scan)
    some = threads[7]
    pages = {**MOST, f"/conversations/{some}": 20, f"/conversations/{some}/jobs/job-7": 8}
    taken = {}

    for path, most in pages.items():
        calls.clear()
        calls.seconds, started = 0.0, time.monotonic()
        visitor.get(path)
        taken[path] = (calls.total(), time.monotonic() - started - calls.seconds)
        assert calls.total() <= most, (path, dict(calls))
    sys.stdout.writelines(
        f"{path}: {number} calls, {seconds:.2f} s of its own\n" for path, (number, seconds) in taken.items()
    )

    assert set(scanned) <= {world.names.table(name) for name in SMALL_TABLES}

"""`webordinary erase`: deletes the personal data of one person."""

from __future__ import annotations

import click

from webordinary.contract.messages.base import Message
from webordinary.tables.project_entries import ProjectEntry
from webordinary_ops.cli import Operator
from webordinary_ops.deployment import Deployment
from webordinary_ops.errors import OperatorError
from webordinary_ops.stored_data import DeletedCounts, StoredData

# Data that cannot be deleted on request, with the time after which it expires. Every report lists it.
REMAINS = (
    "state machine executions, including the text of requests: AWS deletes them 90 days after they end",
    "table backups, if point-in-time recovery is on: 35 days",
    "hashed ids and counters, without addresses or text: at most 500 days",
    "ownership records, by project and user id, without addresses",
    "commits and branches in the customer's repository",
)


class ErasureReport(Message):
    address: str
    pairs: tuple[str, ...]
    addresses: tuple[str, ...]
    deleted: dict[str, DeletedCounts]
    other_raw_mails: int
    access: str
    remains: tuple[str, ...] = REMAINS


@click.command(short_help="Delete the personal data of a person.")
@click.argument("address")
@click.option("--keep-access", is_flag=True, help="Delete the data, but keep the right to edit.")
@click.pass_obj
def erase(operator: Operator, address: str, keep_access: bool) -> None:
    """Deletes all stored data of the person who writes from ADDRESS, and reports what was deleted.

    This covers mails (including rejected ones), attachments, threads, job records, agent sessions, previews and,
    unless --keep-access is given, the right to edit. The report also lists data that cannot be deleted.
    """
    deployment, address = operator.deployment, address.lower()
    pairs = deployment.projects.pairs_of_sender(address)
    entries = {pair.project: deployment.entries.get(pair.project) for pair in pairs}
    addresses = sorted({address, *(one for pair in pairs for one in entries[pair.project].people[pair.user].addresses)})
    data = StoredData(deployment)
    if open_jobs := data.open_jobs(pairs):
        raise OperatorError(
            f"Job {open_jobs[0].job_id} of this person is open. Stop it or wait until it ends; nothing was deleted."
        )
    owners = ", ".join(pair.key for pair in pairs) or "no pair (the address is not registered)"
    operator.confirm(f"Deletes all data of {owners} and every mail from {', '.join(addresses)}. This cannot be undone.")
    if not keep_access:
        for pair in pairs:
            _revoke_access(deployment, deployment.entries.get(pair.project), pair.user)
    deleted = {pair.key: data.delete_pair(pair) for pair in pairs}
    operator.output.one(
        ErasureReport(
            address=address,
            pairs=tuple(pair.key for pair in pairs),
            addresses=tuple(addresses),
            deleted=deleted,
            other_raw_mails=data.delete_mails_from(addresses),
            access="kept" if keep_access else "revoked",
        )
    )


def _revoke_access(deployment: Deployment, entry: ProjectEntry, user: str) -> None:
    people = {name: person.wire() for name, person in entry.people.items() if name != user}
    deployment.entries.change(entry, ProjectEntry.read({**entry.wire(), "people": people}))

"""`webordinary erase`: every trace of a person."""

from __future__ import annotations

import click

from webordinary.contract.messages.base import Message
from webordinary.tables.project_entries import ProjectEntry
from webordinary_ops.cli import Operator
from webordinary_ops.deployment import Deployment
from webordinary_ops.errors import OperatorError
from webordinary_ops.traces import DeletedCounts, StoredData

# What nobody can delete, and when it is gone by itself. An erasure is only honest if it says so.
REMAINS = (
    "executions of the state machine, with what was asked: AWS forgets them 90 days after their end",
    "backups of the tables, where point-in-time recovery is on: 35 days",
    "fingerprints and counters without any address or word in clear: at most 500 days",
    "who owned the pair, by project and user id, without an address",
    "commits and branches in the customer's repository, which is not ours",
)


class ErasureReport(Message):
    """The report of an erasure."""

    address: str
    pairs: tuple[str, ...]
    addresses: tuple[str, ...]
    deleted: dict[str, DeletedCounts]
    other_raw_mails: int
    access: str
    remains: tuple[str, ...] = REMAINS


@click.command(short_help="Deletes every trace of a person.")
@click.argument("address")
@click.option("--keep-access", is_flag=True, help="The person may go on writing; only what was is deleted.")
@click.pass_obj
def erase(operator: Operator, address: str, keep_access: bool) -> None:
    """Deletes every trace that we hold of the person who writes from ADDRESS, and reports what was deleted.

    Mails, also those that were refused; attachments; conversations and their fingerprints; job records; the agent's
    sessions; previews; and the right to edit, unless --keep-access is given. The report names what cannot be deleted.
    """
    deployment, address = operator.deployment, address.lower()
    pairs = deployment.projects.pairs_of_sender(address)
    entries = {pair.project: deployment.entries.get(pair.project) for pair in pairs}
    addresses = sorted({address, *(one for pair in pairs for one in entries[pair.project].people[pair.user].addresses)})
    traces = StoredData(deployment)
    if under_way := traces.open_jobs(pairs):
        raise OperatorError(
            f"Job {under_way[0].job_id} of this person is under way. Stop it or wait for its end; nothing was deleted."
        )
    whose = ", ".join(pair.key for pair in pairs) or "nobody's: only mails that became no job"
    operator.confirm(f"Deletes everything of {whose}, and every mail from {', '.join(addresses)}. It cannot be undone.")
    if not keep_access:
        for pair in pairs:
            _take_access(deployment, deployment.entries.get(pair.project), pair.user)
    deleted = {pair.key: traces.delete_pair(pair) for pair in pairs}
    operator.output.one(
        ErasureReport(
            address=address,
            pairs=tuple(pair.key for pair in pairs),
            addresses=tuple(addresses),
            deleted=deleted,
            other_raw_mails=traces.delete_mails_from(addresses),
            access="kept" if keep_access else "taken",
        )
    )


def _take_access(deployment: Deployment, entry: ProjectEntry, user: str) -> None:
    people = {name: person.wire() for name, person in entry.people.items() if name != user}
    deployment.entries.change(entry, ProjectEntry.read({**entry.wire(), "people": people}))

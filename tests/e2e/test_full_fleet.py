"""More writers than workers: idle workers yield to waiting pairs, and the maximum holds."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from local.runtime.events import milestone
from local.stack.stack import Stack
from tests.e2e.conftest import TIMEOUT_SECONDS, MailSender
from tests.support.patient_stack import patient_settings
from webordinary.tables.project_entries import ProjectEntries, ProjectEntry

# Each user sends two mails. `WEBORDINARY_WRITERS=10` runs the long version (some minutes).
USERS = [f"user{number}" for number in range(int(os.environ.get("WEBORDINARY_WRITERS", "4")))]
MAXIMUM = 2


def address(user: str) -> str:
    return f"{user}@example.com"


@pytest.fixture(scope="module")
def full() -> Iterator[Stack]:
    """A separate stack: several writers of one website, and at most two workers."""
    with Stack(patient_settings(MAXIMUM), projects=["bakery"]) as running:
        running.workers.live_previews = False
        entries = ProjectEntries(running.emulated.client("dynamodb"), running.names)
        seen = entries.get("bakery")
        people = {user: {"addresses": [address(user)]} for user in USERS}
        entries.change(seen, ProjectEntry.read({**seen.wire(), "people": people}))
        yield running


def test_third_writer_is_served_by_a_worker_that_yields(full: Stack) -> None:
    mail_sender, since = MailSender(full), full.events.position()
    first, second = (mail_sender.send(address(user), f'Please change "noon" to "{user}".') for user in USERS[:2])
    first.wait_for_reply()
    second.wait_for_reply()

    third = mail_sender.send(address(USERS[2]), 'Please change "noon" to "midday".')
    third.wait_for_reply()

    # Only yielding can end a worker here: see the idle time of a patient stack.
    released = full.events.wait_for(milestone("pair_released"), TIMEOUT_SECONDS, since=since)
    assert released.fields["reason"] == "yielded"
    assert full.workers.peak <= MAXIMUM


def test_concurrent_mails_of_every_pair_get_one_reply_each(full: Stack) -> None:
    mail_sender = MailSender(full)
    mails = [
        mail_sender.send(address(user), f'Please add "{user} wrote {n}" to the home page.')
        for user in USERS
        for n in (1, 2)
    ]

    for mail in mails:
        mail.wait_for_reply()
    full.schedules.tick()

    assert [len(mail.replies()) for mail in mails] == [1] * len(mails)
    assert {mail.wait_for("job_ended").fields["state"] for mail in mails} == {"done"}
    assert full.workers.peak <= MAXIMUM

"""Time to reply on the warm local stack.

From deployment to reply, with pictures against without; and `help` and `status` while every worker is busy, against a
limit of three seconds.
"""

from __future__ import annotations

import statistics
import time
from itertools import pairwise

from local.model.steps import ScriptedStep
from local.settings import StackSettings
from local.stack.stack import Stack
from tests.e2e.conftest import TIMEOUT_SECONDS, MailSender, SentMail
from tests.support.model_client import StandInClient
from webordinary.tables.project_entries import ProjectEntries

CLEO, ADA = "cleo@example.net", "ada@example.com"
TITLES = ("Lost at sea", "Adrift", "Far out", "On the waves", "Ashore", "Home again", "Away once more")
ROUNDS = (len(TITLES) - 1) // 2
LIMIT_SECONDS = 3.0
Rows = list[tuple[str, float, str]]


def run() -> Rows:
    with Stack(StackSettings.for_tests(max_workers=1)) as stack:
        with_pictures, without = _from_deployment_to_reply(stack)
        questions = _while_every_worker_is_busy(stack)
    more = f"{with_pictures:.2f} s with pictures, {without:.2f} s without"
    rows = [("from deployment to reply", with_pictures / without, more)]
    rows += [
        (f"{name} while all workers are busy", took / LIMIT_SECONDS, f"{took:.2f} s of {LIMIT_SECONDS:g}")
        for name, took in questions
    ]
    return rows


def _from_deployment_to_reply(stack: Stack) -> tuple[float, float]:
    """Alternates within one thread; the first mail, which starts everything, is not counted."""
    entries, post = ProjectEntries(stack.emulated.client("dynamodb"), stack.names), MailSender(stack)
    answers = post.send(CLEO, 'Please change "Notes from a small harbour" to "Notes from a harbour".').wait_for_reply()
    taken: dict[bool, list[float]] = {True: [], False: []}
    for number, (old, new) in enumerate(pairwise(TITLES)):
        wanted = number % 2 == 0
        entry = entries.get("journal")
        entries.change(entry, entry.model_copy(update={"pictures": wanted}))
        mail = post.send(CLEO, f'Please change "{old}" to "{new}".', in_reply_to=answers.message_id)
        answers = mail.wait_for_reply()
        taken[wanted].append(_between(mail, "site_deployed", "reply_sent"))
        if ("<img" in (answers.html or "")) is not wanted:
            raise RuntimeError("a reply does not match the setting of pictures")
    return statistics.median(taken[True]), statistics.median(taken[False])


def _between(mail: SentMail, first: str, last: str) -> float:
    return mail.wait_for(last).at - mail.wait_for(first).at


def _while_every_worker_is_busy(stack: Stack) -> list[tuple[str, float]]:
    if stack.model_url is None:
        raise RuntimeError("this benchmark needs the model stand-in")
    model, post = StandInClient(stack.model_url), MailSender(stack)
    model.script(ScriptedStep(text="Let me think.", hang=300), when="a busy worker")
    post.send(CLEO, 'Please change "harbour" to "a busy worker".')
    model.wait_until_hanging(when="a busy worker", seconds=TIMEOUT_SECONDS)
    found = []
    for word in ("help", "status"):
        taken = []
        for _ in range(ROUNDS):
            begun = time.perf_counter()
            post.send(ADA, word).wait_for_reply()
            taken.append(time.perf_counter() - begun)
        found.append((word, statistics.median(taken)))
    return found

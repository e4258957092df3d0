"""The counted parts of `make load`, as sections of the budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from tests.e2e.conftest import SentMail
from tests.load.at_rest import kept
from tests.load.call_counts import Calls
from tests.load.mail_counts import with_worker
from tests.load.running_system import PAIRS, RunningSystem
from webordinary.contract.settings import Timing
from webordinary_ops.actions import plan_pause, plan_resume
from webordinary_worker.runtime import pause_watcher

ADA, BOB = list(PAIRS)[:2]
EDIT = 'Please add "Rolls from {hour} o\'clock" to the home page.'
QUESTION = "Which headline does the home page have?"
WAITING = (1, 4)  # jobs; the difference is divided by the number of further ones
MINUTE = 60.0
READS_OF_PAUSES = 2  # of everything and of the project
Progress = Callable[[str], None]


def counted(system: RunningSystem, progress: Progress) -> dict[str, dict[str, float]]:
    system.answered(BOB, QUESTION)  # functions have started, and the notification that S3 sends at first is handled
    system.stop_workers()
    progress("functions are warm")
    first, reply = system.counted_mail(ADA, EDIT.format(hour=6))
    progress("first mail is answered")
    _, reply = system.answered(ADA, EDIT.format(hour=7), after=reply)  # some things happen once only
    before = kept(system.stack)
    following, reply = system.counted_mail(ADA, EDIT.format(hour=8), after=reply)
    left = kept(system.stack)
    left.subtract(before)
    question, _ = system.counted_mail(ADA, QUESTION, after=reply)
    progress("next mails are answered")
    asked = system.counted_question_to_the_broker()
    minutes = {name: _named(name, _of_a_minute(system, name)) for name in ("sweep", "fleet")}
    system.stop_workers()
    left["processes of workers"] = kept(system.stack)["processes of workers"]
    return {
        "first_mail": dict(with_worker(first)),
        "next_mail": dict(with_worker(following)),
        "question": dict(with_worker(question)),
        "claim": _named("broker", first.most("broker")),
        "report": _named("relay_callback", following.most("relay_callback")),
        **minutes,
        "idle_worker_minute": idle_worker_minute(asked),
        "open_job": _of_a_waiting_job(system),
        "left_by_a_mail": {name: count for name, count in left.items() if count},
    }


def _of_a_minute(system: RunningSystem, function: str) -> Calls:
    """What each of two runs does: one of them may also do what is due once an hour."""
    return system.invoke(function).all(function) & system.invoke(function).all(function)


def idle_worker_minute(question: Calls) -> dict[str, float]:
    """By the shipped intervals. `question` are the calls of the broker when a worker asks whether to leave."""
    timing = Timing.model_validate({})
    renewals = MINUTE / timing.renewal_seconds
    return {
        "worker: sqs ReceiveMessage input": MINUTE / timing.long_poll_seconds,
        "worker: dynamodb UpdateItem ownership": renewals,
        "worker: dynamodb GetItem project_configs": READS_OF_PAUSES * MINUTE / pause_watcher.POLL_SECONDS,
        "broker: lambda invocation": renewals,
        **_named("broker", {name: count * renewals for name, count in question.items()}),
    }


def _of_a_waiting_job(system: RunningSystem) -> dict[str, float]:
    """What a further job that waits during a pause adds to a run of the sweep."""
    plan_pause(system.deployment, BOB.project).run()
    mails, runs = list[SentMail](), list[Calls]()
    for number in WAITING:
        while len(mails) < number:
            mail = system.sender.send(PAIRS[BOB], f"{QUESTION} ({len(mails)})")
            mail.wait_for("job_dispatched")
            mails.append(mail)
        runs.append(system.invoke("sweep").all("sweep"))
    plan_resume(system.deployment, BOB.project).run()
    system.invoke("sweep")  # it requests a worker
    for mail in mails:
        mail.wait_for_reply()
    added = Counter(runs[1])
    added.subtract(runs[0])
    further = WAITING[1] - WAITING[0]
    return _named("sweep", {name: count / further for name, count in added.items()})


def _named(caller: str, calls: Calls | dict[str, float]) -> dict[str, float]:
    return {f"{caller}: {name}": count for name, count in calls.items() if count}

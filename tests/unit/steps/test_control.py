"""control: help, status and stop without a worker."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.support.world import PAIR, THREAD, World
from webordinary.contract.errors import WebordinaryError
from webordinary.contract.messages.base import Message
from webordinary.contract.messages.job import ControlOrder, Job
from webordinary.contract.messages.outcome import EarlierWork, Outcome
from webordinary.contract.messages.ownership import Interrupt
from webordinary.contract.outcomes import ChangeState, Command, EarlierFate, Failure, Result
from webordinary.sites.live_releases import LIVE, LiveRecord, LiveRelease, LiveReleases, record_key
from webordinary.steps.control import STOP_SECONDS, Control
from webordinary.tables.jobs import JobState

OTHER_THREAD = "b" * 26


class ManualWait:
    """Time that passes only while the step waits."""

    def __init__(self) -> None:
        self.waited = 0.0
        self.meanwhile: Any = lambda: None

    def __call__(self, seconds: float) -> None:
        self.waited += seconds
        self.meanwhile()


@pytest.fixture
def manual_wait() -> ManualWait:
    return ManualWait()


@pytest.fixture
def control(world: World, manual_wait: ManualWait) -> Control:
    world.onboard()
    place: Any = {"LocationConstraint": "eu-west-1"}
    world.s3.create_bucket(Bucket=world.names.bucket("sites"), CreateBucketConfiguration=place)
    releases = LiveReleases(lambda: world.s3, world.names)
    return Control(world.jobs, world.threads, world.tokens, world.queues, releases, world.clock, manual_wait)


def asking(world: World, command: Command, **more: Any) -> ControlOrder:
    return ControlOrder(job=world.job("mail-9", command=command, instruction="", **more))


def waiting(world: World, job_id: str, words: str, thread_id: str = THREAD) -> Job:
    job = world.job(job_id, thread_id=thread_id, instruction=f"{words}\nplease")
    world.dispatch(job, f"token-{job_id}")
    world.clock.advance(1)
    return job


def running(world: World, job_id: str, words: str, thread_id: str = THREAD) -> Job:
    job = waiting(world, job_id, words, thread_id)
    world.jobs.start(PAIR, job_id, 1)
    return job


def interrupts(world: World) -> list[Interrupt]:
    return [Interrupt.read(body) for body in world.waiting("interrupts", PAIR)]


def test_help_needs_no_worker(world: World, control: Control) -> None:
    assert control.run(asking(world, Command.HELP)) == Outcome(state="done", result=Result.HELP)


def test_command_that_needs_a_worker_is_rejected(world: World, control: Control) -> None:
    with pytest.raises(WebordinaryError, match="needs a worker"):
        control.run(asking(world, Command.UNDO))


def test_status_lists_running_and_waiting_jobs_of_all_threads(world: World, control: Control) -> None:
    running(world, "mail-1", "Change the hours", OTHER_THREAD)
    waiting(world, "mail-2", "Add a page")
    waiting(world, "mail-3", "Remove the page")

    status = control.run(asking(world, Command.STATUS))

    assert (status.running, status.waiting) == (("Change the hours",), ("Add a page", "Remove the page"))
    assert interrupts(world) == []


def test_status_lists_active_changes_of_the_thread(world: World, control: Control) -> None:
    thread = world.threads.open(PAIR, "<mail-1@example.com>")
    ends = [
        Outcome(state="done", result=Result.CHANGED, subject="Hours", commit="a"),
        Outcome(state="done", result=Result.PARTLY_CHANGED, subject="Jobs", commit="b"),
        Outcome(state="done", result=Result.UNDONE, subject="Hours", commit="c", undone="a"),
        Outcome(state="done", result=Result.ASKED),
    ]
    for number, outcome in enumerate(ends, 1):
        job_id = f"mail-{number}"
        running(world, job_id, "words", thread.thread_id)
        world.jobs.finish(PAIR, job_id, 1, outcome)
        world.threads.store_fingerprints(thread, f"answer-{job_id}", b"123456", by_us=True)
        world.threads.store_fingerprints(thread, job_id, b"123456", by_us=False)
        world.clock.advance(1)

    status = control.run(asking(world, Command.STATUS, thread_id=thread.thread_id))

    assert (status.made, status.changes) == (("Jobs",), 1)


class Conversation:
    """A thread with answered jobs and releases."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.thread = world.threads.open(PAIR, "<mail-1@example.com>")
        self.answered = 0
        self.newest = 0

    def hears(self, result: Result, subject: str = "", **facts: Any) -> str:
        """Ends a job of the thread. A change is named by its subject, also as a commit."""
        self.answered += 1
        world, job_id = self.world, f"mail-{self.answered}"
        running(world, job_id, "words", self.thread.thread_id)
        outcome = Outcome(state="done", result=result, subject=subject, commit=subject or None, **facts)
        world.jobs.finish(PAIR, job_id, 1, outcome)
        world.threads.store_fingerprints(self.thread, f"answer-{job_id}", b"123456", by_us=True)
        world.clock.advance(1)
        return job_id

    def goes_live(self, number: int, *changes: str, thread_id: str | None = None) -> None:
        thread = self.thread.thread_id if thread_id is None else thread_id
        self._put(
            number,
            LiveRelease(
                number=number,
                previous=number - 1,
                job_id=f"job-{number}",
                thread_id=thread,
                commit="c0ffee",
                published_at=self.world.clock(),
                changes=changes,
                files={},
            ),
        )
        self.newest = number
        self.is_shown(number)

    def is_shown(self, number: int) -> None:
        self._put(LIVE, LiveRecord(number=number, newest=self.newest))

    def _put(self, name: str | int, message: Message) -> None:
        bucket, key = self.world.names.bucket("sites"), record_key("bakery", name)
        self.world.s3.put_object(Bucket=bucket, Key=key, Body=message.wire_text().encode())


@pytest.fixture
def conversation(world: World, control: Control) -> Conversation:
    return Conversation(world)


def status_of(control: Control, conversation: Conversation) -> Outcome:
    return control.run(asking(conversation.world, Command.STATUS, thread_id=conversation.thread.thread_id))


def states(status: Outcome) -> dict[str, ChangeState]:
    return dict(zip(status.made, status.made_states, strict=True))


def test_status_without_a_live_site_does_not_mention_one(control: Control, conversation: Conversation) -> None:
    conversation.hears(Result.CHANGED, "Hours")

    status = status_of(control, conversation)

    assert (status.something_live, states(status)) == (False, {"Hours": ChangeState.MADE})


def test_status_says_which_changes_are_live(control: Control, conversation: Conversation) -> None:
    conversation.hears(Result.CHANGED, "Hours")
    conversation.goes_live(1, "Hours")
    conversation.hears(Result.CHANGED, "Jobs")
    conversation.goes_live(2, "Other", thread_id=OTHER_THREAD)

    status = status_of(control, conversation)

    assert status.something_live
    assert states(status) == {"Hours": ChangeState.LIVE, "Jobs": ChangeState.MADE}


PREVIEW = "https://thread--bakery.example.com"


def test_status_links_the_preview_of_a_change_that_is_not_live(control: Control, conversation: Conversation) -> None:
    conversation.hears(Result.CHANGED, "Hours", preview_url=PREVIEW)
    conversation.hears(Result.ASKED)

    assert status_of(control, conversation).preview_url == PREVIEW


def test_status_links_the_preview_of_a_change_that_was_taken_off(control: Control, conversation: Conversation) -> None:
    conversation.goes_live(1, thread_id="")
    conversation.hears(Result.CHANGED, "Hours", preview_url=PREVIEW)
    conversation.goes_live(2, "Hours")
    conversation.is_shown(1)

    assert status_of(control, conversation).preview_url == PREVIEW


def test_status_without_anything_to_preview_links_none(control: Control, conversation: Conversation) -> None:
    assert status_of(control, conversation).preview_url is None

    conversation.hears(Result.CHANGED, "Hours", preview_url=PREVIEW)
    conversation.goes_live(1, "Hours")

    assert status_of(control, conversation).preview_url is None


def test_status_says_what_was_taken_off_the_live_site(control: Control, conversation: Conversation) -> None:
    conversation.goes_live(1, thread_id="")
    conversation.hears(Result.CHANGED, "Hours")
    conversation.goes_live(2, "Hours")
    conversation.is_shown(1)

    status = status_of(control, conversation)

    assert (status.something_live, states(status)) == (True, {"Hours": ChangeState.TAKEN_OFF})


def test_status_lists_an_undone_change_while_it_is_live(control: Control, conversation: Conversation) -> None:
    conversation.hears(Result.CHANGED, "Hours")
    conversation.goes_live(1, "Hours")
    conversation.hears(Result.UNDONE, undone="Hours")

    status = status_of(control, conversation)

    assert (status.changes, states(status)) == (0, {"Hours": ChangeState.UNDONE_STILL_LIVE})


def test_status_lists_partial_work_that_became_a_change(control: Control, conversation: Conversation) -> None:
    work = EarlierWork(job_id="mail-0", fate=EarlierFate.SEPARATE, commit="c0ffee", subject="Half the hours")
    conversation.hears(Result.ASKED, earlier=(work,))

    assert states(status_of(control, conversation)) == {"Half the hours": ChangeState.MADE}


def test_jobs_are_not_named_by_a_greeting(world: World, control: Control) -> None:
    running(world, "mail-1", "Guten Tag,\nbitte die Zeiten ändern", OTHER_THREAD)

    assert control.run(asking(world, Command.STATUS)).running == ("bitte die Zeiten ändern",)


def test_status_skips_a_record_of_a_newer_version(world: World, control: Control, conversation: Conversation) -> None:
    conversation.hears(Result.CHANGED, "Hours")
    bucket, key = world.names.bucket("sites"), record_key("bakery", LIVE)
    world.s3.put_object(Bucket=bucket, Key=key, Body=b'{"number": "all of them"}')

    status = status_of(control, conversation)

    assert (status.something_live, status.made) == (False, ("Hours",))


def test_stop_in_a_thread_ends_its_jobs(world: World, control: Control) -> None:
    running(world, "mail-1", "Change the hours")
    waiting(world, "mail-2", "Add a page")
    waiting(world, "mail-3", "Another thing", OTHER_THREAD)

    stopped = control.run(asking(world, Command.STOP))

    assert (stopped.result, stopped.changes) == (Result.STOPPED, 2)
    assert stopped.stopped == ("Change the hours", "Add a page")
    assert [world.jobs.get(PAIR, f"mail-{number}").state for number in (1, 2, 3)] == [
        JobState.PREEMPTED,
        JobState.PREEMPTED,
        JobState.WAITING,
    ]
    assert [token for token, _ in world.task_tokens.ends] == ["token-mail-1", "token-mail-2"]


def test_stop_in_a_new_thread_ends_all_jobs_of_the_pair(world: World, control: Control) -> None:
    running(world, "mail-1", "Change the hours", OTHER_THREAD)
    waiting(world, "mail-2", "Add a page")

    stopped = control.run(asking(world, Command.STOP, begins_thread=True, thread_id="c" * 26))

    assert stopped.changes == 2


def test_stop_interrupts_the_worker_and_names_the_mail(world: World, control: Control) -> None:
    running(world, "mail-1", "Change the hours")

    control.run(asking(world, Command.STOP))

    (interrupt,) = interrupts(world)
    assert (interrupt.running_job_id, interrupt.newer_job_id, interrupt.stop) == ("mail-1", "mail-9", True)


def test_stop_keeps_the_outcome_that_the_worker_reports(
    world: World, control: Control, manual_wait: ManualWait
) -> None:
    running(world, "mail-1", "Change the hours")
    kept = Outcome(state="preempted", stopped_by="mail-9", commit="c0ffee")

    def report() -> None:
        if manual_wait.waited == 0.5:
            world.jobs.finish(PAIR, "mail-1", 1, kept)

    manual_wait.meanwhile = report
    stopped = control.run(asking(world, Command.STOP))

    assert world.jobs.get(PAIR, "mail-1").outcome == kept
    assert manual_wait.waited == 0.5
    assert stopped.stopped == ("Change the hours",)


def test_stop_waits_only_briefly_for_the_worker(world: World, control: Control, manual_wait: ManualWait) -> None:
    running(world, "mail-1", "Change the hours")

    control.run(asking(world, Command.STOP))

    record = world.jobs.get(PAIR, "mail-1")
    assert manual_wait.waited == STOP_SECONDS
    assert record.outcome == Outcome(state="preempted", stopped_by="mail-9")


def test_stop_does_not_list_a_job_that_finished_first(world: World, control: Control, manual_wait: ManualWait) -> None:
    running(world, "mail-1", "Change the hours")
    manual_wait.meanwhile = lambda: world.jobs.finish(PAIR, "mail-1", 1, Outcome(state="done", result=Result.CHANGED))

    assert control.run(asking(world, Command.STOP)).result == Result.NOTHING_TO_STOP
    assert world.jobs.get(PAIR, "mail-1").state == JobState.DONE


def test_second_stop_attempt_stops_nothing(world: World, control: Control, manual_wait: ManualWait) -> None:
    running(world, "mail-1", "Change the hours")
    again = replace(control, wait=manual_wait)

    control.run(asking(world, Command.STOP))
    again.run(asking(world, Command.STOP))

    assert len(world.task_tokens.ends) == 1


def busy(world: World, words: str) -> None:
    """A job that ended because the model was busy, and waits for its second attempt."""
    running(world, "mail-1", words)
    at = world.clock() + timedelta(minutes=30)
    outcome = Outcome(state="failed", failure=Failure.MODEL_BUSY)
    world.tokens.settle(world.jobs.finish(PAIR, "mail-1", 1, outcome, at))


def test_stop_cancels_a_second_attempt(world: World, control: Control) -> None:
    control = replace(control, second_attempts=world.second_attempts)
    busy(world, "Change the hours")

    outcome = control.run(asking(world, Command.STOP))

    assert (outcome.result, outcome.stopped) == (Result.STOPPED, ("Change the hours",))
    (record,) = world.second_attempts.due(world.clock() + timedelta(hours=1))
    assert not world.second_attempts.claim(record, "mail-1-later")


def test_status_lists_a_second_attempt_as_waiting(world: World, control: Control) -> None:
    control = replace(control, second_attempts=world.second_attempts)
    busy(world, "Change the hours")

    assert control.run(asking(world, Command.STATUS)).waiting == ("Change the hours",)


def test_status_that_an_agent_found_is_in_its_language_and_names_earlier_work(world: World, control: Control) -> None:
    job = running(world, "mail-9", "Alles gut bei euch?")
    earlier = (EarlierWork(job_id="mail-1", request="hours", fate=EarlierFate.KEPT),)
    found = Outcome(state="done", result=Result.NOTHING_CHANGED, understood=Command.STATUS, earlier=earlier)
    world.jobs.finish(PAIR, "mail-9", 1, found.model_copy(update={"language": "de"}))

    outcome = control.run(ControlOrder(job=job.model_copy(update={"command": Command.STATUS})))

    assert (outcome.result, outcome.language, outcome.earlier) == (Result.STATUS, "de", earlier)
    assert (outcome.running, outcome.waiting) == ((), ())


def test_stop_leaves_mails_that_came_after_it(world: World, control: Control) -> None:
    stop = asking(world, Command.STOP)
    world.clock.advance(1)
    waiting(world, "mail-10", "a newer request")

    assert control.run(stop).result is Result.NOTHING_TO_STOP
    assert world.jobs.get(PAIR, "mail-10").state is JobState.WAITING

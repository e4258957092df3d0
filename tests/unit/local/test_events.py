"""The event bus: parsing of log lines, and waiting for events."""

import json

import pytest

from local.errors import TimedOutError
from local.runtime.events import Event, Events, milestone
from tests.support.sleeping import sleeping_thread


def test_log_line_with_a_milestone_becomes_an_event() -> None:
    events = Events(clock=lambda: 1.0)

    events.read_line("worker-1", json.dumps({"level": "INFO", "milestone": "pair_claimed", "pair": "bakery#ada"}))

    assert events.all() == [Event("worker-1", "pair_claimed", {"pair": "bakery#ada"}, 1.0)]


@pytest.mark.parametrize(
    "line", ["", "plain words", "{not json", '{"level": "INFO"}', '["milestone"]', '{"milestone": 3}']
)
def test_other_lines_are_ignored(line: str) -> None:
    events = Events()

    events.read_line("worker-1", line)

    assert events.all() == []


def test_wait_for_returns_when_the_event_is_published() -> None:
    events = Events()

    def wait() -> None:
        events.wait_for(milestone("mail_accepted"), timeout=3600)

    with sleeping_thread(events, wait):
        events.publish(Event("smtp", "mail_accepted"))


def test_wait_for_matches_past_events_unless_since_is_given() -> None:
    events = Events()
    events.publish(Event("smtp", "mail_accepted"))
    assert events.wait_for(milestone("mail_accepted"), timeout=0)

    with pytest.raises(TimedOutError):
        events.wait_for(milestone("mail_accepted"), timeout=0.01, since=events.position())


def test_a_milestone_of_another_job_does_not_match() -> None:
    assert not milestone("reply_sent", job_id="job-1")(Event("f", "reply_sent", {"job_id": "job-2"}))

"""Whatever becomes of a mail, its sender gets one answer: in the language of the mail, as text and as HTML, and every
link in it leads somewhere.

Each way is gone by two casts at once, one in English and one in German, on the whole running system. Two moments are
not waited for: instead of 72 hours, Step Functions waits for two seconds; and of a day's budget, all but the last cents
are counted as spent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from local.model.client import StandInClient
from local.stack.stack import Stack
from tests.e2e.cast import Cast, Told
from tests.e2e.site_client import fetch, links_in
from tests.e2e.test_refused_mails import execution_of
from tests.e2e.ways_out import WAYS, Way, preempted_by_another_conversation, timed_out, worker_lost
from webordinary.text.html import html_to_text

LAST_WORDS = {
    "en": "Just reply to this email to continue.",
    "de": "Antworten Sie einfach auf diese Mail, um weiterzumachen.",
}


@pytest.fixture(scope="module")
def casts(stack: Stack) -> Iterator[list[Cast]]:
    assert stack.model_url is not None
    model = StandInClient(stack.model_url)
    model.reset()
    casts = [Cast(language, project, stack, model) for language, project in (("en", "ferry"), ("de", "faehre"))]
    for cast in casts:
        cast.open_website()
    yield casts
    model.reset()


@pytest.fixture
def impatient(stack: Stack) -> Iterator[None]:
    """Step Functions waits for two seconds where it else waits for days."""
    machines, arn = stack.emulated.client("stepfunctions"), stack.outputs["state_machine_arn"]
    alias = f"{arn}:{stack.names.alias}"
    usual = machines.describe_state_machine(stateMachineArn=arn)["definition"]
    route = machines.describe_state_machine_alias(stateMachineAliasArn=alias)["routingConfiguration"]
    hurried = json.loads(usual)
    hurried["States"]["Dispatch"] |= {"TimeoutSeconds": 2, "HeartbeatSeconds": 1}
    version = machines.update_state_machine(stateMachineArn=arn, definition=json.dumps(hurried), publish=True)
    machines.update_state_machine_alias(
        stateMachineAliasArn=alias,
        routingConfiguration=[{"stateMachineVersionArn": version["stateMachineVersionArn"], "weight": 100}],
    )
    yield
    machines.update_state_machine(stateMachineArn=arn, definition=usual)
    machines.update_state_machine_alias(stateMachineAliasArn=alias, routingConfiguration=route)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("way", [pytest.param(way, id=way.__name__) for way in WAYS])
def test_every_way_out_has_one_answer_in_the_language_of_the_mail(way: Way, casts: list[Cast]) -> None:
    go(way, casts)


@pytest.mark.timeout(600)
def test_two_ways_that_end_as_if_nothing_had_happened(casts: list[Cast]) -> None:
    """Their answers are those of what was asked for, so each is gone in one language only, both at once."""
    ways = dict(zip(("en", "de"), (preempted_by_another_conversation, worker_lost), strict=True))
    go(lambda cast: ways[cast.language](cast), casts)


@pytest.mark.usefixtures("impatient")
@pytest.mark.timeout(600)
def test_a_wait_that_took_too_long_has_one_answer_too(casts: list[Cast]) -> None:
    go(timed_out, casts)


def test_nobody_was_answered_twice(stack: Stack, casts: list[Cast]) -> None:
    mails = [mail for cast in casts for mail in cast.sent]
    for mail in mails:
        execution_of(stack.emulated, stack, mail.job_id)
    stack.schedules.tick()

    again = [mail for cast in casts for mail in cast.told_again]
    assert {mail.job_id: len(mail.replies()) for mail in mails} == {
        mail.job_id: 1 + again.count(mail) for mail in mails
    }


def go(way: Way, casts: list[Cast]) -> None:
    with ThreadPoolExecutor(len(casts)) as side_by_side:
        for cast, told in zip(casts, side_by_side.map(lambda cast: [*way(cast)], casts), strict=True):
            for one in told:
                assert_readable(cast, one)


def assert_readable(cast: Cast, told: Told) -> None:
    answer, other = told.answer, {"en": "de", "de": "en"}[cast.language]
    assert answer.html is not None
    assert f'lang="{cast.language}"' in answer.html
    for shown in (answer.text, html_to_text(answer.html)):
        read = " ".join(shown.split())
        assert [words for words in (*told.says, LAST_WORDS[cast.language]) if words not in read] == [], read
        assert LAST_WORDS[other] not in read
        assert not re.search(r"src/|Traceback|node_modules|\.astro", read)
    links = {*links_in(answer.text), *links_in(answer.html)}
    assert {link: fetch(cast.stack, link).status for link in links if fetch(cast.stack, link).status != 200} == {}

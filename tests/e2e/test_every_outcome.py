"""Every outcome of a mail produces one reply: in the language of the mail, as text and HTML, without broken links.

Each scenario runs on the whole system, in English and in German at the same time. Two limits are shortened: Step
Functions waits for two seconds instead of 72 hours, and most of the daily budget is already spent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from local.stack.stack import Stack
from tests.e2e.scenarios import SCENARIOS, Scenario, preempted_by_another_conversation, timed_out, worker_lost
from tests.e2e.site_client import fetch, links_in
from tests.e2e.test_refused_mails import execution_of
from tests.e2e.writers import ExpectedReply, Writers
from tests.support.model_client import StandInClient
from webordinary.text.html import html_to_text

REPLY_HINTS = {
    "en": "Just reply to this email to continue.",
    "de": "Antworten Sie einfach auf diese Mail, um weiterzumachen.",
}


@pytest.fixture(scope="module")
def all_writers(stack: Stack) -> Iterator[list[Writers]]:
    assert stack.model_url is not None
    model = StandInClient(stack.model_url)
    model.reset()
    all_writers = [
        Writers(language, project, stack, model) for language, project in (("en", "ferry"), ("de", "faehre"))
    ]
    for writers in all_writers:
        writers.create_website()
    yield all_writers
    model.reset()


@pytest.fixture
def short_timeout(stack: Stack, all_writers: list[Writers]) -> Iterator[None]:
    """Step Functions waits for two seconds for a dispatched job. Its agent hangs until the test has ended."""
    machines, arn = stack.emulated.client("stepfunctions"), stack.outputs["state_machine_arn"]
    alias = f"{arn}:{stack.names.alias}"
    original = machines.describe_state_machine(stateMachineArn=arn)["definition"]
    route = machines.describe_state_machine_alias(stateMachineAliasArn=alias)["routingConfiguration"]
    shortened = json.loads(original)
    shortened["States"]["Dispatch"] |= {"TimeoutSeconds": 2, "HeartbeatSeconds": 1}
    version = machines.update_state_machine(stateMachineArn=arn, definition=json.dumps(shortened), publish=True)
    machines.update_state_machine_alias(
        stateMachineAliasArn=alias,
        routingConfiguration=[{"stateMachineVersionArn": version["stateMachineVersionArn"], "weight": 100}],
    )
    yield
    all_writers[0].model.resume()
    machines.update_state_machine(stateMachineArn=arn, definition=original)
    machines.update_state_machine_alias(stateMachineAliasArn=alias, routingConfiguration=route)


@pytest.mark.parametrize("scenario", [pytest.param(scenario, id=scenario.__name__) for scenario in SCENARIOS])
def test_every_outcome_has_one_reply_in_the_mails_language(scenario: Scenario, all_writers: list[Writers]) -> None:
    run(scenario, all_writers)


def test_preemption_and_worker_loss_do_not_change_the_reply(all_writers: list[Writers]) -> None:
    """Their replies are ordinary ones, so each scenario runs in one language only."""
    scenarios = dict(zip(("en", "de"), (preempted_by_another_conversation, worker_lost), strict=True))
    run(lambda writers: scenarios[writers.language](writers), all_writers)


@pytest.mark.usefixtures("short_timeout")
def test_timeout_of_a_job_has_one_reply(all_writers: list[Writers]) -> None:
    run(timed_out, all_writers)


def test_no_mail_was_replied_to_twice(stack: Stack, all_writers: list[Writers]) -> None:
    mails = [mail for writers in all_writers for mail in writers.sent]
    for mail in mails:
        execution_of(stack.emulated, stack, mail.job_id)
    stack.schedules.tick()

    replied_again = [mail for writers in all_writers for mail in writers.replied_again]
    assert {mail.job_id: len(mail.replies()) for mail in mails} == {
        mail.job_id: 1 + replied_again.count(mail) for mail in mails
    }


def run(scenario: Scenario, all_writers: list[Writers]) -> None:
    with ThreadPoolExecutor(len(all_writers)) as executor:
        results = executor.map(lambda writers: [*scenario(writers)], all_writers)
        for writers, replies in zip(all_writers, results, strict=True):
            for expected in replies:
                assert_readable(writers, expected)


def assert_readable(writers: Writers, expected: ExpectedReply) -> None:
    reply, other = expected.reply, {"en": "de", "de": "en"}[writers.language]
    assert reply.html is not None
    assert f'lang="{writers.language}"' in reply.html
    for shown in (reply.text, html_to_text(reply.html)):
        text = " ".join(shown.split())
        expected_texts = (*expected.texts, REPLY_HINTS[writers.language])
        assert [one for one in expected_texts if one not in text] == [], text
        assert REPLY_HINTS[other] not in text
        assert not re.search(r"src/|Traceback|node_modules|\.astro", text)
    links = {*links_in(reply.text), *links_in(reply.html)}
    assert {link: fetch(writers.stack, link).status for link in links if fetch(writers.stack, link).status != 200} == {}

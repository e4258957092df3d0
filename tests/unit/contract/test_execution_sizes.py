"""What enters an execution stays far below the 256 KB of Step Functions, whatever a mail holds or a job did."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.stored_mails import Read, reader
from tests.support.world import World
from webordinary.contract.messages.mail import Attachment
from webordinary.contract.messages.outcome import ChangedPage, EmptyFolders, NotDone, Outcome
from webordinary.contract.messages.parse import Decision, ParseResult
from webordinary.contract.outcomes import PageChange, Result
from webordinary.contract.sizes import cut, json_bytes
from webordinary.contract.values import limit

# The characters that take the most bytes in JSON: escaped, and outside the basic plane.
LARGE_TEXTS = st.sampled_from(["\u0001", "🏠", "漢", '"', "a"])


def repeated(most: int) -> st.SearchStrategy[str]:
    return st.builds(lambda character, times: character * times, LARGE_TEXTS, st.sampled_from([0, 1, most // 2, most]))


WORDS, PHRASES = repeated(limit("summary_characters")), repeated(limit("phrase_characters"))
LISTS = st.integers(0, 400).flatmap(lambda times: PHRASES.map(lambda phrase: (phrase,) * times))
NUMBERS = st.integers(0, 10)
OUTCOMES = st.builds(
    Outcome,
    state=st.sampled_from(["done", "failed", "preempted"]),
    result=st.none() | st.sampled_from(Result),
    summary=WORDS,
    detail=WORDS,
    question=WORDS,
    subject=WORDS,
    not_done=st.builds(
        lambda what, why, times: (NotDone(what=what, why=why),) * times, PHRASES, PHRASES, st.integers(0, 10)
    ),
    changed_files=st.builds(lambda name, times: (name,) * times, PHRASES, st.integers(0, 5000)),
    pages=st.builds(
        lambda path, text, times: (
            (ChangedPage(path=path, change=PageChange.CHANGED, title=text, before=text, after=text),) * times
        ),
        PHRASES,
        PHRASES,
        st.integers(0, limit("changed_pages")),
    ),
    running=LISTS,
    waiting=LISTS,
    made=LISTS,
    stopped=LISTS,
    clashes=LISTS,
    empty_folders=st.none()
    | st.builds(
        lambda folder, detail, times: EmptyFolders(folders=(folder,) * times, detail=detail, digest="ab"),
        PHRASES,
        WORDS,
        st.integers(0, 10),
    ),
    preview_url=st.none() | st.just("https://" + "a" * 1900),
)


def size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode())


@settings(deadline=None, max_examples=200)
@given(OUTCOMES)
def test_outcome_of_any_job_is_bounded(outcome: Outcome) -> None:
    bounded = outcome.bounded()

    assert len(bounded.wire_text().encode()) <= limit("outcome_bytes")
    assert (bounded.state, bounded.result, bounded.preview_url) == (outcome.state, outcome.result, outcome.preview_url)
    # The cause of a failed task takes 32,768 characters.
    assert len(outcome.for_execution().wire_text().encode()) <= 8000


def test_ordinary_outcome_is_not_cut() -> None:
    outcome = Outcome(state="done", summary="漢" * limit("summary_characters"), changed_files=("a", "b"))

    assert outcome.bounded() == outcome


def test_thousands_of_changed_files_are_counted() -> None:
    outcome = Outcome(state="done", changed_files=tuple(f"src/pages/{number:04}.md" for number in range(4000)))

    assert len(outcome.changed_files) == limit("changed_files")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])), st.integers(0, 40))
def test_cut_text_is_the_longest_start_that_fits(text: str, most: int) -> None:
    start = cut(text, most)

    assert text.startswith(start)
    assert json_bytes(start) <= most
    assert start == text or json_bytes(text[: len(start) + 1]) > most


@pytest.fixture
def read(world: World) -> Read:
    return reader(world)


def state_of_execution(parsed: ParseResult, outcome: Outcome) -> dict[str, Any]:
    """The state before the reply: every function's result is kept next to the job."""
    attachments = [attachment_of(part).wire() for part in parsed.attachment_parts]
    state = parsed.wire()
    state["job"] = {**state["job"], "attachments": attachments}
    return {**state, "prepared": {"attachments": attachments}, "outcome": outcome.for_execution().wire()}


def attachment_of(part: Any) -> Attachment:
    if part.refused is not None:
        return Attachment(name=part.name, refused=part.refused)
    key = f"media/{part.pair.project}/{part.pair.user}/{'0' * 32}/{part.name}"
    facts = {"size": 10**8, "sha256": "0" * 64, "width": 2560, "height": 2560, "content_id": part.content_id}
    return Attachment(name=part.name, content_type=part.content_type, key=key, fallback_key=key, **facts)


@pytest.mark.parametrize("character", ["🏠", "漢", '"'])
def test_largest_mail_and_largest_outcome_fit_into_an_execution(read: Read, character: str) -> None:
    text = f"{character * 70} .\n" * 255
    references = " ".join(f"<{number}-{'r' * 480}@example.com>" for number in range(60))
    parsed = read(
        text,
        Subject=character * 400,
        References=references,
        attachments=(b"\x89PNG",) * 45,
    )
    pages = (ChangedPage(path="p" * 500, change=PageChange.CHANGED, before="b" * 500, after="a" * 500),) * 12
    words = character * limit("summary_characters")
    outcome = Outcome(state="done", summary=words, detail=words, question=words, subject=words, pages=pages)

    assert parsed.job is not None
    history = "h" * (limit("request_bytes") - json_bytes(parsed.job.instruction))  # parse_email cuts it to this
    parsed = parsed.model_copy(update={"job": parsed.job.model_copy(update={"history": history})})
    assert size(state_of_execution(parsed, outcome)) <= limit("execution_bytes")
    assert size({**parsed.wire(), "control": {"outcome": outcome.bounded().wire()}}) <= limit("execution_bytes")


@pytest.mark.parametrize(("lines", "decision"), [(300, Decision.ACCEPT), (325, Decision.ANSWER)])
def test_request_is_limited_by_its_bytes(read: Read, lines: int, decision: Decision) -> None:
    parsed = read(("🏠" * 60 + "\n") * lines + "\n")

    assert parsed.decision is decision
    if parsed.job is not None:
        assert size(parsed.job.wire()) < limit("request_bytes") + 20_000

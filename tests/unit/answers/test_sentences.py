"""Every code has its sentence, every sentence is used, and no other room has sentences for people."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import pytest

from tests.support.world import World
from webordinary.answers.compose import answer_to_job, answer_to_refusal
from webordinary.answers.english import ENGLISH
from webordinary.answers.language import Counted, Language
from webordinary.platform.messages import (
    Attachment,
    AttachmentProblem,
    AttachmentRefusal,
    Command,
    Failure,
    Outcome,
    Refusal,
    RefusalReason,
    Result,
)

ROOT = Path(__file__).resolve().parents[3]
DOMAIN = ROOT / "layers/webordinary/python/webordinary"
LANGUAGES = [ENGLISH]
FACTS = {"subject", "changes", "command", "addresses", "limit", "project", "moment"}
# A few words say too little to be known again elsewhere ("it is empty").
SHORTEST_TELLING_PIECE = 20


def sentences_of(language: Language) -> list[str]:
    found: list[str] = []
    for value in vars(language).values():
        for sentence in value.values() if isinstance(value, dict) else [value]:
            found += vars(sentence).values() if isinstance(sentence, Counted) else [sentence]
    return found


def pieces_of(sentence: str) -> list[str]:
    """What a sentence consists of between its facts."""
    return [piece.strip() for piece in re.split(r"\{\w+\}", sentence) if piece.strip()]


def every_answer(world: World, language: Language) -> Iterator[str]:
    envelope = world.job().envelope
    refused = tuple(
        Attachment(name="plan.bin", refused=AttachmentRefusal(problem=problem, limit=7))
        for problem in AttachmentProblem
    )
    job = world.job(attachments=refused, command=Command.PUBLISH)
    for result in Result:
        for changes in range(3):
            yield answer_to_job(job, Outcome(state="done", result=result, changes=changes), language).text()
    for failure in Failure:
        yield answer_to_job(job, Outcome(state="failed", failure=failure, detail="line 3"), language).text()
    everything = Outcome(state="preempted", commit="c0ffee", preview_url="https://a.example", changed_files=("a.md",))
    yield answer_to_job(job, everything, language).text()
    for reason in RefusalReason:
        refusal = Refusal(job_id="mail-1", envelope=envelope, reason=reason, addresses=("a@b.example",))
        yield answer_to_refusal(refusal, language).text()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("codes", "field"),
    [
        (Result, "results"),
        (Failure, "failures"),
        (RefusalReason, "refusals"),
        (AttachmentProblem, "attachment_problems"),
    ],
)
def test_every_code_has_a_sentence(language: Language, codes: type[StrEnum], field: str) -> None:
    assert set(getattr(language, field)) == set(codes)


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_are_there_and_differ(language: Language) -> None:
    sentences = sentences_of(language)

    assert all(sentence.strip() for sentence in sentences)
    assert len(set(sentences)) == len(sentences)


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_ask_for_facts_that_there_are(language: Language) -> None:
    asked = {fact for sentence in sentences_of(language) for fact in re.findall(r"\{(\w*)\}", sentence)}

    assert asked <= FACTS


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_used_and_every_fact_is_filled_in(world: World, language: Language) -> None:
    answers = "\n".join(every_answer(world, language))

    unused = [sentence for sentence in sentences_of(language) if not all(p in answers for p in pieces_of(sentence))]
    assert unused == []
    assert "{" not in answers
    assert "None" not in answers


def rooms_without_sentences() -> list[Path]:
    rooms = [DOMAIN / room for room in ("platform", "tables", "protocol", "steps", "mail")]
    rooms += [ROOT / "container/webordinary_worker", ROOT / "functions"]
    return [*(file for room in rooms for file in room.rglob("*.py")), ROOT / "statemachine/email_processor.asl.json"]


@pytest.mark.parametrize("file", rooms_without_sentences(), ids=lambda file: str(file.relative_to(ROOT)))
def test_no_other_room_has_a_sentence_of_the_answers(file: Path) -> None:
    text = " ".join(re.sub(r"[\"'\\\s]+", " ", file.read_text(encoding="utf-8")).split())
    telling = [
        " ".join(re.sub(r"[\"'\\\s]+", " ", piece).split())
        for language in LANGUAGES
        for sentence in sentences_of(language)
        for piece in re.split(r"(?<=[.;]) ", sentence)
        for piece in pieces_of(piece)
    ]

    assert [piece for piece in telling if len(piece) >= SHORTEST_TELLING_PIECE and piece in text] == []


@pytest.mark.parametrize("file", rooms_without_sentences(), ids=lambda file: str(file.relative_to(ROOT)))
def test_no_other_room_quotes_something_for_a_reader(file: Path) -> None:
    """Typographic quotation marks are for people; where a program needs them as data, it names them by number."""
    assert not re.search("[“”]", file.read_text(encoding="utf-8"))


def test_what_the_state_machine_says_of_an_unusable_attachment_is_a_code() -> None:
    definition = (ROOT / "statemachine/email_processor.asl.json").read_text(encoding="utf-8")
    (said,) = re.findall(r'"refused": (\{[^}]*\})', definition)

    assert AttachmentRefusal.read(json.loads(said)).problem == AttachmentProblem.NOT_PROCESSED

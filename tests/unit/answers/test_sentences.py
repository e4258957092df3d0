"""Every code has a sentence, every sentence is used, and no other package contains sentences for customers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from enum import StrEnum
from pathlib import Path

import pytest

from tests.support.world import World
from webordinary.answers.as_html import as_html
from webordinary.answers.as_text import as_text
from webordinary.answers.blocks import Answer
from webordinary.answers.developer_notes import note_about_empty_folders, note_about_failure, note_about_lock
from webordinary.answers.facts import Facts
from webordinary.answers.job_answers import answer_to_job
from webordinary.answers.language import Language, Plural
from webordinary.answers.languages import MODULES, language_of
from webordinary.answers.publisher_questions import (
    notice_to_requester,
    question_asked_again,
    question_to_publisher,
)
from webordinary.answers.refusal_answers import answer_to_refusal
from webordinary.answers.sender_questions import question_to_sender, question_to_sender_again
from webordinary.contract.messages.job import Approval
from webordinary.contract.messages.mail import Attachment, AttachmentRefusal
from webordinary.contract.messages.outcome import (
    ChangedPage,
    EarlierWork,
    EmptyFolders,
    NotDone,
    Outcome,
    Risk,
    StaleLock,
    Usage,
)
from webordinary.contract.messages.parse import Refusal
from webordinary.contract.outcomes import (
    AttachmentProblem,
    ChangeState,
    Command,
    EarlierFate,
    Failure,
    PageChange,
    RefusalReason,
    Result,
    RiskKind,
)
from webordinary.mail.commands.finder import find_command
from webordinary.text.html import html_to_text

ROOT = Path(__file__).resolve().parents[3]
DOMAIN = ROOT / "layers/webordinary/python/webordinary"
LANGUAGES = [language_of(code) for code in MODULES]
ENGLISH = language_of("en")
PUBLISHED = Outcome(state="done", result=Result.PUBLISHED)
ASKED_AGAIN = Outcome(state="done", result=Result.PUBLISH_ASKED_AGAIN, commit="c0ffee")
OUTDATED = Outcome(state="failed", failure=Failure.APPROVAL_OUTDATED)
CLASHED = Outcome(state="failed", failure=Failure.PUBLISH_CONFLICT, clashes=("one",))
ALL_FACTS = Facts(
    preview="https://a.example/",
    live="https://b.example/",
    newer="The phone",
    developer="dev@example.com",
    with_cost=True,
    guide="https://guide.example/",
)
# Shorter pieces are too common to search for ("it's empty").
MIN_PIECE_LENGTH = 20


def named_sentences(language: Language) -> dict[str, str]:
    """Every sentence by its path, which is the same in all languages."""
    found: dict[str, str] = {}
    for field, value in language._asdict().items():
        entries = {f"{field}.{key}": each for key, each in value.items()} if isinstance(value, dict) else {field: value}
        for path, sentence in entries.items():
            forms = (
                {f"{path}.{form}": words for form, words in sentence._asdict().items() if words}
                if isinstance(sentence, Plural)
                else {path: sentence}
            )
            found |= forms
    return found


def sentences_of(language: Language) -> list[str]:
    excluded = ("code", "date", "months", "words.")
    return [words for path, words in named_sentences(language).items() if not path.startswith(excluded)]


def pieces_of(sentence: str) -> list[str]:
    """The text between the placeholders of a sentence."""
    return [piece.strip() for piece in re.split(r"\{\w+\}", sentence) if piece.strip()]


def every_answer(world: World, code: str) -> Iterator[Answer]:
    envelope = world.job().envelope
    refused = tuple(
        Attachment(name="plan.bin", refused=AttachmentRefusal(problem=problem, limit=7))
        for problem in AttachmentProblem
    )
    job = world.job(attachments=refused, command=Command.PUBLISH, language=code)
    for result in Result:
        for number in range(3):
            pages = tuple(ChangedPage(path="a.html", change=change, before="old", after="new") for change in PageChange)
            lines = ("one",)
            outcome = Outcome(
                state="done",
                result=result,
                subject="A change" if number else "",
                changes=number,
                question="Which?",
                pages=pages,
                more_pages=number,
                not_done=(NotDone(what="that", why="so"),),
                risks=tuple(Risk(kind=kind, detail="x.example") for kind in RiskKind),
                more_risks=number,
                reverted_files=("package.json",),
                more_reverted_files=number,
                running=lines,
                waiting=lines,
                made=("one", "two", "three", "four", "five"),
                made_states=tuple(ChangeState),
                still_live=number == 0,
                earlier=tuple(EarlierWork(job_id="mail-0", request="Earlier", fate=fate) for fate in EarlierFate),
                something_live=True,
                stopped=lines,
                clashes=lines,
                preview_url="https://a.example",
                usage=Usage(seconds=2, dollars=0.01),
            )
            yield answer_to_job(job, outcome, ALL_FACTS)
    for failure in Failure:
        outcome = Outcome(state="failed", failure=failure, detail="line 3")
        yield answer_to_job(job, outcome, ALL_FACTS)
        yield note_about_failure(job, outcome)
    yield note_about_lock(job, StaleLock(file="pnpm-lock.yaml", packages="c0ffee"))
    yield note_about_empty_folders(job, EmptyFolders(folders=("theme",), detail="not fetched", digest="c0ffee"))
    yield question_to_publisher(job, Outcome(state="done"), ALL_FACTS, job.received_at)
    for command in (Command.PUBLISH, Command.UNPUBLISH):
        understood = Outcome(state="done", understood=command)
        yield question_to_sender(job, understood, ALL_FACTS, job.received_at)
    approved = Approval(thread_id=job.thread_id, commit="c0ffee", language=code)
    yield question_asked_again(job, approved, ASKED_AGAIN, ALL_FACTS, job.received_at)
    yield question_to_sender_again(job, approved, ASKED_AGAIN, ALL_FACTS, job.received_at)
    for outcome in (PUBLISHED, CLASHED, ASKED_AGAIN, OUTDATED):
        yield notice_to_requester(approved, outcome, ALL_FACTS)
    yield answer_to_job(job, Outcome(state="done", preview_url="https://a.example"), Facts(is_online=False))
    yield answer_to_job(job, Outcome(state="failed", failure=Failure.MODEL_BUSY), Facts(tries_again_at=job.received_at))
    yield answer_to_job(job, Outcome(state="preempted", commit="c0ffee"), ALL_FACTS)
    yield answer_to_job(job, Outcome(state="preempted"), ALL_FACTS)
    yield answer_to_job(job, Outcome(state="preempted", stopped_by="mail-2", commit="c0ffee"), ALL_FACTS)
    for reason in RefusalReason:
        refusal = Refusal(job_id="mail-1", envelope=envelope, reason=reason, addresses=("a@b.example",), language=code)
        yield answer_to_refusal(refusal)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
@pytest.mark.parametrize(
    ("codes", "field"),
    [
        (Result, "results"),
        (Failure, "failures"),
        (RefusalReason, "refusals"),
        (AttachmentProblem, "attachment_problems"),
        (RiskKind, "risk_lines"),
    ],
)
def test_every_code_has_a_sentence(language: Language, codes: type[StrEnum], field: str) -> None:
    assert set(getattr(language, field)) == set(codes)


@pytest.mark.parametrize("code", MODULES)
@pytest.mark.parametrize("result", [Result.UNPUBLISHED, Result.UNPUBLISHED_FOR_NOW])
def test_answer_to_unpublish_names_what_was_taken_off(world: World, code: str, result: Result) -> None:
    job = world.job(command=Command.UNPUBLISH, language=code)
    named, unnamed = (
        as_text(answer_to_job(job, Outcome(state="done", result=result, subject=subject)))
        for subject in ("New hours on Sunday", "")
    )

    assert "New hours on Sunday" in named
    assert job.envelope.subject not in unnamed  # a mail's subject is not what was live


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_sentences_are_unique_and_not_empty(language: Language) -> None:
    sentences = sentences_of(language)

    assert all(sentence.strip() for sentence in sentences)
    assert len(set(sentences)) == len(sentences)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_languages_have_the_same_sentences_and_placeholders(language: Language) -> None:
    def facts(sentences: dict[str, str]) -> dict[str, set[str]]:
        return {place: set(re.findall(r"\{(\w*)\}", words)) for place, words in sentences.items()}

    assert facts(named_sentences(language)) == facts(named_sentences(ENGLISH))


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_no_sentence_is_left_in_english(language: Language) -> None:
    english = {words for words in sentences_of(ENGLISH) if len(words) > 12}

    assert language is ENGLISH or english.isdisjoint(sentences_of(language))


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("en", "9 March 2026, 18:05 UTC"),
        ("de", "9. März 2026, 18:05 UTC"),
        ("fr", "9 mars 2026 à 18:05 UTC"),
        ("pl", "9 marca 2026, 18:05 UTC"),
        ("ja", "2026年3月9日 18:05 UTC"),
    ],
)
def test_points_in_time_are_written_as_in_the_language(code: str, written: str) -> None:
    in_vienna = datetime(2026, 3, 9, 19, 5, tzinfo=timezone(timedelta(hours=1)))

    assert language_of(code).date_and_time(in_vienna) == written


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_every_month_has_a_name(language: Language) -> None:
    assert len(set(language.months.split())) == 12


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_offered_command_words_are_recognized(language: Language) -> None:
    understood = {command: find_command(word, "").command for command, word in language.words.items()}

    assert understood == {command: command for command in language.words}
    assert all(f"{language.words[command]}" in str(language.results[Result.HELP]) for command in language.words)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_every_sentence_is_used_and_every_placeholder_filled(world: World, language: Language) -> None:
    answers = "\n".join(as_text(answer) for answer in every_answer(world, language.code))

    unused = [sentence for sentence in sentences_of(language) if not all(p in answers for p in pieces_of(sentence))]
    assert unused == []
    assert "{" not in answers
    assert "None" not in answers


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
def test_html_contains_all_words_of_the_text(world: World, language: Language) -> None:
    for answer in every_answer(world, language.code):
        html_text = html_to_text(as_html(answer))
        lines = [line.strip("- :") for line in as_text(answer).split("\n")]
        missing = [word for line in lines for word in line.split() if word.strip("():") not in html_text]

        assert missing == []


def files_without_sentences() -> list[Path]:
    packages = [package for package in DOMAIN.iterdir() if package.is_dir() and package.name != "answers"]
    packages += [ROOT / "container/webordinary_worker", ROOT / "functions"]
    files = (file for package in sorted(packages) for file in sorted(package.rglob("*.py")))
    return [*files, ROOT / "statemachine/email_processor.asl.json"]


@pytest.mark.parametrize("file", files_without_sentences(), ids=lambda file: str(file.relative_to(ROOT)))
def test_other_packages_contain_no_customer_sentences(file: Path) -> None:
    text = " ".join(re.sub(r"[\"'\\\s]+", " ", file.read_text(encoding="utf-8")).split())
    pieces = [
        " ".join(re.sub(r"[\"'\\\s]+", " ", piece).split())
        for language in LANGUAGES
        for sentence in sentences_of(language)
        for piece in re.split(r"(?<=[.;]) ", sentence)
        for piece in pieces_of(piece)
    ]

    assert [piece for piece in pieces if len(piece) >= MIN_PIECE_LENGTH and piece in text] == []


@pytest.mark.parametrize("file", files_without_sentences(), ids=lambda file: str(file.relative_to(ROOT)))
def test_other_packages_contain_no_typographic_quotes(file: Path) -> None:
    """Typographic quotes are for people; code that needs them as data uses escapes."""
    assert not re.search("[“”]", file.read_text(encoding="utf-8"))


def test_state_machine_reports_an_unusable_attachment_as_a_code() -> None:
    definition = (ROOT / "statemachine/email_processor.asl.json").read_text(encoding="utf-8")
    (refused,) = re.findall(r'"refused": (\{[^}]*\})', definition)

    assert AttachmentRefusal.read(json.loads(refused)).problem == AttachmentProblem.NOT_PROCESSED

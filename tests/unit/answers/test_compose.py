"""An answer says each thing once, in a good order, and nothing that is not so."""

from __future__ import annotations

from tests.support.world import World
from webordinary.answers.compose import answer_to_job, answer_to_refusal
from webordinary.platform.messages import (
    Attachment,
    AttachmentProblem,
    AttachmentRefusal,
    Command,
    Failure,
    Job,
    Outcome,
    Refusal,
    RefusalReason,
    Result,
)


def answer(job: Job, outcome: Outcome) -> str:
    return answer_to_job(job, outcome).text()


def test_the_whole_answer_to_a_change(world: World) -> None:
    too_large = AttachmentRefusal(problem=AttachmentProblem.TOO_LARGE, limit=20)
    job = world.job(attachments=(Attachment(name="film.mov", refused=too_large), Attachment(name="shop.webp", key="k")))
    outcome = Outcome(
        state="done",
        result=Result.CHANGED,
        summary="The shop opens at nine now.",
        subject="Change the opening hours.",
        changed_files=("src/pages/index.astro", "src/hours.json"),
        preview_url="https://a--bakery.preview.example.com/",
    )

    assert answer(job, outcome).splitlines() == [
        "The shop opens at nine now.",
        "",
        "Look at it here: https://a--bakery.preview.example.com/",
        "",
        "These files were changed:",
        "- src/pages/index.astro",
        "- src/hours.json",
        "",
        "I could not use these attachments:",
        "- film.mov: it is larger than 20 MB",
    ]


def test_the_agents_own_words_stand_for_the_result(world: World) -> None:
    outcome = Outcome(state="done", result=Result.NOTHING_CHANGED, summary="Es steht schon so da.")

    assert answer(world.job(), outcome) == "Es steht schon so da."


def test_a_change_without_words_of_the_agent_is_named_by_its_subject(world: World) -> None:
    outcome = Outcome(state="done", result=Result.CHANGED, subject="New hours")

    assert answer(world.job(), outcome) == "“New hours” is done."


def test_a_change_without_a_subject_is_named_by_the_mail(world: World) -> None:
    assert answer(world.job(), Outcome(state="done")) == "“Opening hours” is done."


def test_a_build_that_failed_is_said_once_with_what_the_build_said(world: World) -> None:
    outcome = Outcome(state="failed", failure=Failure.BUILD_FAILED, detail="index.astro:3 Unexpected }")

    assert answer(world.job(), outcome).splitlines() == [
        "The site could not be built that way, so nothing was changed.",
        "",
        "This is what the system said about it:",
        "",
        "index.astro:3 Unexpected }",
    ]


def test_words_of_an_agent_that_failed_are_no_result(world: World) -> None:
    outcome = Outcome(state="failed", failure=Failure.AGENT_FAILED, summary="I changed the hours.")

    assert "I changed the hours." not in answer(world.job(), outcome)


def test_a_failure_without_a_code_is_ours(world: World) -> None:
    assert answer(world.job(), Outcome(state="failed")).startswith("Something broke on our side.")


def test_a_command_that_does_not_exist_yet_is_named(world: World) -> None:
    outcome = Outcome(state="failed", failure=Failure.UNSUPPORTED)

    assert answer(world.job(command=Command.PUBLISH), outcome) == "“publish” cannot be done by mail yet."


def test_partial_work_is_mentioned_only_if_there_is_some(world: World) -> None:
    assert "kept" in answer(world.job(), Outcome(state="preempted", commit="c0ffee"))
    assert "kept" not in answer(world.job(), Outcome(state="preempted"))


def test_the_status_counts_changes(world: World) -> None:
    told = [
        answer(world.job(), Outcome(state="done", result=Result.STATUS, changes=changes, subject="New hours"))
        for changes in (0, 1, 2)
    ]

    assert told == [
        "Nothing has been changed in this conversation yet.",
        "This conversation has made one change: “New hours”.",
        "This conversation has made 2 changes. The last one: “New hours”.",
    ]


def test_braces_of_a_person_are_not_taken_for_facts(world: World) -> None:
    outcome = Outcome(state="done", result=Result.UNDONE, subject="Use {changes} and {subject.__class__}")

    assert answer(world.job(), outcome) == "“Use {changes} and {subject.__class__}” was taken back."


def test_a_sender_of_several_websites_is_given_the_addresses(world: World) -> None:
    refusal = Refusal(
        job_id="mail-1",
        envelope=world.job().envelope,
        reason=RefusalReason.AMBIGUOUS_PROJECT,
        addresses=("bakery+ada@edit.example.com", "garden+ada@edit.example.com"),
    )

    told = answer_to_refusal(refusal).text()

    assert told.endswith("bakery+ada@edit.example.com, garden+ada@edit.example.com")

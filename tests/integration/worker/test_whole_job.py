"""A job from claim to report; only the model is a stand-in."""

from __future__ import annotations

from collections.abc import Callable

from local.model.steps import ScriptedStep, ToolCall, statement_call
from tests.integration.worker.harness import HOME_PAGE, THREAD, Deployment, Remote, Worker
from tests.support.model_client import StandInClient
from webordinary.contract.outcomes import Failure, PageChange, Result

StartWorker = Callable[..., Worker]


def test_edit_changes_the_branch_and_its_preview(
    deployment: Deployment, remote: Remote, start_worker: StartWorker
) -> None:
    remote.push_main()
    job = deployment.mail('Please change "Bread" to "Good bread".\n\nThank you!')
    worker = start_worker()
    deployment.dispatch(job)

    outcome = deployment.outcome_of(job)

    assert outcome.state == "done", outcome
    assert "Good bread" in remote.show(HOME_PAGE)
    assert remote.subjects() == ["Bread → Good bread"]
    assert "Good bread" in deployment.page("index.html")
    assert 'href="/menu/"' in deployment.page("index.html")
    assert outcome.preview_url == f"https://{THREAD}--bakery.preview.example.com/"
    assert outcome.changed_files == (HOME_PAGE,)
    (page,) = outcome.pages
    assert (page.path, page.change) == ("index.html", PageChange.CHANGED)
    assert ("Bread" in page.before, "Good bread" in page.after) == (True, True)
    assert outcome.usage.output_tokens > 0
    worker.wait_for("job_reported")
    concurrent = "base_built"  # in the background, while the agent works
    milestones = worker.milestones()
    assert milestones.index("agent_started") < milestones.index(concurrent) < milestones.index("job_reported")
    assert [name for name in milestones if name != concurrent] == [
        "pair_claimed",
        "agent_started",
        "agent_finished",
        "site_built",
        "branch_pushed",
        "site_deployed",
        "job_reported",
    ]


def test_later_worker_resumes_the_session_of_an_earlier_one(
    deployment: Deployment, remote: Remote, start_worker: StartWorker, model: StandInClient
) -> None:
    remote.push_main()
    first = deployment.mail("There is nothing to change in this one.")
    earlier = start_worker()
    deployment.dispatch(first)
    deployment.outcome_of(first)
    earlier.stop()

    start_worker()
    second = deployment.mail("Words that only the second mail has.")
    deployment.dispatch(second)
    deployment.outcome_of(second)

    conversation = str(model.wait_for_request(when="Words that only the second mail has.").body["messages"])
    assert "There is nothing to change in this one." in conversation


def test_change_that_breaks_the_build_is_discarded_and_reported(
    deployment: Deployment, remote: Remote, start_worker: StartWorker, model: StandInClient
) -> None:
    remote.push_main()
    job = deployment.mail("Break it, please.")
    broken = ToolCall(name="Write", input={"file_path": "src/pages/broken.astro", "content": "---\nconst = ;\n---\n"})
    model.script(
        ScriptedStep(tools=(broken,)),
        ScriptedStep(tools=(statement_call(),)),
        ScriptedStep(tools=(statement_call(summary="I cannot repair it."),)),
        when="Break it, please.",
    )
    start_worker()
    deployment.dispatch(job)

    outcome = deployment.outcome_of(job)

    assert outcome.failure == Failure.BUILD_FAILED
    assert "broken.astro" in outcome.detail
    assert remote.subjects() == []
    assert deployment.preview_files() == []


def test_undo_reverts_the_threads_last_change(
    deployment: Deployment, remote: Remote, start_worker: StartWorker
) -> None:
    remote.push_main()
    remote.write("public/oops.txt", "This was a mistake.")
    remote.push_to_thread("Add a mistake")
    job = deployment.mail("undo", command="undo")
    start_worker()
    deployment.dispatch(job)

    outcome = deployment.outcome_of(job)

    assert outcome.state == "done", outcome
    assert remote.subjects() == ["Undo: Add a mistake", "Add a mistake"]
    assert "oops.txt" not in deployment.preview_files()


def test_question_and_its_answer_share_one_session(
    deployment: Deployment, remote: Remote, start_worker: StartWorker, model: StandInClient
) -> None:
    remote.push_main()
    unclear = deployment.mail("Make it a bit nicer.")
    start_worker()
    deployment.dispatch(unclear)
    asked = deployment.outcome_of(unclear)
    answer = deployment.mail('Ah: please change "Bread" to "Nice bread".')
    deployment.dispatch(answer)

    done = deployment.outcome_of(answer)

    assert (asked.result, asked.language) == (Result.ASKED, "en")
    assert asked.question.startswith("Which words")
    assert (done.result, done.summary) == (Result.CHANGED, "I changed “Bread” to “Nice bread”.")
    assert len(remote.subjects()) == 1
    conversation = str(model.wait_for_request(when="Ah: please").body["messages"])
    assert "Make it a bit nicer." in conversation

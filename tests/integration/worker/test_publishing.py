"""Publish and unpublish with real git, Astro and worker process; only the model is a stand-in."""

from __future__ import annotations

from collections.abc import Callable

from tests.integration.worker.harness import HOME_PAGE, OTHER_THREAD, SITE_URL, Deployment, Remote, Worker
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Command, Result

StartWorker = Callable[..., Worker]


def test_two_threads_are_published_and_the_second_unpublished(
    deployment: Deployment, remote: Remote, start_worker: StartWorker
) -> None:
    def run_mail(words: str, command: Command = Command.EDIT, **more: str) -> Outcome:
        job = deployment.mail(words, command=command, **more)
        deployment.dispatch(job)
        return deployment.outcome_of(job)

    remote.push_main()
    worker = start_worker()
    run_mail('Please change "Bread" to "Good bread".')
    published = run_mail("", Command.PUBLISH)

    assert (published.result, published.live_url) == (Result.PUBLISHED, SITE_URL)
    assert deployment.live_page("index.html") == deployment.page("index.html")  # the live site equals the preview
    assert "Good bread" in remote.show_main(HOME_PAGE)
    assert worker.milestones().count("site_built") == 1

    run_mail('Please change "Opening hours" to "We are open".', thread=OTHER_THREAD)
    assert run_mail("", Command.PUBLISH, thread=OTHER_THREAD).result is Result.PUBLISHED
    both = deployment.live_page("index.html")
    assert ("Good bread" in both, "We are open" in both) == (True, True)

    builds = worker.milestones().count("site_built")
    assert run_mail("", Command.UNPUBLISH, thread=OTHER_THREAD).result is Result.UNPUBLISHED
    first = deployment.live_page("index.html")
    assert ("Good bread" in first, "We are open" in first) == (True, False)
    assert worker.milestones().count("site_built") == builds

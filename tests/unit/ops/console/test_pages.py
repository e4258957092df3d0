"""Pages of the console: what they show, that all texts are escaped, and who may open them."""

from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from tests.support.brokered import RegisteredWorker
from tests.support.world import PAIR, THREAD, World
from tests.unit.ops.conftest import Command
from tests.unit.ops.console.conftest import ADDRESS, Visitor, visitor_of
from webordinary.aws.ecs_tasks import Capacity, Launch
from webordinary.contract.messages.outcome import ChangedPage, Outcome, Usage
from webordinary.contract.outcomes import Failure, PageChange, Result
from webordinary.tables.conversation_records import NotedMail, ReplyFacts
from webordinary.tables.fleet_decisions import FleetDecision, Reason
from webordinary.tables.items import to_values
from webordinary.tables.ownership import Ownership, RunningCost
from webordinary.tables.sweep_notes import SweepNote
from webordinary_ops.deployment import Deployment

HOSTILE = '"><script>alert(1)</script><svg onload=alert(1)>{{7*7}}\x1b[31m'
PAGES = ("/", "/conversations", f"/conversations/{THREAD}", f"/conversations/{THREAD}/jobs/mail-1", "/fleet",
         "/projects", "/projects/bakery", "/runbooks", "/runbooks/no-worker")  # fmt: skip


@pytest.fixture
def answered(world: World, bakery: Any) -> None:
    """A project with one answered mail."""
    add_answered(world)


def add_answered(world: World, **more: Any) -> None:
    subject, summary = more.pop("subject", "Opening hours"), more.pop("summary", "I changed the hours.")
    job = world.job(**more)
    job = job.model_copy(update={"envelope": job.envelope.model_copy(update={"subject": subject})})
    world.dispatch(job)
    world.jobs.start(job.pair, job.job_id, 1)
    page = ChangedPage(path=summary[:400], change=PageChange.CHANGED, title=summary[:400], before=summary[:400])
    outcome = Outcome(
        state="done", result=Result.CHANGED, summary=summary, commit="c0ffee1", pages=(page,), subject=summary,
        changed_files=(summary,), usage=Usage(dollars=0.25),
    )  # fmt: skip
    world.jobs.finish(job.pair, job.job_id, 1, outcome)
    noted = NotedMail.of_job(job)
    world.conversations.store_reply(noted, summary)
    world.conversations.note_reply(noted, ReplyFacts.of(outcome))
    world.jobs.settle(job.pair, job.job_id)


@pytest.mark.parametrize("path", PAGES)
def test_page_is_shown_without_inline_script_and_style(visitor: Visitor, answered: None, path: str) -> None:
    page = visitor.get(path)

    assert "<h1>" in page
    assert " style=" not in page
    assert page.count("<script") == 1
    assert 'src="http' not in page


@pytest.mark.parametrize("path", PAGES)
def test_hostile_texts_are_escaped(visitor: Visitor, world: World, bakery: Any, path: str) -> None:
    add_answered(world, subject=HOSTILE, summary=HOSTILE, instruction=HOSTILE)
    world.dynamodb.update_item(
        TableName=world.names.table("project_configs"), Key=to_values({"pk": "project#bakery"}),
        UpdateExpression="SET title = :hostile, siteUrl = :script",
        ExpressionAttributeValues=to_values({":hostile": HOSTILE, ":script": "javascript:alert(1)"}),
    )  # fmt: skip

    page = visitor.get(path)

    assert "<script>alert" not in page
    assert "<svg onload" not in page
    assert 'href="javascript:' not in page
    assert "49" not in page.partition("<h1>")[2].partition("</h1>")[0]


@pytest.mark.parametrize("path", PAGES)
def test_pages_forbid_foreign_content_and_framing(visitor: Visitor, answered: None, path: str) -> None:
    headers = visitor.client.get(path, base_url=ADDRESS).headers

    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("host", ["rebound.example.net", "127.0.0.1:9999", "localhost"])
def test_foreign_host_name_is_rejected(visitor: Visitor, host: str) -> None:
    assert visitor.client.get("/", base_url=f"http://{host}").status_code == 421


@pytest.mark.parametrize("origin", ["", "null", "http://example.net", "http://127.0.0.1:9999"])
def test_form_of_another_origin_is_rejected(acting: Visitor, answered: None, origin: str) -> None:
    acting.post("/actions/pause", 403, origin=origin, announcement="x")


def test_unknown_addresses_are_404(visitor: Visitor, answered: None) -> None:
    for path in ("/nowhere", "/conversations/-", f"/conversations/{'b' * 26}", "/jobs/-!", "/runbooks/README",
                 "/runbooks/..%2f..%2fREADME", "/projects/UPPER", f"/pictures/{THREAD}/mail-1/after.jpg"):  # fmt: skip
        visitor.get(path, 404)


def test_all_is_well_only_if_everything_was_read(visitor: Visitor, deployment: Deployment, answered: None) -> None:
    assert "All is well." in visitor.get("/")

    def refuse(**_: Any) -> None:
        raise EndpointConnectionError(endpoint_url="https://monitoring.example")

    deployment.client("cloudwatch").describe_alarms = refuse
    page = visitor.get("/")

    assert "All is well." not in page
    assert "Alarms: unknown since" in page


def test_stopped_deployment_shows_nothing_as_known(deployment: Deployment, answered: None) -> None:
    page = visitor_of(deployment, problem=lambda: "The emulator has stopped.").get("/")

    assert '<p id="notice" class="notice" role="alert">The emulator has stopped.</p>' in page
    assert "All is well." not in page
    assert page.count("The emulator has stopped.") == 1  # not below every part that is unknown
    assert page.lower().count("unknown since") + page.lower().count(": unknown") > 5
    assert "Counts of the last day: unknown" in page
    assert "Hours: unknown" not in page


def test_red_things_link_to_their_runbooks(
    visitor: Visitor, deployment: Deployment, world: World, answered: None
) -> None:
    url = world.queues.url("output_dead_letters")
    world.sqs.send_message(QueueUrl=url, MessageBody="{}", MessageGroupId="g", MessageDeduplicationId="1")
    page = visitor.get("/")

    assert "1 message in the dead letters of the output queue" in page
    assert 'href="/runbooks/dead-letters"' in page


def test_waiting_pair_and_pause_need_attention(
    visitor: Visitor, deployment: Deployment, world: World, bakery: Any
) -> None:
    for _ in range(2):
        world.worker_requests.request(PAIR, "mail-1")
        world.clock.advance(400)
    deployment.pauses.pause("bakery")

    page = visitor.get("/")

    assert "bakery#ada waits for a worker" in page
    assert "bakery is paused" in page


def test_worker_is_shown_with_the_newest_job_of_its_pair(visitor: Visitor, world: World, answered: None) -> None:
    launch = Launch("launch-1", "slot-0001", Capacity.SPOT)
    world.workers.take(launch, "definition:1")
    RegisteredWorker(world, launch, "task-1").busy(PAIR, "mail-1")
    world.ownership.claim(PAIR, "task-1")
    assert "Waiting for mail" in visitor.get("/fleet")

    world.dispatch(world.job("mail-2"))
    world.jobs.start(PAIR, "mail-2", 1)

    board = visitor.get("/fleet")
    assert "Waiting for mail" not in board
    assert f'href="/conversations/{THREAD}/jobs/mail-2"' in board


def test_worker_without_work_shows_when_it_leaves_at_most(visitor: Visitor, world: World, answered: None) -> None:
    launch = Launch("launch-1", "slot-0001", Capacity.SPOT)
    world.workers.take(launch, "definition:1")
    RegisteredWorker(world, launch, "task-1").busy(PAIR, "mail-1")
    world.ownership.claim(PAIR, "task-1")
    world.clock.advance(60)

    assert "Leaves within 4 min" in visitor.get("/fleet")  # `idle_seconds` after an edit

    world.dispatch(world.job("mail-2"))
    world.jobs.start(PAIR, "mail-2", 1)
    assert "Leaves within" not in visitor.get("/fleet")


def test_worker_whose_last_work_is_unknown_stays_for_the_longest_time(
    visitor: Visitor, world: World, answered: None
) -> None:
    launch = Launch("launch-1", "slot-0001", Capacity.SPOT)
    world.workers.take(launch, "definition:1")
    RegisteredWorker(world, launch, "task-1").busy(PAIR, "mail-1")
    world.clock.advance(60)
    world.ownership.claim(PAIR, "task-1")

    assert "Leaves within 10 min" in visitor.get("/fleet")  # `idle_after_question_seconds`


def test_last_activity_in_the_future_is_not_believed(visitor: Visitor, world: World, answered: None) -> None:
    world.ownership.claim(PAIR, "task-1")
    world.dynamodb.update_item(
        TableName=world.names.table("ownership"), Key=to_values({"projectKey": PAIR.key}),
        UpdateExpression="SET lastActivity = :never", ExpressionAttributeValues=to_values({":never": 10**30}),
    )  # fmt: skip

    assert world.ownership.inspect(PAIR).last_activity is None


COST_PAGES = (f"/conversations/{THREAD}/jobs/mail-2", "/fleet")
SO_FAR = "so far, reported by the worker"


@pytest.fixture
def running(world: World, answered: None) -> Ownership:
    """`mail-2` runs on a worker."""
    launch = Launch("launch-1", "slot-0001", Capacity.SPOT)
    world.workers.take(launch, "definition:1")
    RegisteredWorker(world, launch, "task-1").busy(PAIR, "mail-2")
    owned = world.ownership.claim(PAIR, "task-1")
    world.dispatch(world.job("mail-2"))
    world.jobs.start(PAIR, "mail-2", owned.fence)
    return owned


@pytest.mark.parametrize("path", COST_PAGES)
def test_running_job_shows_the_cost_that_its_worker_reports(
    visitor: Visitor, world: World, running: Ownership, path: str
) -> None:
    assert SO_FAR not in visitor.get(path)  # an older worker reports none

    world.ownership.renew(running, active=True, cost=RunningCost("mail-2", 0.256))
    page = visitor.get(path)
    assert "$0.26" in page
    assert SO_FAR in page


@pytest.mark.parametrize("path", COST_PAGES)
def test_cost_of_another_job_or_run_is_not_shown(visitor: Visitor, world: World, running: Ownership, path: str) -> None:
    world.ownership.renew(running, active=True, cost=RunningCost("mail-1", 0.256))
    assert SO_FAR not in visitor.get(path)

    world.ownership.renew(running, active=True, cost=RunningCost("mail-2", 0.256))
    world.jobs.requeue(PAIR, "mail-2", running.fence)
    assert SO_FAR not in visitor.get(path)


@pytest.mark.parametrize("path", COST_PAGES)
@pytest.mark.parametrize("micro", [-1, 10**30, "NaN", HOSTILE, None, {}])
def test_cost_that_no_worker_of_ours_reports_is_not_shown(
    visitor: Visitor, world: World, running: Ownership, path: str, micro: Any
) -> None:
    world.dynamodb.update_item(
        TableName=world.names.table("ownership"), Key=to_values({"projectKey": PAIR.key}),
        UpdateExpression="SET runningCost = :hostile",
        ExpressionAttributeValues=to_values({":hostile": {"jobId": "mail-2", "micro": micro}}),
    )  # fmt: skip

    page = visitor.get(path)

    assert SO_FAR not in page
    assert "<script>alert" not in page
    assert running.fence == world.ownership.inspect(PAIR).fence


def test_reported_cost_changes_the_part_that_live_updates_send(
    visitor: Visitor, world: World, running: Ownership
) -> None:
    def digest() -> str:
        page = visitor.get(COST_PAGES[0])
        return page.partition('id="facts"')[2].partition('data-live="')[2][:16]

    world.ownership.renew(running, active=True, cost=RunningCost("mail-2", 0.25))
    before = digest()
    world.ownership.renew(running, active=True, cost=RunningCost("mail-2", 0.35))

    assert digest() != before


def test_fleet_says_what_it_decided_last(visitor: Visitor, deployment: Deployment, world: World) -> None:
    assert "No worker runs now." in visitor.get("/fleet")
    world.workers.take(Launch("launch-1", "slot-0001", Capacity.SPOT), "definition:1")
    deployment.fleet_decisions.record(FleetDecision(world.clock(), Reason.FULL, waiting=2, maximum=6, missing=1))

    board = visitor.get("/fleet")

    assert "1 of 6 slots are taken: 1 starting." in board
    assert "Pairs wait, and every slot is taken. 1 slot is missing." in " ".join(board.split())


def test_overview_without_waits_shows_no_highest_one(visitor: Visitor, world: World, bakery: Any) -> None:
    assert "highest" not in visitor.get("/")
    mail = NotedMail.of_job(world.job())
    world.conversations.note_mail(mail)
    world.clock.advance(30)
    world.conversations.note_reply(mail, ReplyFacts("changed", 0.5, work_seconds=0))

    assert "highest: 30 s" in visitor.get("/")


def test_worker_has_one_short_id_on_all_pages(visitor: Visitor, world: World, answered: None) -> None:
    launch, task = Launch("launch-1", "slot-0001", Capacity.SPOT), "b1cb2e8e0f4d2e42fde2"
    world.workers.take(launch, "definition:1")
    RegisteredWorker(world, launch, f"arn:aws:ecs:eu-west-1:1:task/workers/{task}").busy(PAIR, "mail-2")
    world.dispatch(world.job("mail-2"))
    world.jobs.start(PAIR, "mail-2", world.ownership.claim(PAIR, task).fence)

    for path in COST_PAGES:
        assert ">b1cb2e8e<" in visitor.get(path)


def test_amounts_of_budgets_have_separators(visitor: Visitor, answered: None) -> None:
    assert "of $1,000" in visitor.get("/projects")
    assert "<dt>Budget a month</dt><dd>$1,000</dd>" in visitor.get("/projects/bakery")


def test_cost_of_an_open_conversation_leaves_out_the_mail_under_way(
    visitor: Visitor, world: World, answered: None
) -> None:
    path, left_out = f"/conversations/{THREAD}", "without the mail under way"
    assert left_out not in visitor.get(path)
    world.conversations.note_mail(NotedMail.of_job(world.job("mail-2")))

    assert left_out in visitor.get(path)


def test_overview_shows_waits_work_and_the_cost_of_today(visitor: Visitor, world: World, bakery: Any) -> None:
    add_answered(world, job_id="yesterday")
    world.clock.advance(20 * 3600)
    mail = NotedMail.of_job(world.job("mail-2"))
    world.conversations.note_mail(mail)
    world.clock.advance(90)
    world.conversations.note_reply(mail, ReplyFacts("changed", 0.5, work_seconds=60))
    assert "no mail waits" in visitor.get("/")
    world.dispatch(world.job("mail-3"))
    world.clock.advance(41)

    page = visitor.get("/")

    assert "41 s <small>for one mail" in page
    assert "$0.50 <small>$0.75 in 24 hours" in page
    assert "30 s of work, 15 s of waiting" in page  # two replies, the first one at once
    assert "Average waiting in each of the last 24 hours, at most 30 s" in page


def test_overview_says_when_the_sweep_last_ran(visitor: Visitor, deployment: Deployment, world: World) -> None:
    assert "Has not run yet." in visitor.get("/")
    deployment.sweep_notes.store(SweepNote(ended_at=world.clock(), complete=True))
    assert f"Last ran at {world.clock():%H:%M:%S}, nothing to repair." in visitor.get("/")

    deployment.sweep_notes.store(SweepNote(ended_at=world.clock(), complete=True, repaired=2))

    page = visitor.get("/")
    assert "2 repairs." in page
    assert "All is well." in page


def test_missing_sweep_needs_attention(visitor: Visitor, deployment: Deployment, world: World) -> None:
    ended_at = world.clock()
    deployment.sweep_notes.store(SweepNote(ended_at=ended_at, complete=True))
    world.clock.advance(5 * world.timing.sweep_seconds)
    assert "All is well." in visitor.get("/")

    world.clock.advance(1)

    page = visitor.get("/")
    assert f"The sweep has not run since {ended_at:%H:%M} UTC" in page
    assert "/runbooks/sweep" in page


def test_sweep_that_skipped_records_needs_attention(visitor: Visitor, deployment: Deployment, world: World) -> None:
    deployment.sweep_notes.store(SweepNote(ended_at=world.clock(), complete=True, not_done=3))

    assert "The last sweep skipped 3 records" in visitor.get("/")


def test_list_of_projects_shows_what_each_has_spent(
    visitor: Visitor, deployment: Deployment, world: World, bakery: Any
) -> None:
    for job_id, dollars in (("before", 2.0), ("today", 0.25)):
        deployment.spending.reserve(PAIR, job_id, world.clock(), 1_000_000)
        deployment.spending.settle(PAIR, job_id, world.clock(), int(dollars * 1_000_000), 60)
        world.clock.advance(24 * 3600 if job_id == "before" else 0)

    row = " ".join(visitor.get("/projects").partition('href="/projects/bakery"')[2].partition("</tr>")[0].split())

    assert '"Spent today">$0.25 <small class="quiet">of $100' in row
    assert '"This month">$2.25' in row


def test_mail_that_is_processed_again_is_scheduled(visitor: Visitor, world: World, bakery: Any) -> None:
    world.dispatch(world.job())
    world.jobs.start(PAIR, "mail-1", 1)
    outcome = Outcome(state="failed", failure=Failure.MODEL_BUSY)
    world.jobs.finish(PAIR, "mail-1", 1, outcome, world.clock() + timedelta(minutes=30))
    world.conversations.note_reply(NotedMail.of_job(world.job()), ReplyFacts.of(outcome))
    assert "it is processed again at" in visitor.get("/projects/bakery")

    world.clock.advance(1801)

    assert "No mail is processed again later." in visitor.get("/projects/bakery")


def test_list_is_filtered_and_paged(visitor: Visitor, world: World, bakery: Any) -> None:
    for number in range(30):
        world.clock.advance(3600)
        noted = NotedMail.of_job(
            world.job(f"mail-{number}", thread_id=f"{'abcdefghijklmnopqrstuvwxyz234567'[number]}" * 26)
        )
        world.conversations.note_mail(noted)
        if number % 3 == 0:
            world.conversations.note_reply(noted, ReplyFacts("published" if number % 2 else "build_failed"))

    everything = visitor.get("/conversations")
    older = visitor.get(everything.rpartition('href="/conversations?before=')[2].partition('"')[0].join(
        ("/conversations?before=", "")).replace("&amp;", "&"))  # fmt: skip

    assert everything.count('<a class="plain"') == 25
    assert older.count('<a class="plain"') == 5
    assert visitor.get("/conversations?state=live").count('<a class="plain"') == 5
    assert visitor.get("/conversations?state=failed").count('<a class="plain"') == 5
    assert visitor.get("/conversations?project=garden").count('<a class="plain"') == 0
    assert visitor.get("/conversations?q=mail-7").count('<a class="plain"') == 1
    assert visitor.get("/conversations?user=ada&project=bakery&state=open").count('<a class="plain"') == 20


@pytest.mark.parametrize("cursor", ["x", "e30=", "bnVsbA==", "%00"])
def test_broken_cursor_begins_at_the_newest(visitor: Visitor, answered: None, cursor: str) -> None:
    assert "Opening hours" in visitor.get(f"/conversations?before={cursor}")


def test_words_are_folded_and_their_opening_is_noted(visitor: Visitor, answered: None) -> None:
    words = "Change the opening hours."
    assert words not in visitor.get(f"/conversations/{THREAD}")
    assert words not in visitor.get(f"/conversations/{THREAD}/jobs/mail-1")

    opened = visitor.post(f"/conversations/{THREAD}/words", job="mail-1")

    assert words in opened
    assert "arn:aws:sts::123456789012" in opened
    assert "Words were opened by" in visitor.get(f"/conversations/{THREAD}")


def test_expired_job_says_what_is_no_longer_kept(visitor: Visitor, world: World, answered: None) -> None:
    world.jobs.forget(PAIR, "mail-1")

    page = visitor.get(f"/conversations/{THREAD}")

    assert "I changed the hours." in page
    assert "Opening hours" in page


def test_actions_need_the_option(visitor: Visitor, answered: None) -> None:
    assert "--allow-actions" in visitor.get("/actions/pause", 404)
    assert "--allow-actions" in visitor.post("/actions/pause", 404)
    assert "Pause everything" not in visitor.get("/")


def test_pause_asks_first_and_then_pauses(acting: Visitor, deployment: Deployment, answered: None) -> None:
    page = acting.get("/actions/pause?project=bakery&back=/projects/bakery")
    announcement = "Pauses bakery until resumed. Mails are accepted and wait."
    assert announcement in page
    assert "webordinary --env dev pause bakery" in page
    assert deployment.pauses.all() == []

    acting.post("/actions/pause", project="bakery", announcement=announcement)

    assert deployment.pauses.all() == ["bakery"]
    assert deployment.pauses.listed() == ["bakery"]


def test_change_that_was_not_announced_is_asked_again(acting: Visitor, world: World, bakery: Any) -> None:
    world.dispatch(world.job())
    world.jobs.start(PAIR, "mail-1", 1)
    fields = {"pair": PAIR.key, "job": "mail-1"}

    old = "Stops job mail-1 of bakery#ada, which is waiting."
    acting.post("/actions/stop", 302, ADDRESS, **fields, announcement=old)
    assert not world.jobs.get(PAIR, "mail-1").state.is_final

    announcement = "Stops job mail-1 of bakery#ada, which is running. Its sender gets a reply."
    acting.post("/actions/stop", 200, ADDRESS, **fields, announcement=announcement)
    assert world.jobs.get(PAIR, "mail-1").state.is_final


def test_back_leads_to_own_pages_only(acting: Visitor, answered: None) -> None:
    page = acting.get("/actions/pause?back=//evil.example/")

    assert "evil.example" not in page


def test_old_projects_are_listed_after_the_first_read(deployment: Deployment, run: Command, bakery: Any) -> None:
    deployment.client("dynamodb").delete_item(
        TableName=deployment.names.table("project_configs"), Key={"pk": {"S": "names"}}
    )
    run("projects", "add", "garden", "--domain=garden.example.org", "--repository=https://git.example.com/g.git",
        "--person=bob=bob@example.org")  # fmt: skip

    assert deployment.entries.names() == ["bakery", "garden"]
    assert [one.project_id for one in deployment.entries.get_all(["garden", "gone", "bakery"])] == ["garden", "bakery"]


def test_page_moves_on_by_time(visitor: Visitor, world: World, answered: None) -> None:
    world.clock.now += timedelta(days=2)

    assert "Opening hours" not in visitor.get("/")
    assert "Opening hours" in visitor.get("/conversations")

"""Attacks by mail: forged senders, replays, foreign threads and floods."""

import json
from datetime import UTC, datetime

import pytest

from tests.support.stored_mails import FORGED, UNAUTHENTICATED, Read
from tests.support.world import PAIR, World
from webordinary.aws.telemetry import flush_metrics
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.parse import Decision
from webordinary.contract.outcomes import RefusalReason
from webordinary.contract.thread_tokens import reply_address
from webordinary.contract.values import contract, limit
from webordinary.mail.authentication import FIXABLE
from webordinary.mail.models import AuthenticationReason
from webordinary.tables.items import to_values


def change_project(world: World, **settings: int) -> None:
    for name, number in settings.items():
        world.dynamodb.update_item(
            TableName=world.names.table("project_configs"),
            Key=to_values({"pk": "project#bakery"}),
            UpdateExpression="SET #name = :number",
            ExpressionAttributeNames={"#name": name},
            ExpressionAttributeValues=to_values({":number": number}),
        )


def test_unknown_sender_gets_no_reply(read: Read) -> None:
    result = read(sender="mallory@example.net")

    assert (result.decision, result.reason) == (Decision.DROP, "unknown_sender")
    assert result.refusal is None


def test_forged_sender_gets_no_reply(read: Read) -> None:
    assert read(verdict=FORGED).decision == Decision.DROP


def test_unauthenticated_known_sender_gets_one_reply(read: Read) -> None:
    first = read(mail_id="mail-1", verdict=UNAUTHENTICATED)
    again = read(mail_id="mail-1", verdict=UNAUTHENTICATED)
    later = read(mail_id="mail-2", verdict=UNAUTHENTICATED)

    assert [result.decision for result in (first, again, later)] == [Decision.ANSWER, Decision.ANSWER, Decision.DROP]


@pytest.mark.parametrize("reason", sorted(FIXABLE))
def test_every_fixable_reason_has_a_refusal(reason: AuthenticationReason) -> None:
    assert RefusalReason(f"not_authenticated.{reason}")


def test_thread_token_with_a_wrong_secret_is_ignored(read: Read) -> None:
    first = read(mail_id="mail-1")
    assert first.job is not None
    address = reply_address("edit@edit.example.com", first.job.thread_id, b"guessed")

    second = read(mail_id="mail-2", to=address)

    assert second.job is not None
    assert second.job.thread_id != first.job.thread_id


def test_message_id_of_another_pair_does_not_join_its_thread(world: World, read: Read) -> None:
    others = world.threads.open(Pair(project="garden", user="bob"), "<garden@example.org>")

    result = read(References="<garden@example.org>")

    assert result.job is not None
    assert result.job.thread_id != others.thread_id
    assert result.job.pair == PAIR


@pytest.mark.parametrize("first", ["their mail", "our mail"])
def test_shared_message_id_does_not_join_threads_of_two_projects(world: World, read: Read, first: str) -> None:
    """In either order: the id is reused, or used before its owner does."""
    garden, taken = Pair(project="garden", user="bob"), "<shared@example.com>"
    theirs = world.threads.open(garden, taken) if first == "their mail" else None
    result = read(Message_ID=taken)
    theirs = theirs or world.threads.open(garden, taken)

    assert result.job is not None
    assert (result.job.pair, theirs.pair) == (PAIR, garden)
    assert result.job.thread_id != theirs.thread_id


def test_replayed_mail_is_dropped(read: Read) -> None:
    first = read(mail_id="mail-1", Message_ID="<once@example.com>")
    replayed = read(mail_id="mail-2", Message_ID="<once@example.com>")
    after_a_crash = read(mail_id="mail-1", Message_ID="<once@example.com>")

    assert (first.decision, after_a_crash) == (Decision.ACCEPT, first)
    assert (replayed.decision, replayed.reason) == (Decision.DROP, "replay")


@pytest.mark.parametrize("message_id", ["<other@example.com>", ""])
def test_replay_with_another_message_id_is_dropped(read: Read, message_id: str) -> None:
    date = "Mon, 05 Jan 2026 08:00:00 +0000"
    read(mail_id="mail-1", Date=date)

    assert read(mail_id="mail-2", Date=date, Message_ID=message_id).reason == "replay"


def test_replay_does_not_count_towards_the_sender_limit(read: Read) -> None:
    for number in range(limit("mails_per_sender_per_hour") + 1):
        read(mail_id=f"replay-{number}", Message_ID="<once@example.com>")

    assert read(mail_id="new").decision == Decision.ACCEPT


def test_same_message_id_from_two_senders_is_accepted(world: World, read: Read) -> None:
    bob = {"pk": "sender#bob@example.com", "pairs": ["garden#bob"]}
    world.dynamodb.put_item(TableName=world.names.table("project_configs"), Item=to_values(bob))

    results = [
        read(mail_id=f"mail-{sender}", sender=f"{sender}@example.com", Message_ID="<shared@example.com>")
        for sender in ("ada", "bob")
    ]

    assert [result.job.pair.key for result in results if result.job] == ["bakery#ada", "garden#bob"]


@pytest.mark.parametrize("forged", ["Delivered_To", "X_Original_To", "Bcc"])
def test_mail_addressed_to_another_recipient_is_not_accepted(read: Read, forged: str) -> None:
    others = {"to": "friend@example.net", forged: "bakery@edit.example.com"}
    first, later = read(mail_id="mail-1", **others), read(mail_id="mail-2", **others)

    assert [(result.decision, result.job) for result in (first, later)] == [
        (Decision.ANSWER, None),
        (Decision.DROP, None),
    ]
    assert first.refusal is not None
    assert first.refusal.reason == RefusalReason.NOT_ADDRESSED
    assert first.refusal.addresses == ("bakery+ada@edit.example.com",)


def test_mail_with_our_address_in_cc_is_accepted(read: Read) -> None:
    assert read(to="friend@example.net", Cc="Bakery <bakery@edit.example.com>").decision == Decision.ACCEPT


def test_flood_of_mails_gets_one_reply(world: World, read: Read) -> None:
    most = limit("mails_per_sender_per_hour")
    decisions = [read(mail_id=f"mail-{number}").decision for number in range(most + 2)]

    assert decisions == [Decision.ACCEPT] * most + [Decision.ANSWER, Decision.DROP]


def test_rate_limit_reply_says_when_work_resumes(read: Read) -> None:
    results = [read(mail_id=f"mail-{number}") for number in range(limit("mails_per_sender_per_hour") + 1)]

    refusal = results[-1].refusal
    assert refusal is not None
    assert refusal.resumes_at == datetime(2026, 1, 5, 9, tzinfo=UTC)


def test_project_day_limit_counts_all_senders(world: World, read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(contract()["limits"], "mails_per_project_per_day", 3)
    people = [f"{name}@example.com" for name in ("ada", "bob", "eve")]
    for person in people:
        item = {"pk": f"sender#{person}", "pairs": ["bakery#ada"]}
        world.dynamodb.put_item(TableName=world.names.table("project_configs"), Item=to_values(item))
    results = [read(mail_id=f"mail-{number}", sender=people[number % 3]) for number in range(9)]

    decisions = [result.decision for result in results]
    assert decisions == [Decision.ACCEPT] * 3 + [Decision.ANSWER] * 3 + [Decision.DROP] * 3
    refusal = results[3].refusal
    assert refusal is not None
    assert (refusal.reason, refusal.project) == (RefusalReason.PROJECT_QUOTA_REACHED, "bakery")
    assert refusal.resumes_at == datetime(2026, 1, 6, tzinfo=UTC)

    world.clock.advance(24 * 3600)
    assert read(mail_id="next-day").decision == Decision.ACCEPT


@pytest.mark.parametrize(
    ("limited", "most"),
    [("dollars_per_sender_per_day", 2), ("mails_per_sender_per_day", 2)],
)
def test_first_mail_over_the_sender_day_limit_gets_a_reply(
    world: World, read: Read, monkeypatch: pytest.MonkeyPatch, limited: str, most: int
) -> None:
    monkeypatch.setitem(contract()["limits"], limited, most)
    results = [read(mail_id=f"mail-{number}") for number in range(4)]

    assert [result.decision for result in results] == [Decision.ACCEPT] * 2 + [Decision.ANSWER, Decision.DROP]
    refusal = results[2].refusal
    assert refusal is not None
    assert (refusal.reason, refusal.resumes_at) == (RefusalReason.BUDGET_EXHAUSTED, datetime(2026, 1, 6, tzinfo=UTC))

    world.clock.advance(24 * 3600)
    assert read(mail_id="next-day").decision == Decision.ACCEPT


def test_job_budget_is_the_rest_of_the_project_budget(world: World, read: Read) -> None:
    change_project(world, dollarsPerDay=3)
    jobs = [read(mail_id=f"mail-{number}").job for number in range(4)]

    assert [job.max_dollars if job else None for job in jobs] == [3, 2, 1, None]


def test_first_mail_over_the_budget_of_the_month_gets_a_reply(
    world: World, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(contract()["limits"], "dollars_reserved_per_job", 5)
    change_project(world, dollarsPerMonth=10)
    results = [read(mail_id=f"mail-{number}") for number in range(4)]

    assert [result.decision for result in results] == [Decision.ACCEPT] * 2 + [Decision.ANSWER, Decision.DROP]
    refusal = results[2].refusal
    assert refusal is not None
    assert (refusal.reason, refusal.project) == (RefusalReason.MONTH_BUDGET_EXHAUSTED, "bakery")
    assert refusal.resumes_at == datetime(2026, 2, 1, tzinfo=UTC)
    assert read("publish", mail_id="a-command").decision == Decision.ACCEPT

    world.clock.advance(27 * 24 * 3600)
    assert read(mail_id="next-month").decision == Decision.ACCEPT


def test_operator_is_warned_once_a_month_at_four_fifths(
    world: World, read: Read, capsys: pytest.CaptureFixture[str]
) -> None:
    flush_metrics()
    capsys.readouterr()
    change_project(world, dollarsPerMonth=5)
    for number in range(6):
        read(mail_id=f"mail-{number}")

    flush_metrics()
    written = [json.loads(line) for line in capsys.readouterr().out.splitlines() if "_aws" in line]
    assert [line["Budget.month_nearly_spent"] for line in written if "Budget.month_nearly_spent" in line] == [[1.0]]


def test_thread_over_its_hourly_limit_is_dropped(read: Read) -> None:
    most = limit("mails_per_thread_per_hour")
    read(mail_id="root")
    decisions = [read(mail_id=f"mail-{n}", References="<root@example.com>").decision for n in range(most)]

    assert decisions == [Decision.ACCEPT] * (most - 1) + [Decision.DROP]

"""The page about cost is reckoned from what is deployed."""

from __future__ import annotations

from dataclasses import replace

from tools.cost import ONCE_A_MAIL, PAIRS, SECONDS, CostSettings, load_cost_model, page


def test_every_function_of_a_mail_is_found_with_its_memory() -> None:
    assert set(SECONDS) <= set(CostSettings.load().memory)
    assert set(ONCE_A_MAIL) <= set(SECONDS)


def test_more_memory_and_shorter_polls_cost_more() -> None:
    now = load_cost_model()
    doubled = replace(
        now,
        settings=replace(
            now.settings,
            memory={name: 2 * memory for name, memory in now.settings.memory.items()},
            timing={**now.settings.timing, "long_poll_seconds": now.settings.timing["long_poll_seconds"] / 2},
        ),
    )

    before, after = now.mail(mails=1), doubled.mail(mails=1)
    dearer = {name for name in before if after[name] > before[name]}
    asking = {"asking who else needs the worker", "the broker's other answers"}
    assert dearer == {"functions", "empty polls", *asking}
    assert doubled.picture() > now.picture()


def test_a_conversation_of_three_mails_is_cheaper_than_three_conversations() -> None:
    now = load_cost_model()

    assert sum(now.mail(mails=3).values()) < 3 * sum(now.mail(mails=1).values())
    assert now.worker(mails=1, spot=True, idle_minutes=10) < now.worker(mails=1, spot=False, idle_minutes=10)


def test_ten_thousand_quiet_customers_cost_little_more_than_one() -> None:
    now = load_cost_model()

    assert sum(now.idle_month(PAIRS[-1]).values()) < 2 * sum(now.idle_month(1).values())


def test_the_page_names_every_term() -> None:
    now = load_cost_model()

    assert [name for name in {**now.mail(mails=1), **now.idle_month(1)} if name not in page(now)] == []

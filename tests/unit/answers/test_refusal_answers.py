"""The reply to a mail that became no job."""

from __future__ import annotations

from tests.support.world import World
from webordinary.answers.as_text import as_text
from webordinary.answers.facts import Facts
from webordinary.answers.refusal_answers import answer_to_refusal
from webordinary.contract.messages.parse import Refusal
from webordinary.contract.outcomes import (
    Command,
    RefusalReason,
)


def test_ambiguous_project_reply_lists_the_addresses(world: World) -> None:
    refusal = Refusal(
        job_id="mail-1",
        envelope=world.job().envelope,
        reason=RefusalReason.AMBIGUOUS_PROJECT,
        addresses=("bakery+ada@edit.example.com", "garden+ada@edit.example.com"),
    )

    text = as_text(answer_to_refusal(refusal))

    assert "\n- bakery+ada@edit.example.com\n- garden+ada@edit.example.com\n" in text


def test_unclear_command_is_asked_back_with_one_tap(world: World) -> None:
    refusal = Refusal(
        job_id="mail-1",
        envelope=world.job().envelope,
        reason=RefusalReason.UNCLEAR_COMMAND,
        command=Command.PUBLISH,
        language="de",
    )

    text = as_text(answer_to_refusal(refusal, Facts(reply_address="edit+t-token@edit.example.com")))

    assert text.startswith("Meinten Sie „veröffentlichen“?")
    assert "Veröffentlichen: mailto:edit+t-token@edit.example.com" in text

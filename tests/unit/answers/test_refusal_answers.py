"""The reply to a mail that became no job."""

from __future__ import annotations

import pytest

from tests.support.world import World
from webordinary.answers.as_text import as_text
from webordinary.answers.facts import Facts
from webordinary.answers.languages import MODULES
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


# What a question may have been about.
PUBLISHING = {
    "en": ("publish", " live"),
    "de": ("öffentlich", "live"),
    "fr": ("publi", "en ligne"),
    "es": ("public",),
    "pt": ("public", "para o ar"),
    "it": ("pubblic", "online"),
    "nl": ("publice", "online", "live"),
    "pl": ("publik",),
    "ja": ("公開",),
}


@pytest.mark.parametrize("code", MODULES)
@pytest.mark.parametrize(
    "reason", [RefusalReason.APPROVAL_EXPIRED, RefusalReason.ANSWER_UNCLEAR, RefusalReason.PUBLISH_DECLINED]
)
def test_reply_to_an_answer_is_true_of_every_question(world: World, reason: RefusalReason, code: str) -> None:
    """The question may be about taking a change off, and another publisher may have published meanwhile."""
    refusal = Refusal(job_id="mail-1", envelope=world.job().envelope, reason=reason, language=code)

    text = as_text(answer_to_refusal(refusal)).lower()

    assert not [word for word in PUBLISHING[code] if word in text]

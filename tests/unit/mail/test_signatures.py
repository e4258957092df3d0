# ruff: noqa: RUF001 - letters of many languages are meant to look the way they do
"""Removal of signatures, device lines and footers."""

from __future__ import annotations

import pytest

from webordinary.mail import visible_reply


@pytest.mark.parametrize(
    "tail",
    [
        "-- \nAnna Berg\nExample Street 1\n+49 30 1234567",
        "--\nAnna",
        "Sent from my iPhone",
        "Sent from my phone, please excuse typos.",
        "Get Outlook for iOS<https://example.com/o>",
        "Von meinem iPhone gesendet",
        "Envoyé de mon iPad",
        "Enviado desde mi iPhone",
        "Skickat från min iPhone",
        "Отправлено с iPhone",
        "iPhoneから送信",
        "发自我的iPhone",
        "Kind regards,\nAnna Berg\nExample Bakery",
        "Mit freundlichen Grüßen\nAnna Berg",
        "Med venlig hilsen\nAnna",
        "_______________________________________________\nbakers mailing list\nbakers@lists.example.org",
        "-- \nYou received this message because you are subscribed to the group.\nTo unsubscribe, write to us.",
        "CONFIDENTIALITY NOTICE: this mail is for its reader only.",
        "-Anna Berg",
        "/Anna",
    ],
)
def test_tail_is_removed(tail: str) -> None:
    assert visible_reply(f"Please change the hours.\n\n{tail}\n") == "Please change the hours."


@pytest.mark.parametrize(
    "ending",
    [
        "Sent from my desk, it is much easier than from my phone.",
        "Thanks,\nAnna",
        "-Monday\n-Tuesday",
        "- bread\n- butter",
        "Regards is what the button should say",
    ],
)
def test_text_that_resembles_a_tail_is_kept(ending: str) -> None:
    assert visible_reply(f"Please change the hours.\n\n{ending}") == f"Please change the hours.\n\n{ending}"


def test_several_tails_are_removed() -> None:
    text = "Please change it.\n\nKind regards\nAnna\n\nSent from my phone\n\n-- \nExample Bakery\n"
    assert visible_reply(text) == "Please change it."

"""The instructions that the stand-in finds in a mail."""

import pytest

from local.model.instructions import Add, NewPage, TextChange, instructions_in

HOURS = TextChange("7 am to 6 pm", "8 am to 5 pm")


@pytest.mark.parametrize(
    "mail",
    [
        'change "7 am to 6 pm" to "8 am to 5 pm"',
        "Please change “7 am to 6 pm” to “8 am to 5 pm”. Thank you!",
        'Hello,\n\nplease change the opening hours from "7 am to 6 pm" to "8 am to 5 pm" on the home page.\n\nAda',
        'replace "7 am to 6 pm" with "8 am to 5 pm"',
        'Please change "7 am\nto 6 pm" to\n"8 am to 5 pm".',
        'Subject: change "7 am to 6 pm" to "8 am to 5 pm"\n\nchange "7 am to 6 pm" to "8 am to 5 pm"',
    ],
)
def test_variants_of_a_change_give_the_same_instruction(mail: str) -> None:
    assert instructions_in(mail) == [HOURS]


@pytest.mark.parametrize(
    ("mail", "expected"),
    [
        ('Please add "We are hiring." to the about page.', Add("We are hiring.", "about")),
        ('Please add a page called "Jobs" that says "Write to us."', NewPage("Jobs", "Write to us.")),
        ('create a new page "Jobs"', NewPage("Jobs")),
    ],
)
def test_other_instructions_are_recognized(mail: str, expected: object) -> None:
    assert instructions_in(mail) == [expected]


def test_instructions_are_found_in_order() -> None:
    mail = 'Add "x" to the home page.\nChange "a" to "b" and change "c" to "d".'

    assert instructions_in(mail) == [Add("x", "home"), TextChange("a", "b"), TextChange("c", "d")]


@pytest.mark.parametrize("mail", ["", "Hello!", "Please make the header blue!", "Change a to b", 'I like "a" and "b".'])
def test_unsupported_text_gives_no_instruction(mail: str) -> None:
    assert instructions_in(mail) == []

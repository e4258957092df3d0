"""Commands are found at the top of a mail, and ordinary sentences are left alone."""

from __future__ import annotations

import pytest

from webordinary.mail.commands import find_command, plain_subject
from webordinary.platform.messages import Command


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("Build", "build"),
        ("please rebuild the site", "build"),
        ("Commit", "commit"),
        ("Push it, please.", "push"),
        ("Status?", "status"),
        ("What's the status?", "status"),
        ("STOP!", "stop"),
        ("Please stop.", "stop"),
        ("Never mind", "stop"),
        ("Undo", "undo"),
        ("Please undo the last change.", "undo"),
        ("Revert that, thanks", "undo"),
        ("Publish", "publish"),
        ("Yes, please go live now", "publish"),
        ("Help", "help"),
        ("Bitte veröffentlichen", "publish"),
        ("Rückgängig machen bitte", "undo"),
        ("Annuler", "stop"),
        ("/build", "build"),
        ("publish: the summer menu", "publish"),
    ],
)
def test_a_command_is_found(text: str, command: str) -> None:
    assert find_command(text, "x").command == command


@pytest.mark.parametrize("command", [command for command in Command if command != Command.EDIT])
@pytest.mark.parametrize("line", ["{}", "Please {}!", "/{}", "{}: now"])
def test_the_name_of_every_command_is_enough(command: Command, line: str) -> None:
    assert find_command(line.format(command.value), "x").command == command


@pytest.mark.parametrize(
    "text",
    [
        "Stop using the word cheap on the home page",
        "Build a new page for our team",
        "Publish our new opening hours on the contact page",
        "Help page: please add a phone number",
        "Push the logo to the left",
        "Undo button should be red",
        "Status of the order should be shown to customers",
        "The save button is too small",
        "Commit to quality is our new slogan",
        "Please change the opening hours.",
    ],
)
def test_an_ordinary_sentence_is_an_edit(text: str) -> None:
    found = find_command(text, "x")
    assert (found.command, found.instruction) == ("edit", text)


def test_what_follows_a_command_is_its_instruction() -> None:
    found = find_command("Commit: new opening hours\nfor the summer", "x")
    assert (found.command, found.instruction) == ("commit", "new opening hours\nfor the summer")


def test_a_mail_without_text_says_it_in_its_subject() -> None:
    assert find_command("", "Re: Status?").command == "status"


def test_the_subject_of_a_mail_with_text_is_no_command() -> None:
    assert find_command("Please make the headline blue.", "Stop").command == "edit"


@pytest.mark.parametrize("subject", ["Re: Hours", "AW: WG: Hours", "Fwd: Re[2]: Hours", "Hours"])
def test_prefixes_of_a_subject_are_no_part_of_it(subject: str) -> None:
    assert plain_subject(subject) == "Hours"

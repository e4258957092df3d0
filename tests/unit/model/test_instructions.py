"""What the stand-in understands of a mail."""

import pytest

from local.model.instructions import Add, Change, Create, Unclear, understand

HOURS = Change((("7 am to 6 pm", "8 am to 5 pm"),))


@pytest.mark.parametrize(
    "mail",
    [
        'change "7 am to 6 pm" to "8 am to 5 pm"',
        "Please change “7 am to 6 pm” to “8 am to 5 pm”. Thank you!",
        "replace '7 am to 6 pm' with '8 am to 5 pm'",
        "Could you replace 7 am to 6 pm with 8 am to 5 pm?",
        "Please change the opening hours from 7 am to 6 pm to 8 am to 5 pm.",
        '"7 am to 6 pm" should read "8 am to 5 pm"',
        'Please write "8 am to 5 pm" instead of "7 am to 6 pm"',
        'Instead of "7 am to 6 pm" please put "8 am to 5 pm"',
        "Bitte ändern Sie „7 am to 6 pm“ auf „8 am to 5 pm“.",
        "Ersetze 7 am to 6 pm durch 8 am to 5 pm, bitte.",
        "Remplacez « 7 am to 6 pm » par « 8 am to 5 pm », s'il vous plaît.",
        'Hi,\n\nthe shop opens later now, so\n\n  - change "7 am\n    to 6 pm" to "8 am to 5 pm"\n\nBest wishes\nMira',
        'Change "7 am to 6 pm" to "8 am to 5 pm".\n> change "quoted" to "history"',
    ],
)
def test_one_wish_in_many_words_is_the_same_change(mail):
    assert understand(mail) == [HOURS]


@pytest.mark.parametrize(
    ("mail", "page"),
    [
        ('On the contact page, change "a" to "b"', "contact"),
        ('change "a" to "b" on the home page', "home"),
        ("Ändere „a“ zu „b“ auf der Startseite", "home"),
        ("Changez « a » en « b » sur la page contact", "contact"),
    ],
)
def test_the_page_is_heard(mail, page):
    assert understand(mail) == [Change((("a", "b"),), page)]


def test_a_day_in_the_sentence_says_which_line_is_meant():
    (change,) = understand("Change the opening hours on Saturday from 8 am to 9 am")

    assert change.near == "Saturday"


def test_times_that_can_be_read_in_two_ways_keep_both_readings():
    (change,) = understand("change the hours from 8 am to noon to 9 am")

    assert change.readings == (("8 am to noon", "9 am"), ("8 am", "noon to 9 am"))


@pytest.mark.parametrize(
    "mail",
    [
        'change "a" to "b" and replace "c" with "d"',
        'change "a" to "b" and "c" to "d"',
        'change "a" to "b"\nchange "c" to "d"',
    ],
)
def test_several_wishes_are_all_found(mail):
    assert understand(mail) == [Change((("a", "b"),)), Change((("c", "d"),))]


def test_a_long_line_broken_by_the_mail_program_is_put_together():
    (change,) = understand(
        "Please replace the sentence with which our visitors are\nwelcomed with something shorter\nMira"
    )

    assert change.readings[0][1] == "something shorter"


def test_a_wish_that_is_said_twice_is_carried_out_once():
    assert len(understand('Subject: change "a" to "b"\n\nchange "a" to "b"')) == 1


@pytest.mark.parametrize(
    ("mail", "expected"),
    [
        ('add "We are hiring." to the about page', Add("We are hiring.", "about")),
        ("Please add to the about page: We are hiring.", Add("We are hiring.", "about")),
        ("Füge „Neu: Brezeln“ auf der Kontaktseite hinzu", Add("Neu: Brezeln", "contact")),
        ('remove "sold out"', Change((("sold out", ""),))),
        ('create a page called "Jobs" that says "Write to us."', Create("Jobs", "Write to us.")),
        ("Please create a new page about summer cakes.", Create("summer cakes", "")),
        ("Please make the header blue!", Unclear("Please make the header blue")),
    ],
)
def test_other_wishes_are_told_apart(mail, expected):
    assert understand(mail) == [expected]


@pytest.mark.parametrize("mail", ["", "Hello!", "How is the weather?", "Thank you, it looks lovely.\n\nMira"])
def test_a_mail_without_a_wish_asks_for_nothing(mail):
    assert understand(mail) == []

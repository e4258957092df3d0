"""No text of a request is lost, in fresh mails and in replies."""

from __future__ import annotations

import pytest

from tests.unit.mail.mails import ANSWERS, mail
from webordinary.mail import parse

HISTORIES = {
    "fresh": "",
    "Gmail": "\n\nOn Mon, Mar 3, 2025 at 9:12 AM Bakery <bakery@example.org> wrote:\n\n> Which colour?\n> Bakery",
    "Outlook": "\n\nFrom: Bakery <bakery@example.org>\nSent: Monday, March 3\nTo: Anna\nSubject: Re: x\n\nWhich?",
    "Outlook on the web": (
        "\n\n________________________________\nFrom: Bakery <bakery@example.org>\nSent: Monday\nSubject: x\n\nWhich?"
    ),
}
REQUESTS = {
    "old and new": "On the team page, replace\n\n> Carl bakes.\n\nwith\n\n> Carl and Dora bake.",
    "a quote to show": "Please show this in italics:\n\n> Gone by noon.",
    "a guest book": 'Add to the guest book:\n\nOn 2 March 2025 at 18:00, Ida wrote:\n"Wonderful rolls."\n\nThanks!',
    "what somebody wrote": "Put up what the guide wrote:\n\n> Worth the walk.",
    "an event": "New event:\n\nSubject: Late bakery\nDate: 4 April\nFrom: 6 pm\nTo: 10 pm\n\nAdmission is free.",
    "a trip": "Neue Reise\n\nVon: Ulm\nAn: Rom\nDatum: 12. Mai 2025\nPreis: 99 Euro\n\nMit Foto bitte.",
    "a line in the picture": "Bitte das Datum oberhalb dieser Linie einfügen.\nUnd den Ort darunter.",
    "old message": "Old message:\nWelcome\n\nOriginal message:\nHello\n\nNew message:\nCome in",
    "two boxes": "First box: we bake.\n--\nSecond box: we sell bread and rolls.",
    "a footer": "The footer should be:\n\n-----\nBakery Berg\nTel. 030 1234567\n-----",
    "a closing as content": "The letter should end with:\n\nKind regards,\nYour bakery",
    "levels": "The levels are called\n\nGood\nBetter\nBest\nPremium",
    "a slogan": "New slogan under the logo:\n\nSent from our oven to your table",
    "a place": "Der Slogan soll sein\n\nGesendet mit Liebe aus Ulm",
    "by phone": "Write below the form:\n\nVia phone: 030 1234567",
    "privacy": "Two paragraphs for the privacy page:\n\nConfidentiality: we keep quiet.\n\nCookies: we eat them.",
    "one item": "One more drink at the end of the list:\n\n-Mocha",
    "questions": "For the FAQ:\n\nQ> Is there parking?\nA> Yes, behind the shop.",
    "front matter": "New page, the file is\n\n---\ntitle: Team\nmail: team@example.com\n---\n\n# Team\n\nWe are four.",
    "a rule": "First part.\n\n***\n\nSecond part, ask Carl about it.",
    "a sentence that goes on": "Please change the last line of the shop page to\n\nSent from my iPhone shop",
    "a list of people": "Team page:\n\nCarl\nBakes.\n-----\nAnna Berg\nRuns the shop.\n-----\nDora\nSells.",
    "two addresses": "New people.\n\nCarl Example\n555 0101\n\n-----\n\nAnna Berg\n555 0102",
    "work of the sender": "Team page please\n\nCarl\nBakes.\n-----\nAnna Berg\nRuns the shop and does the books.",
    "a footer without a colon": "The footer shall be like this\n\n----\nAnna Berg\nTel. 030 1234567\n----",
    "a footer in the middle": "Imprint below\n\n---\nAnna Berg, owner\n030 1234567\n---\n\nThat is all",
    "sections with headings": "# Team\nCarl\n\n# Jobs\nNone\n\n---\n\n# Imprint\nAnna Berg, Lange Str. 4",
    "a letter without a colon": "The mail says from now on\n\nHello,\n\nit is here.\n\nKind regards\nAnna Berg",
    "an announced closing": "The page looks as follows\n\nWe are back soon.\n\nKind regards\nBakery Berg",
    "words below a Japanese closing": "地図を消してください。\nよろしくお願いいたします。\n写真も小さくしてください。",
    "form fields": "The form has these fields\n\nFrom:\nTo:\nDate:\nSubject:\n\nand a button.",
    "a timetable": "Buses\n\nFrom: Ulm\nTo: Rom\nDate: weekdays\nSubject: may change",
    "a sentence with a time": "Am 3. Mai 2026 um 18:30 schreibt unser Chor an die Wand:\n\n„Singen“\n\nSo der Titel.",
    "what the paper wrote": "It gets\n\nOn 3 March 2026 the Gazette wrote:\n> The best rolls.\n\nand the prices",
    "more below the name": "Please add soup.\n\nBest,\nAnna\n\nThe fax number should go as well.",
    "code with an empty line": "The text is\n\n```\nOpen\n\nClosed\n```",
    "a number below the name": "Please change the number.\n\nBest,\nAnna\n\nNew phone: 030 1234567",
    "a link below the name": "Please link this form.\n\nBest,\nAnna\n\nhttps://forms.example/booking",
    "a list below the name": "Please add these.\n\nBest,\nAnna\n\nPhoto 1: Top\nPhoto 2: Contact",
}


@pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES.keys())
@pytest.mark.parametrize("request_text", REQUESTS.values(), ids=REQUESTS.keys())
def test_request_text_is_kept_whole(request_text: str, history: str) -> None:
    headers = ANSWERS if history else ""
    parsed = parse(mail(request_text + history, headers=headers + "Content-Type: text/plain; charset=utf-8\r\n"))
    assert parsed.request.instruction == request_text


@pytest.mark.parametrize("history", list(HISTORIES.values())[1:], ids=list(HISTORIES)[1:])
def test_mail_that_the_site_shall_send_is_kept_in_an_answer(history: str) -> None:
    text = "Mails of the form look like this:\n\nFrom: Shop <shop@example.org>\nSubject: Order\n\nThank you!"
    assert parse(mail(text + history, headers=ANSWERS)).request.instruction == text


@pytest.mark.parametrize(
    "postscript",
    ["PS: remove the fax", "P.S. remove the fax", "PD: quita el fax", "Also remove the fax.", "Übrigens: ohne Fax."],
)
@pytest.mark.parametrize("signature", ["Best,\nAnna", "-- \nAnna Berg", "Viele Grüße\n\nAnna Berg\nBäckerei"])
def test_postscript_below_the_signature_is_kept(signature: str, postscript: str) -> None:
    raw = mail(
        f"Please add soup.\n\n{signature}\n\n{postscript}", headers="Content-Type: text/plain; charset=utf-8\r\n"
    )
    assert parse(raw).text == f"Please add soup.\n\n{postscript}"


@pytest.mark.parametrize(
    "line",
    [
        "Fax: raus, Telefon: 030 1234567",
        "Fax: remove, phone: 030 1234567",
        "Téléphone : 01 44 55 66 77, fax : supprimer",
        "Tel.: 030 1234567, Fax: bitte löschen",
    ],
)
@pytest.mark.parametrize("signature", ["Best regards\nAnna Berg", "Viele Grüße\n\nAnna Berg\n"])
@pytest.mark.parametrize("headers", ["", ANSWERS])
def test_request_among_contact_details_is_kept(line: str, signature: str, headers: str) -> None:
    text = f"Please change the contact page.\n\n{signature}\n{line}"
    assert line in parse(mail(text, headers=headers + "Content-Type: text/plain; charset=utf-8\r\n")).text


@pytest.mark.parametrize("bullet", ["-", "*", "•"])
@pytest.mark.parametrize("event", ["joined", "left the board"])
def test_list_of_dated_entries_with_addresses_is_kept_in_an_answer(bullet: str, event: str) -> None:
    entries = f"{bullet} 2026-11-08: Anna <anna@example.com> {event}:\nshe bakes.\n"
    text = f"Put the news online.\n{entries}{entries}That is all."
    assert parse(mail(text, headers=ANSWERS + "Content-Type: text/plain; charset=utf-8\r\n")).text == text


@pytest.mark.parametrize(
    "signature",
    [
        "Regards\n\nAnna Berg\nTel.: office 030 1234567 / Fax: 030 1234568",
        "Regards,\n\nAnna Berg\nChairwoman",
        "Mit freundlichen Grüßen\n\nAnna Berg\n\nBäckerei Berg GmbH\nLange Str. 4 | 70173 Stuttgart\nTel.: 0711 123456",
        "Many thanks\nAnna Berg\nBaker",
        "Thanks & Regards,\nAnna Berg",
        "Best, Anna",
        "Vielen Dank und viele Grüße\nAnna Berg",
        "Danke, liebe Grüße\nAnna",
        "Merci et bonne journée\n\nAnna Berg\nTél. 01 44 55 66 77",
        "Gracias y un saludo,\nAnna",
        "Thanks and best wishes\n\nAnna Berg\nBaker",
        "---\nAnna",
        "-----\nAnna Berg\nBaker\n-----",
        "-- Anna",
        "Cordialement,\n\nAnna Berg",
        "よろしくお願いいたします。\n\nAnna Berg",
    ],
)
def test_signature_of_the_sender_is_removed_from_a_fresh_mail(signature: str) -> None:
    raw = mail(f"Saturday 9 to 1.\n\n{signature}", headers="Content-Type: text/plain; charset=utf-8\r\n")
    assert parse(raw).text == "Saturday 9 to 1."


def test_signature_of_another_person_below_a_list_is_removed() -> None:
    raw = mail("Please change the following:\n\nRye 3.40\n\nKind regards\n\np. p. Dora Example\nBakery Berg")
    assert parse(raw).text == "Please change the following:\n\nRye 3.40"


@pytest.mark.parametrize("ending", ["Thanks,\nAnna", "Thanks!", "Anna", "Kind regards"])
def test_ambiguous_ending_is_kept(ending: str) -> None:
    assert parse(mail(f"Saturday 9 to 1.\n\n{ending}")).text == f"Saturday 9 to 1.\n\n{ending}"


def test_disclaimer_needs_a_legal_word_to_be_removed() -> None:
    legal = "Diese E-Mail enthält vertrauliche Informationen und ist nur für den Adressaten bestimmt."
    headers = "Content-Type: text/plain; charset=utf-8\r\n"
    assert parse(mail(f"Bitte ändern.\n\n{legal}", headers=headers)).text == "Bitte ändern."
    content = "Diese Nachricht soll oben stehen."
    assert parse(mail(f"Bitte ändern.\n\n{content}", headers=headers)).text == f"Bitte ändern.\n\n{content}"


def test_pgp_armour_is_removed() -> None:
    text = (
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nPlease add soup.\n\n"
        "-----BEGIN PGP SIGNATURE-----\n\niQEzBAEBCAAdFiEE\n=abcd\n-----END PGP SIGNATURE-----"
    )
    assert parse(mail(text)).text == "Please add soup."

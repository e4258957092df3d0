# ruff: noqa: RUF001 - letters of many languages are meant to look the way they do
"""Every text in the style of every mail program: no word of it is lost, whatever surrounds it.

A style is how a program sends an answer: its quotes or header block, its signature, its HTML. A text that a person
wrote must reach the agent whole, as the instruction. Surroundings that stay with it do no harm.
"""

from __future__ import annotations

import re
from collections import Counter
from html import escape
from typing import NamedTuple

import pytest

from tests.unit.mail.mails import ANSWERS, multipart, part, with_body
from tests.unit.mail.test_request_kept_whole import REQUESTS
from webordinary.mail import AnswerKind, open_mail, parse, read_answer

OLD = "Hello Anna,\n\nthe hours are online:\nhttps://bakery.example.org/session/abc/\n\nShall I go on?"
BAKERY = "Bakery <bakery@example.org>"

INTRODUCTIONS = {
    "Gmail": f"On Mon, Mar 3, 2025 at 9:12 AM {BAKERY} wrote:",
    "Gmail, German": f"Am Mo., 3. März 2025 um 09:12 Uhr schrieb {BAKERY}:",
    "Gmail, French": f"Le lun. 3 mars 2025 à 09:12, {BAKERY} a écrit :",
    "Gmail, Spanish": f"El lun, 3 mar 2025 a las 9:12, {BAKERY} escribió:",
    "Gmail, Portuguese": f"Em seg., 3 de mar. de 2025 às 09:12, {BAKERY} escreveu:",
    "Gmail, Italian": f"Il giorno lun 3 mar 2025 alle ore 09:12 {BAKERY} ha scritto:",
    "Gmail, Dutch": f"Op ma 3 mrt 2025 om 09:12 schreef {BAKERY}:",
    "Gmail, Polish": f"pon., 3 mar 2025 o 09:12 {BAKERY} napisał(a):",
    "Gmail, Swedish": f"Den mån 3 mars 2025 kl 09:12 skrev {BAKERY}:",
    "Gmail, Russian": f"пн, 3 мар. 2025 г. в 09:12, {BAKERY}:",
    "Gmail, Japanese": f"2025年3月3日(月) 9:12 {BAKERY}:",
    "Gmail, wrapped": "On Mon, Mar 3, 2025 at 9:12 AM Bakery\n<bakery@example.org> wrote:",
    "Apple": f"On 3. Mar 2025, at 09:12, {BAKERY} wrote:",
    "Apple, German": f"Am 03.03.2025 um 09:12 schrieb {BAKERY}:",
    "Thunderbird": "On 03/03/2025 09:12, Bakery wrote:",
    "Thunderbird, German": "Am 03.03.25 um 09:12 schrieb Bakery:",
    "K-9": f"On March 3, 2025 9:12:00 AM GMT+01:00, {BAKERY} wrote:",
    "Proton": f"On Monday, March 3rd, 2025 at 9:12 AM, {BAKERY} wrote:",
    "Yahoo": f"On Monday, March 3, 2025, 09:12:00 AM GMT+1, {BAKERY} wrote:",
    "Roundcube": "On 2025-03-03 09:12, Bakery wrote:",
}
BLOCKS = {
    "Outlook": "From: {b}\nSent: Monday, March 3, 2025 9:12 AM\nTo: Anna Berg <anna@example.com>\nSubject: Re: Website",
    "Outlook, German": "Von: {b}\nGesendet: Montag, 3. März 2025 09:12\nAn: Anna <anna@example.com>\nBetreff: AW: x",
    "Outlook, French": "De : {b}\nEnvoyé : lundi 3 mars 2025 09:12\nÀ : Anna Berg <anna@example.com>\nObjet : RE: x",
    "Outlook, Spanish": "De: {b}\nEnviado: lunes, 3 de marzo de 2025 9:12\nPara: Anna\nAsunto: RE: x",
    "Outlook, Chinese": "发件人: {b}\n发送时间: 2025年3月3日 9:12\n收件人: Anna <anna@example.com>\n主题: Re: x",
    "Outlook on the web": "________________________________\nFrom: {b}\nSent: Monday, March 3, 2025\nSubject: Re: x",
    "Outlook, old": "-----Original Message-----\nFrom: {b}\nSent: Monday, March 3, 2025 9:12\nTo: Anna\nSubject: Re: x",
    "GMX": "Gesendet: Montag, 3. März 2025 um 09:12 Uhr\nVon: {b}\nAn: anna@example.com\nBetreff: Re: x",
}
DEVICE_LINES = {
    "none": "",
    "iPhone": "\n\nSent from my iPhone",
    "Android": "\n\nGet Outlook for Android<https://aka.ms/AAb9ysg>",
    "signed": "\n\n-- \nAnna Berg\nBakery Berg, Tel. 030 1234567",
    "closing": "\n\nBest regards\nAnna Berg",
}


class Style(NamedTuple):
    """The text above and below the person's own, as plain text and as HTML."""

    below: str
    html_below: str
    has_html: bool


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _paragraphs(text: str, opening: str = "<p>", closing: str = "</p>", gap: str = "") -> str:
    lines = (escape(line, quote=False) for line in text.split("\n"))
    return "".join(f"{opening}{line}{closing}" if line else gap for line in lines)


OLD_HTML = _paragraphs(OLD)
HTML_HISTORIES = {
    "Gmail, HTML": (
        f'<br><div class="gmail_quote"><div class="gmail_attr">{escape(INTRODUCTIONS["Gmail"])}<br></div>'
        f'<blockquote class="gmail_quote">{OLD_HTML}</blockquote></div>'
    ),
    "Apple, HTML": f'<br><blockquote type="cite"><div>{escape(INTRODUCTIONS["Apple"])}</div>{OLD_HTML}</blockquote>',
    "Thunderbird, HTML": (
        f'<div class="moz-cite-prefix">{INTRODUCTIONS["Thunderbird"]}<br></div><blockquote type="cite">{OLD_HTML}'
        "</blockquote>"
    ),
    "Outlook, HTML": (
        '<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm"><p class="MsoNormal">'
        + escape(BLOCKS["Outlook"].format(b=BAKERY)).replace("\n", "<br>")
        + f"</p></div><p>&nbsp;</p>{OLD_HTML}"
    ),
    "Outlook on the web, HTML": (
        '<div id="appendonsend"></div><hr><div id="divRplyFwdMsg">'
        + escape(BLOCKS["Outlook"].format(b=BAKERY)).replace("\n", "<br>")
        + f"</div>{OLD_HTML}"
    ),
    "Yahoo, HTML": f'<div class="yahoo_quoted">{escape(INTRODUCTIONS["Yahoo"])}{OLD_HTML}</div>',
    "Proton, HTML": (
        f'<div class="protonmail_quote">{escape(INTRODUCTIONS["Proton"])}<blockquote>{OLD_HTML}</blockquote></div>'
    ),
    "GMX, HTML": f'<div name="quote">{escape(BLOCKS["GMX"].format(b=BAKERY))}{OLD_HTML}</div>',
    "no marker, HTML": f"<div>{escape(INTRODUCTIONS['Gmail'])}</div><blockquote>{OLD_HTML}</blockquote>",
}


def _styles() -> dict[str, Style]:
    styles = {"fresh": Style("", "", has_html=False)}
    for name, introduction in INTRODUCTIONS.items():
        styles[name] = Style(f"\n\n{introduction}\n\n{_quoted(OLD)}", "", has_html=False)
    for name, block in BLOCKS.items():
        styles[name] = Style(f"\n\n{block.format(b=BAKERY)}\n\n{OLD}", "", has_html=False)
    for name, line in DEVICE_LINES.items():
        introduction = INTRODUCTIONS["Gmail"]
        styles[f"Gmail, {name}"] = Style(f"{line}\n\n{introduction}\n\n{_quoted(OLD)}", "", has_html=False)
    for name, history in HTML_HISTORIES.items():
        styles[name] = Style("", history, has_html=True)
        styles[f"{name}, signed"] = Style("", f"<p>-- <br>Anna Berg<br>Bakery Berg</p>{history}", has_html=True)
    return styles


STYLES = _styles()
# A text that is itself in the form of an answer cannot be told from one by the rules; see decision 0008.
ACCEPTED: set[tuple[str, str]] = set()


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


def _mail(text: str, style: Style, *, with_plain: bool = False) -> bytes:
    headers = ANSWERS if style.below or style.html_below else ""
    if not style.has_html:
        body = part("text/plain; charset=utf-8", text + style.below)
        head, _, content = body.partition(b"\r\n\r\n")
        return with_body((headers + head.decode() + "\r\n", content), subject="Re: Website" if headers else "Website")
    html = part("text/html; charset=utf-8", _paragraphs(text, "<div>", "</div>", "<div><br></div>") + style.html_below)
    parts = [part("text/plain; charset=utf-8", f"{text}\n\n{INTRODUCTIONS['Gmail']}\n\n{_quoted(OLD)}"), html]
    line, content = multipart("alternative", *(parts if with_plain else parts[1:]))
    return with_body((headers + line, content), subject="Re: Website")


@pytest.mark.parametrize("name", STYLES)
def test_no_word_of_any_text_is_lost(name: str) -> None:
    assert len(STYLES) >= 45
    style = STYLES[name]
    for title, text in REQUESTS.items():
        for with_plain in (False, True) if style.has_html else (False,):
            parsed = parse(_mail(text, style, with_plain=with_plain))
            given = f"{parsed.request.instruction}\n\n{parsed.forwarded_text}"
            lost = _words(text) - _words(given)
            assert not lost or (name, title) in ACCEPTED, (title, with_plain, given)


@pytest.mark.parametrize("name", [name for name, style in STYLES.items() if style.has_html])
def test_yes_of_every_style_is_one_in_both_parts(name: str) -> None:
    versions = open_mail(_mail("Yes, please.\n\nAnna", STYLES[name], with_plain=True)).versions()

    assert {read_answer(version, frozenset(("anna",))) for version in versions} == {AnswerKind.YES}


def test_history_of_every_style_is_told_apart() -> None:
    leaks = [
        name
        for name, style in STYLES.items()
        if "Shall I go on" in parse(_mail("Please add soup to the menu.", style)).request.instruction
    ]
    assert leaks == []

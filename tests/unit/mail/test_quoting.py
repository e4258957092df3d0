# ruff: noqa: RUF001 - letters of many languages are meant to look the way they do
"""Removal of quoted history and forwards from a text."""

from __future__ import annotations

import pytest

from webordinary.mail import visible_reply
from webordinary.mail.context import Context, Turn
from webordinary.mail.history.quoting import SplitText

ATTRIBUTIONS = {
    "Gmail, English": "On Mon, Mar 3, 2025 at 9:12 AM Bakery <bakery@example.org> wrote:",
    "Gmail, wrapped": "On Mon, Mar 3, 2025 at 9:12 AM The Bakery With A Long Name <\nbakery@example.org> wrote:",
    "Gmail, wrapped twice": "On Mon, Mar 3, 2025 at 9:12 AM The Bakery\n<bakery@example.org>\nwrote:",
    "Apple, English": "On 3 Mar 2025, at 09:12, Bakery <bakery@example.org> wrote:",
    "Thunderbird, English": "On 3/3/25 9:12 AM, Bakery wrote:",
    "Zoho": "---- On Mon, 03 Mar 2025 09:12:00 +0100 Bakery <bakery@example.org> wrote ----",
    "by name only": "Bakery <bakery@example.org> wrote:",
    "Horde": "Quoting Bakery <bakery@example.org>:",
    "Notes": "Bakery/Example wrote on 03/03/2025 09:12:00 AM:",
    "German": "Am Mo., 3. März 2025 um 09:12 Uhr schrieb Bäckerei <bakery@example.org>:",
    "German, name first": "Bäckerei <bakery@example.org> schrieb am Mo., 3. März 2025,\n09:12:",
    "French": "Le lun. 3 mars 2025 à 09:12, Boulangerie <bakery@example.org> a écrit :",
    "Spanish": "El lun, 3 mar 2025 a las 9:12, Panadería (<bakery@example.org>) escribió:",
    "Italian": "Il giorno lun 3 mar 2025 alle ore 09:12 Forno <bakery@example.org> ha scritto:",
    "Portuguese": "Em seg., 3 de mar. de 2025 às 09:12, Padaria <bakery@example.org>\nescreveu:",
    "Dutch": "Op ma 3 mrt 2025 om 09:12 schreef Bakkerij <bakery@example.org>:",
    "Swedish": "Den mån 3 mars 2025 kl 09:12 skrev Bageri <bakery@example.org>:",
    "Norwegian": "man. 3. mars 2025 kl. 09:12 skrev Bakeri <bakery@example.org>:",
    "Finnish": "ma 3. maalisk. 2025 klo 9.12 Leipomo (bakery@example.org) kirjoitti:",
    "Polish": "pon., 3 mar 2025 o 09:12 Piekarnia <bakery@example.org> napisał(a):",
    "Czech": "po 3. 3. 2025 v 9:12 odesílatel Pekárna <bakery@example.org> napsal:",
    "Russian, without verb": "пн, 3 мар. 2025 г. в 09:12, Пекарня <bakery@example.org>:",
    "Ukrainian": "пн, 3 бер. 2025 р. о 09:12 Пекарня <bakery@example.org> пише:",
    "Japanese": "2025年3月3日(月) 9:12 パン屋 <bakery@example.org>:",
    "Chinese": "面包店 <bakery@example.org> 于2025年3月3日周一 09:12写道：",
    "Korean": "2025년 3월 3일 (월) 오전 9:12, 빵집 <bakery@example.org>님이 작성:",
    "Turkish": "Fırın <bakery@example.org>, 3 Mar 2025 Pzt, 09:12 tarihinde şunu yazdı:",
    "Hindi": "सोम, 3 मार्च 2025 को 9:12 am बजे को Bakery <bakery@example.org> ने लिखा:",
    "Bengali": "সোম, 3 মার্চ, 2025 তারিখে 9:12 AM টায় তারিখে Bakery <bakery@example.org> লিখেছেন:",
    "Tamil": "திங்., 3 மார்., 2025, முற்பகல் 9:12 அன்று, Bakery <bakery@example.org> எழுதியது:",
    "Persian": "در تاریخ دوشنبه ۳ مارس ۲۰۲۵،‏ ۹:۱۲ Bakery <bakery@example.org> نوشت:",
    "Catalan": "Missatge de Bakery <bakery@example.org> del dia dl., 3 de març 2025 a les 9:12:",
    "Estonian": "Kuupäev E, 3. märts 2025 kell 09:12 kirjutas Bakery <bakery@example.org>:",
    "Swahili": "Mnamo Jtt, 3 Mac 2025 saa 9:12 asubuhi Bakery <bakery@example.org> aliandika:",
    "Georgian, unlisted": "ორშ, 3 მარ. 2025, 09:12 Bakery <bakery@example.org>-მა დაწერა:",
    "Yandex, time first": '09:12, 3 марта 2025 г., "Bakery" <bakery@example.org>:',
    "Tuta": "Mar 3, 2025, 09:12 by bakery@example.org:",
    "FairEmail": "Mar 3, 2025 9:12:03 AM Bakery <bakery@example.org>:",
}


@pytest.mark.parametrize("attribution", ATTRIBUTIONS.values(), ids=ATTRIBUTIONS.keys())
def test_attribution_and_quote_are_removed(attribution: str) -> None:
    assert visible_reply(f"Blue, please.\n\n{attribution}\n\n> Which colour?\n> Bakery\n") == "Blue, please."


HEADER_BLOCKS = {
    "English": "From: Bakery <bakery@example.org>\nSent: Monday, March 3, 2025 9:12 AM\nTo: Anna\nSubject: Colour",
    "bold": "*From:* Bakery\n*Sent:* Monday, March 3, 2025 9:12 AM\n*To:* Anna\n*Subject:* Colour",
    "under a line": "________________________________\nFrom: Bakery\nSent: Monday\nTo: Anna\nSubject: Colour",
    "German": "-----Ursprüngliche Nachricht-----\nVon: Bäckerei\nGesendet: Montag\nAn: Anna\nBetreff: Farbe",
    "French": "De : Boulangerie <bakery@example.org>\nEnvoyé : lundi 3 mars 2025\nÀ : Anna\nObjet : Couleur",
    "Swedish": "Från: Bageri\nSkickat: den 3 mars 2025\nTill: Anna\nÄmne: Färg",
    "Chinese": (
        "------------------ 原始邮件 ------------------\n"
        "发件人: 面包店\n发送时间: 2025年3月3日\n收件人: Anna\n主题: 颜色"
    ),
    "Hebrew": "מאת: Bakery <bakery@example.org>\nנשלח: יום שני 3 מרץ 2025 09:12\nאל: Anna\nנושא: צבע",
    "Arabic": "من: Bakery <bakery@example.org>\nتم الإرسال: الاثنين، 3 مارس 2025 09:12\nإلى: Anna\nالموضوع: لون",
    "Hindi": "प्रेषक: Bakery <bakery@example.org>\nभेजा गया: सोमवार, 3 मार्च 2025\nप्रति: Anna\nविषय: रंग",
    "Thai": "จาก: Bakery <bakery@example.org>\nส่ง: วันจันทร์ที่ 3 มีนาคม 2025\nถึง: Anna\nเรื่อง: สี",
    "Persian": "از: Bakery <bakery@example.org>\nارسال شده: دوشنبه ۳ مارس ۲۰۲۵\nبه: Anna\nموضوع: رنگ",
    "Catalan": "De: Bakery <bakery@example.org>\nEnviat: dilluns, 3 de març de 2025\nPer a: Anna\nAssumpte: color",
    "Georgian, unlisted": (
        "გამგზავნი: Bakery <bakery@example.org>\nგაგზავნილია: 3 მარტი, 2025 9:12\n"
        "მიმღები: Anna <anna@example.com>\nთემა: ფერი"
    ),
}


@pytest.mark.parametrize("block", HEADER_BLOCKS.values(), ids=HEADER_BLOCKS.keys())
def test_header_block_and_mail_below_are_removed(block: str) -> None:
    assert visible_reply(f"Blue, please.\n\n{block}\n\nWhich colour?\n") == "Blue, please."


@pytest.mark.parametrize(
    "line",
    [
        "=== Bitte schreiben Sie Ihre Antwort über diese Zeile ===",
        "##- Please type your reply above this line -##",
        "##- Veuillez saisir votre réponse au-dessus de cette ligne -##",
        "Reply above this line",
        "--- Responda por encima de esta línea ---",
    ],
)
def test_text_below_a_reply_above_line_is_removed(line: str) -> None:
    assert visible_reply(f"Blue, please.\n\n{line}\n\nWhich colour?") == "Blue, please."


@pytest.mark.parametrize(
    "line",
    [
        "Blue. On Mon, Mar 3, 2025 at 9:12 AM Bakery <bakery@example.org> wrote:",
        "Blue. On Mon, Mar 3, 2025 at 9:12 AM Bakery <\nbakery@example.org> wrote:",
        "Blue. Am Mo., 3. März 2025 um 09:12 Uhr schrieb Bakery <bakery@example.org>:",
    ],
)
def test_answer_on_the_attribution_line_is_kept(line: str) -> None:
    assert visible_reply(f"{line}\n\n> Which colour?") == "Blue."


def test_link_wrapped_out_of_a_quote_is_not_an_answer() -> None:
    quote = "> Look here (https://bakery.example.org/session\n/gallery?token=abc)\n>\n> Shall both stay?"
    assert visible_reply(f"Yes.\n\nOn 3/3/25 9:12, Bakery wrote:\n\n> Two photos:\n{quote}") == "Yes."


def test_opening_hours_are_not_a_header_block() -> None:
    hours = "Please change the hours on Monday.\nFrom: 9:00\nTo: 17:00"
    assert visible_reply(hours) == hours


def test_inline_answers_keep_their_quotes() -> None:
    text = "On 3/3/25 9:12 AM, Bakery wrote:\n> Which colour?\nBlue.\n> Which font?\nSerif.\n> Thanks\n> Bakery\n"
    assert visible_reply(text) == "> Which colour?\nBlue.\n> Which font?\nSerif."


def test_quote_above_the_answer_is_removed() -> None:
    text = "On 3/3/25 9:12 AM, Bakery wrote:\n> Which colour?\n> Bakery\n\nBlue, please.\n"
    assert visible_reply(text) == "Blue, please."


def test_handwritten_quote_above_text_is_kept() -> None:
    text = "> Fresh bread since 1999\n\nPlease write 1989 there."
    assert visible_reply(text) == text


def test_text_above_and_below_a_quote_is_kept() -> None:
    text = "Blue, please.\n\nOn 3/3/25 9:12 AM, Bakery wrote:\n> Which colour?\n\nThanks for asking!"
    assert visible_reply(text) == "Blue, please.\n\nThanks for asking!"


def test_wrapped_end_of_a_quote_is_not_an_answer() -> None:
    text = (
        "Blue.\n\nOn 3/3/25 9:12 AM, Bakery wrote:\n"
        "> This is a long line in the question that some program wrapped at the wrong\nplace\n> and went on.\n"
    )
    assert visible_reply(text) == "Blue."


def test_forward_without_other_text_is_the_message() -> None:
    header = "From: Carl <carl@example.net>\nDate: Sun, Mar 2, 2025\nSubject: Fair\nTo: Anna\n\n"
    text = f"---------- Forwarded message ---------\n{header}The fair is on 5 July."
    assert visible_reply(text) == "The fair is on 5 July."


def test_forward_below_an_instruction_is_separated() -> None:
    text = (
        "Please publish this.\n\nBegin forwarded message:\n\nFrom: Carl <carl@example.net>\nSubject: Fair\n\nOn 5 July."
    )
    split = SplitText(text, Context(has_headers=True))
    assert (split.visible_reply(), split.forwarded_part()) == ("Please publish this.", "On 5 July.")


FORWARDED_HEADER = "From: Carl <carl@example.net>\nDate: Sun, Mar 2, 2025\nSubject: Fair\nTo: Anna"


@pytest.mark.parametrize("turn", [Turn.FORWARD, Turn.FRESH])
def test_forward_is_recognised_by_its_header_block(turn: Turn) -> None:
    split = SplitText(f"Please publish this.\n\n{FORWARDED_HEADER}\n\nOn 5 July.", Context(turn, has_headers=True))
    assert (split.visible_reply(), split.forwarded_part()) == ("Please publish this.", "On 5 July.")


def test_text_below_a_quoted_forward_is_kept() -> None:
    quoted = "\n".join(f"> {line}" for line in f"{FORWARDED_HEADER}\n\nOn 5 July.".split("\n"))
    text = f"See below.\n\nBegin forwarded message:\n\n{quoted}\n\nBut make it 6 July."
    split = SplitText(text, Context(Turn.FORWARD, has_headers=True))
    assert (split.visible_reply(), split.forwarded_part()) == ("See below.\n\nBut make it 6 July.", "On 5 July.")


def test_forward_inside_history_is_history() -> None:
    ours = "From: Bakery <bakery@example.org>\nSent: Monday\nSubject: Re: Fair\n\nDone."
    text = f"Make it blue.\n\n{ours}\n\n---------- Forwarded message ---------\n{FORWARDED_HEADER}\n\nDelete it."
    split = SplitText(text, Context(has_headers=True))
    assert (split.visible_reply(), split.forwarded_part()) == ("Make it blue.", "")
    assert "Delete it." in split.history()


def test_history_excludes_the_signature() -> None:
    text = "Blue.\n\n-- \nAnna\n\nOn 3/3/25 9:12, Bakery <bakery@example.org> wrote:\n> Which colour?"
    history = SplitText(text, Context(has_headers=True)).history()
    assert history == "On 3/3/25 9:12, Bakery <bakery@example.org> wrote:\n> Which colour?"


def test_fenced_code_is_unchanged() -> None:
    text = "Please add:\n\n```\n> not a quote\n-- \nOn 3/3/25 9:12 AM, Bakery wrote:\n```\n\nbelow the menu."
    assert visible_reply(text) == text


@pytest.mark.parametrize(
    "sentence",
    [
        "On Monday 3 March we open at 10:00. Please write:\n\nWe open at ten",
        "I wrote the following on 3 March 2025:\n\nNew hours",
        "The headline should say:\n\nFresh bread since 1999",
        "Section one\n\n---\n\nSection two",
        "| day | hours |\n|---|---|\n| Monday | 9-17 |",
        "Two fields for the form, please.\nFrom: name of the visitor\nSubject: what it is about",
    ],
)
def test_ordinary_text_is_unchanged(sentence: str) -> None:
    assert visible_reply(sentence) == sentence


def test_mail_with_only_a_quote_has_no_reply() -> None:
    assert visible_reply("On 3/3/25 9:12 AM, Bakery wrote:\n> Which colour?\n") == ""


def test_all_line_endings_are_normalised() -> None:
    assert visible_reply("One\r\nTwo\rThree") == "One\nTwo\nThree"

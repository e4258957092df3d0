"""What a mail shows reaches the instruction: looks, tables, places of pictures, targets of links, cut text."""

from __future__ import annotations

import pytest

from tests.unit.mail.mails import ANSWERS, PNG, attached, mail, multipart, part, with_body
from webordinary.contract.outcomes import Command
from webordinary.mail import parse

HTML = "text/html; charset=utf-8"
PLAIN = "text/plain; charset=utf-8"
HISTORY_BLOCK = (
    '<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm"><p class=MsoNormal>'
    "<b>From:</b> Bakery &lt;bakery@example.org&gt;<br><b>Sent:</b> Monday, March 3, 2025 9:12 AM<br>"
    "<b>To:</b> Anna Berg &lt;anna@example.com&gt;<br><b>Subject:</b> Hours</p></div>"
)


def html_mail(html: str, headers: str = "", **options: str) -> bytes:
    return mail(html, headers=f"{headers}Content-Type: {HTML}\r\nContent-Transfer-Encoding: 8bit\r\n", **options)


def both(plain: str, html: str, headers: str = "", **options: str) -> bytes:
    line, body = multipart("alternative", part(PLAIN, plain), part(HTML, html))
    return with_body((headers + line, body), **options)


def picture(name: str, content_id: str, disposition: str = "inline") -> bytes:
    return attached(
        "image/png", PNG, f'Content-ID: <{content_id}>\r\nContent-Disposition: {disposition}; filename="{name}"\r\n'
    )


def related(html: str, *pictures: bytes) -> bytes:
    return with_body(multipart("related", part(HTML, html), *pictures))


@pytest.mark.parametrize(
    ("plain", "html", "instruction"),
    [
        ("Rye 3 4", "Rye <s>3</s> 4", "Rye ~~3~~ 4"),
        ("We bake and sell rye.", 'We bake <font color="red">and sell</font> rye.', "We bake [red: and sell] rye."),
        ("Mon 8-12 Tue 9", "<table><tr><td>Mon<td>8-12<tr><td>Tue<td>9</table>", "Mon | 8-12\nTue | 9"),
        ("DayOpen\nMon8-12", "<table><tr><td>Day<td>Open<tr><td>Mon<td>8-12</table>", "Day | Open\nMon | 8-12"),
        ("Open at 830.", "Open at 8<sup>30</sup>.", "Open at 8^30."),
        ("one\ntwo", "<ol><li>one<li>two</ol>", "1. one\n2. two"),
        ("The menu here.", 'The <a href="/menu">menu</a> here.', "The menu </menu> here."),
        (
            "Take this",
            "<p>Take this</p><p>and bake a lot more of it for everyone</p>",
            "Take this\n\nand bake a lot more of it for everyone",
        ),
    ],
)
def test_html_is_read_where_it_says_more(plain: str, html: str, instruction: str) -> None:
    parsed = parse(both(plain, html))
    assert (parsed.request.instruction, parsed.from_html) == (instruction, True)


@pytest.mark.parametrize(
    ("plain", "html"),
    [
        ("Please *add* soup.", "<p>Please <b>add</b> soup.</p>"),
        ("Add soup\nand bread.", '<div style="color:#1F497D">Add soup<br>and bread.</div>'),
        ("See https://example.org/x now", 'See <a href="https://example.org/x">https://example.org/x</a> now'),
        ("1. one\n2. two", "<ol><li>one<li>two</ol>"),
        ("Add soup.", "<p>Something else with a <s>struck</s> word</p>"),
        ("Add soup.", '<p>Add soup.</p><img src="https://count.example/p" width=1 height=1>'),
        ("Add soup.", "<table><tr><td>Add soup.</td></tr></table>"),
    ],
)
def test_plain_text_is_read_where_html_says_the_same(plain: str, html: str) -> None:
    parsed = parse(both(plain, html))
    assert (parsed.text, parsed.from_html) == (plain, False)


def test_pictures_are_told_where_they_stand() -> None:
    html = (
        '<p>Above the heading</p><img src="cid:one@x"><p>and at the end</p><p><img src="cid:two@x" alt="our oven"></p>'
        "<p>Best regards<br>Anna Berg</p>"
    )
    parsed = parse(related(html, picture("dawn.png", "one@x"), picture("IMG 2.png", "two@x"), picture("x.png", "3@x")))

    assert parsed.request.instruction == (
        "Above the heading\n\n[picture: dawn.png]\n\nand at the end\n\n[picture: IMG 2.png: our oven]"
    )
    assert [attachment.shown_as for attachment in parsed.attachments] == ["dawn.png", "IMG 2.png", ""]
    assert not any(attachment.decoration for attachment in parsed.attachments)


def test_pictures_that_plain_text_names_alike_are_told_by_their_files() -> None:
    plain = "top\n[image: image.png]\nbottom\n[image: image.png]\n"
    html = 'top<div><img src="cid:1" alt="image.png"></div>bottom<div><img src="cid:2" alt="image.png"></div>'
    alternative, body = multipart("alternative", part(PLAIN, plain), part(HTML, html), boundary="inner")
    pictures = picture("image.png", "1"), picture("image.png", "2")
    parsed = parse(with_body(multipart("related", alternative.encode() + b"\r\n" + body, *pictures)))

    assert parsed.text == "top\n[picture: image.png]\nbottom\n[picture: image.png (2)]"
    assert [attachment.shown_as for attachment in parsed.attachments] == ["image.png", "image.png (2)"]


def test_pictures_of_the_same_name_are_told_apart() -> None:
    parsed = parse(
        related('a<img src="cid:1">b<img src="cid:2">', picture("image.png", "1"), picture("image.png", "2"))
    )

    assert parsed.text == "a[picture: image.png]b[picture: image.png (2)]"
    assert [attachment.shown_as for attachment in parsed.attachments] == ["image.png", "image.png (2)"]


def test_picture_is_found_by_its_location() -> None:
    located = attached("image/png", PNG, "Content-Location: image001.png\r\nContent-Disposition: inline\r\n")
    assert parse(related('See <img src="image001.png">', located)).text == "See [picture: picture]"


def test_pictures_between_plain_texts_are_told() -> None:
    raw = with_body(
        multipart(
            "mixed",
            part(PLAIN, "Left of the text"),
            picture("IMG_1.jpeg", "a"),
            part(PLAIN, "and right of it"),
            picture("IMG_2.jpeg", "b"),
        )
    )
    assert parse(raw).text == "Left of the text\n\n[picture: IMG_1.jpeg]\n\nand right of it\n\n[picture: IMG_2.jpeg]"


def test_picture_between_plain_text_and_html_is_told() -> None:
    parts = part(PLAIN, "Left of the text"), picture("IMG_1.jpeg", "a"), part(HTML, "<p>and right of it</p>")
    assert parse(with_body(multipart("mixed", *parts))).text == (
        "Left of the text\n\n[picture: IMG_1.jpeg]\n\nand right of it"
    )


def test_line_of_a_phone_below_an_announced_picture_is_removed() -> None:
    line = part(HTML, "<div>Sent from my iPhone</div>")
    raw = with_body(multipart("mixed", part(HTML, "<p>Use this one:</p>"), picture("IMG_1.jpeg", "a"), line))
    assert parse(raw).text == "Use this one:\n\n[picture: IMG_1.jpeg]"


def test_closing_above_a_marked_forward_is_removed_once() -> None:
    html = f"<p>Put this online.</p><p>Best regards<br>Anna</p>{HISTORY_BLOCK}<p>The fair is on.</p>"
    parsed = parse(html_mail(html.replace("bakery@example.org", "carl@example.net"), subject="FW: Fair"))
    assert (parsed.text, parsed.forwarded_text) == ("Put this online.", "The fair is on.")
    assert (parsed.removed_text, "Best regards" in parsed.history_text) == ("Best regards\nAnna", False)


def test_name_of_a_picture_cannot_pretend_to_be_text() -> None:
    text = parse(related('<img src="cid:1"> Add soup.', picture("x]\tPublish. [y.png", "1"))).text
    assert text == "[picture: x Publish. y.png] Add soup."


def test_logo_in_a_signature_is_decoration() -> None:
    html = 'Add soup.<div class="gmail_signature">Anna<img src="cid:logo"></div>'
    parsed = parse(related(html, picture("logo.png", "logo")))
    assert (parsed.text, parsed.attachments[0].decoration) == ("Add soup.", True)


def test_pictures_of_a_forwarded_mail_are_brought_along() -> None:
    html = (
        'Put this online.<br><div class="gmail_quote"><div class="gmail_attr">'
        "---------- Forwarded message ---------<br>"
        "From: Carl &lt;carl@example.net&gt;<br>Date: Sun, Mar 2, 2025<br>Subject: Fair<br>"
        "To: Anna &lt;anna@example.com&gt;<br>"
        '</div>The fair is on.<br><img src="cid:fair"></div>'
    )
    line, body = multipart("related", part(HTML, html), picture("fair.png", "fair"))
    parsed = parse(with_body((line, body), subject="Fwd: Fair"))

    assert (parsed.text, parsed.forwarded_text) == ("Put this online.", "The fair is on.\n[picture: fair.png]")
    assert [(item.decoration, item.shown_as) for item in parsed.attachments] == [(False, "fair.png")]


def test_colour_does_not_hide_a_command() -> None:
    html = '<p style="color:blue">Publish</p><p>Best regards<br><span style="color:grey">Anna Berg</span></p>'
    assert parse(html_mail(html)).request.command is Command.PUBLISH


@pytest.mark.parametrize(
    ("html", "instruction"),
    [
        ("<table><tr><td>Mon<td>8-12<tr><td>Tue<td></table>", "Mon | 8-12\nTue |"),
        ("<ol><li>soup<li>bread</ol>", "1. soup\n2. bread"),
        ('soup<br><img src="cid:a@b"><br>bread', "soup\n[picture: pot.png]\nbread"),
    ],
)
def test_mail_in_one_colour_has_no_colour(html: str, instruction: str) -> None:
    raw = related(f'<div style="color:#1F497D">{html}</div>', picture("pot.png", "a@b"))
    assert parse(raw).request.instruction == instruction


def test_struck_command_is_no_command() -> None:
    assert parse(html_mail("<s>Publish</s>")).request.command is Command.EDIT


def test_answers_in_another_colour_are_kept_with_their_questions() -> None:
    html = (
        f"<p>My answers are in green.</p>{HISTORY_BLOCK}<p>Which hall?</p><p><span style='color:#00B050'>The old one."
        "</span></p><p>Which day?</p><p><font color=green>Sunday.</font></p>"
    )
    assert parse(html_mail(html, ANSWERS, subject="RE: Hours")).request.instruction == (
        "My answers are in green.\n\nWhich hall?\n\n[green: The old one.]\n\nWhich day?\n\n[green: Sunday.]"
    )


def test_coloured_history_that_nothing_refers_to_is_history() -> None:
    html = f"<p>Make it wider.</p>{HISTORY_BLOCK}<p>The page is online.</p><p style='color:green'>Save paper!</p>"
    parsed = parse(html_mail(html, ANSWERS, subject="RE: Hours"))
    assert parsed.request.instruction == "Make it wider."
    assert "Save paper!" in parsed.history_text


def test_quote_at_the_end_of_an_html_answer_is_kept() -> None:
    html = (
        "<div>The button should say</div><div><br></div><div>&gt; Order now</div><br>"
        '<div class="gmail_quote"><div class="gmail_attr">On Mon, Mar 3, 2025 at 9:12 AM Bakery '
        "&lt;bakery@example.org&gt; wrote:<br></div><blockquote>Which words?</blockquote></div>"
    )
    assert parse(html_mail(html, ANSWERS, subject="Re: x")).text == "The button should say\n\n> Order now"


@pytest.mark.parametrize("gap", ["<p>&nbsp;</p>", "<p>&nbsp;</p>" * 3, "<p><o:p>&nbsp;</o:p></p><br>"])
def test_introduction_counts_across_empty_paragraphs(gap: str) -> None:
    book = f"<p>Add to the guest book:</p>{gap}<p>On 2 May 2025 at 18:00, Ida wrote:</p>{gap}<p>Lovely.</p>"
    html = f"{book}{HISTORY_BLOCK}<p>Hi</p>"
    assert parse(html_mail(html, ANSWERS, subject="RE: x")).text == (
        "Add to the guest book:\n\nOn 2 May 2025 at 18:00, Ida wrote:\n\nLovely."
    )


SECTIONS = (
    "Three boxes please:\n\nBread\nRye 3.20\n{line}\nHours\nMon to Fri\n{line}\nContact\nTel. 030 1234567, mail {mail}"
)


@pytest.mark.parametrize("address", ["shop@berg.example", "anna@example.com"])
@pytest.mark.parametrize("line", ["----------", "__________", "**********", "==========", "--", "—————"])
def test_drawn_lines_between_sections_of_an_answer_are_kept(line: str, address: str) -> None:
    text = SECTIONS.format(line=line, mail=address)
    history = "\n\nOn Mon, Mar 3, 2025 at 9:12 AM Bakery <bakery@example.org> wrote:\n\n> Which?"
    raw = mail(text + history, headers=ANSWERS + f"Content-Type: {PLAIN}\r\n", subject="Re: x")
    assert parse(raw).text == text


@pytest.mark.parametrize(
    "signature", ["Anna Berg\nBakery, Tel. 030 1234567", "Bakery Berg\nTel. 030 1\nanna@example.com"]
)
def test_signature_below_a_drawn_line_is_kept_as_context(signature: str) -> None:
    raw = mail(f"Add soup.\n\n__________\n{signature}", headers=ANSWERS, subject="Re: x")
    parsed = parse(raw)
    assert parsed.text == "Add soup."
    assert parsed.removed_text.endswith(signature)


def test_forwarded_chain_is_material_as_a_whole() -> None:
    text = (
        "Put the menu at the bottom online, please.\n\nFrom: Sam <sam@example.net>\nSent: Monday, 3 March 2025 9:12\n"
        "To: Anna <anna@example.com>\nSubject: RE: Menu\n\nFine with me.\n\nFrom: Ben <ben@example.net>\n"
        "Sent: Sunday, 2 March 2025 8:00\nTo: Sam <sam@example.net>\nSubject: Menu\n\nGoose\nDumplings"
    )
    parsed = parse(mail(text, subject="FW: Menu"))
    assert parsed.text == "Put the menu at the bottom online, please."
    assert parsed.forwarded_text.split() == ["Fine", "with", "me.", "Goose", "Dumplings"]
    assert "From: Ben" in parsed.history_text


def test_chain_below_a_bare_forward_is_material() -> None:
    text = (
        "---------- Forwarded message ---------\nFrom: Sam <sam@example.net>\nDate: Mon, Mar 3, 2025\nSubject: Menu\n"
        "To: <anna@example.com>\n\nPlease add goose.\n\nFrom: Ben <ben@example.net>\nSent: Sunday, 2 March 2025\n"
        "Subject: Menu\n\nDumplings"
    )
    parsed = parse(mail(text, subject="Fwd: Menu"))
    assert (parsed.text, parsed.forwarded_text) == ("Please add goose.", "Dumplings")


@pytest.mark.parametrize(
    "letter",
    [
        "Dear guests,\n\nwe close in May.\n\nKind regards\nAnna Berg",
        "“Dear guests,\n\nwe close in May.\n\nKind regards\nAnna Berg”",
        '"We close in May.\n\nKind regards\nAnna Berg"',
        "„Liebe Gäste,\n\nim Mai ist zu.\n\nHerzliche Grüße\nAnna Berg“",
        "Chers clients,\n\nnous fermons en mai.\n\nCordialement,\nAnna Berg",
        "Hola a todos:\n\ncerramos en mayo.\n\nUn saludo\nAnna Berg",
        "We close in May. See you in June.\n\nWarm regards,\nAnna",
    ],
)
def test_closing_of_a_letter_in_the_mail_is_content(letter: str) -> None:
    text = f"Please put this on the page as a letter from me:\n\n{letter}"
    assert parse(mail(text, headers=f"Content-Type: {PLAIN}\r\n")).text == text


def test_own_closing_below_a_letter_is_removed() -> None:
    letter = "Put this online:\n\nDear guests,\n\nwe close in May.\n\nKind regards\nYour bakery"
    parsed = parse(mail(f"{letter}\n\nThat is all.\n\nBest regards\nAnna Berg"))
    assert parsed.text == f"{letter}\n\nThat is all."
    assert parsed.removed_text == "Best regards\nAnna Berg"


def test_everything_that_is_cut_is_context() -> None:
    html = (
        "<p>Add soup.</p><div class='gmail_signature'>Anna Berg, ask Carl</div>"
        '<div class="gmail_quote"><div class="gmail_attr">On Mon, Mar 3, 2025 Bakery &lt;bakery@example.org&gt; wrote:'
        "</div><blockquote>Which soup?</blockquote></div>"
    )
    parsed = parse(html_mail(html, ANSWERS, subject="Re: x"))
    context = f"{parsed.history_text}\n{parsed.removed_text}"
    assert parsed.text == "Add soup."
    assert "ask Carl" in context
    assert "Which soup?" in context

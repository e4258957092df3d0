"""HTML bodies of mail, without what programs mark as history or signature."""

from __future__ import annotations

import pytest

from tests.unit.mail.mails import mail
from webordinary.mail import parse
from webordinary.mail.mime.html_body import HtmlBody

OLD = "<blockquote>Which colour?</blockquote>"
HISTORIES = {
    "Gmail": f'<div class="gmail_quote"><div class="gmail_attr">On Monday Bakery wrote:</div>{OLD}</div>',
    "Gmail, nested nodes": f'<div class="gmail_quote"><div><div>On Monday</div></div>{OLD}</div>',
    "Yahoo": f'<div id="yahoo_quoted_1" class="yahoo_quoted">{OLD}</div>',
    "Proton": f'<div class="protonmail_quote">On Monday Bakery wrote:<br>{OLD}</div>',
    "Thunderbird": '<div class="moz-cite-prefix">Bakery wrote:</div><blockquote type="cite">Which colour?</blockquote>',
    "Outlook on the web": '<div id="appendonsend"></div><hr><div id="divRplyFwdMsg">From: Bakery</div><p>Colour?</p>',
    "Outlook for Windows": (
        '<div style="border:none;border-top:solid #B5C4DF 1.0pt;padding:3.0pt 0cm 0cm 0cm">From</div><p>Colour?</p>'
    ),
    "Outlook, quoted by Outlook": f'<div id="x_divRplyFwdMsg">From: Bakery</div>{OLD}',
    "GMX": f'<div name="quote">{OLD}</div>',
}


@pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES.keys())
def test_marked_history_is_removed(history: str) -> None:
    assert HtmlBody(f"<p>Blue, please.</p>{history}").without_history.text == "Blue, please."


def test_inline_answer_inside_marked_history_is_kept() -> None:
    html = (
        '<p>Answers below.</p><div class="gmail_quote">On Mon, Mar 3, 2025 Bakery &lt;bakery@example.org&gt; wrote:<br>'
        "<blockquote>Which colour?</blockquote><div>Blue.</div>"
        "<blockquote>Which font?</blockquote><div>Serif.</div></div>"
    )
    assert (
        parse(mail(html, headers="Content-Type: text/html\r\n")).text
        == "Answers below.\n\n> Which colour?\n\nBlue.\n\n> Which font?\n\nSerif."
    )


def test_images_excludes_history_and_signature() -> None:
    html = """<p>Use this one: <img src="cid:shop@example.com"></p>
        <div class="gmail_signature"><img src="cid:logo@example.com"></div>
        <div class="gmail_quote"><img src="cid:old@example.com"></div>"""

    shown, written = HtmlBody(html).images()

    assert shown == {"shop@example.com", "logo@example.com", "old@example.com"}
    assert written == {"shop@example.com"}

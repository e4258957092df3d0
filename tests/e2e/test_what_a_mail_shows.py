"""A mail's colours, struck words and pictures reach the agent's prompt."""

from __future__ import annotations

import re
from email.message import EmailMessage
from io import BytesIO

from PIL import Image
from pillow_heif import register_heif_opener

from local.model.script import mentions
from local.send import compose, send
from local.stack.stack import Stack
from tests.e2e.conftest import ADA, MailSender
from tests.support.model_client import StandInClient

HTML = """<p>Please change "Opening hours" to "When we are open".</p>
<p>Rye costs <s>3.10</s> <span style="color:#C00000">3.40</span> now.</p>
<p>Above the heading:</p><p><img src="cid:oven@example.com" alt="Image"></p>
<p>and to the left of the map:</p><p><img src="cid:shop@example.com"></p><p>Ada</p>"""


def picture(kind: str, colour: str) -> bytes:
    register_heif_opener()
    buffer = BytesIO()
    Image.new("RGB", (320, 240), colour).save(buffer, format=kind)
    return buffer.getvalue()


def composed(stack: Stack) -> EmailMessage:
    mail = compose(ADA, stack.recipient, "The website", 'Please change "Opening hours" to "When we are open".')
    mail.add_alternative(HTML, subtype="html")
    html = mail.get_payload()[1]  # type: ignore[index]
    assert isinstance(html, EmailMessage)
    for name, content_id, kind, colour in (
        ("oven.png", "oven", "png", "tan"),
        ("IMG_2041.HEIC", "shop", "heic", "red"),
    ):
        content = picture("HEIF" if kind == "heic" else "PNG", colour)
        html.add_related(content, "image", kind, filename=name, cid=f"<{content_id}@example.com>", disposition="inline")
    return mail


def test_prompt_tells_what_the_mail_shows(stack: Stack, model: StandInClient) -> None:
    sent = MailSender(stack).sent(ADA, send(composed(stack), stack.smtp_port))
    sent.wait_for_reply()
    prompt = next(
        text
        for request in model.requests(when="When we are open")
        for text in _texts(request.body)
        if "<mail>" in text and mentions(text, "When we are open")
    )
    words = re.sub(r"\s+", " ", prompt)
    assert "Rye costs ~~3.10~~ [red: 3.40] now." in words
    assert "Above the heading: [picture: oven.png] and to the left of the map: [picture: IMG_2041.HEIC]" in words
    assert re.search(
        r"public/uploads/oven\.webp \(an image, 320 x 240;[^)]*in the mail it is \[picture: oven\.png\]\)", words
    )
    assert re.search(r"public/uploads/IMG_2041\.webp \(an image, 320 x 240;[^)]*\[picture: IMG_2041\.HEIC\]\)", words)
    assert "When we are open" in sent.page("bakery")


def _texts(body: object) -> list[str]:
    if isinstance(body, str):
        return [body]
    values = body.values() if isinstance(body, dict) else body if isinstance(body, list) else ()
    return [text for value in values for text in _texts(value)]

"""`make screenshots`: renders replies on a phone and a desktop, light and dark, into docs/pictures."""

from __future__ import annotations

import base64
import io
import sys
from collections.abc import Iterable
from pathlib import Path

from PIL import Image

from tools.chromium import installed
from tools.errors import SetupError
from tools.sample_answers import ADDRESS, WORDS, common_answers, questions_and_news
from webordinary.answers.as_html import as_html
from webordinary.answers.blocks import Answer
from webordinary.browser.browser import Browser
from webordinary.sites.screenshots import ScreenshotKind

FOLDER = Path(__file__).resolve().parent.parent / "docs/pictures"
# Window width, and whether the colour scheme is dark.
KINDS = {"phone": (390, False), "phone-dark": (390, True), "desktop": (1000, False)}
IN_A_ROW = 5
GREY = (128, 128, 128)
PAGE = """<!doctype html><style>
body {{ margin: 0; font-family: "Open Sans", sans-serif; background: #fffaf2; color: #3b2f24 }}
header {{ background: #7b3f1d; color: #fff; padding: 36px 40px }} h1 {{ margin: 0; font-size: 44px }}
main {{ padding: 20px 40px; font-size: 26px }} td {{ padding: 10px 48px 10px 0 }}
</style><header><h1>The Little Bakery</h1></header><main><h2>Opening hours</h2><table>
<tr><td>Monday to Friday<td>7 am to 6 pm<tr><td>Saturday<td>8 am to 2 pm<tr><td>Sunday<td>{sunday}
</table><p>Fresh this week: plum cake, as long as it lasts.</p></main>"""


def main() -> int:
    try:
        chromium = installed()
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    with Browser(chromium, seconds=120) as browser:
        pages = {
            ScreenshotKind.BEFORE: browser.show(PAGE.format(sunday="8 am to noon"), width=720, height=760).picture(),
            ScreenshotKind.AFTER: browser.show(PAGE.format(sunday="9 am to 1 pm"), width=720, height=760).picture(),
        }

        def screenshot(answer: Answer, kind: str) -> bytes:
            width, dark = KINDS[kind]
            html = _with_pictures(as_html(answer, reply_address=ADDRESS), pages)
            return browser.show(html, width=width, height=200, dark=dark).picture(max_height=2000)

        for kind in KINDS:
            (FOLDER / f"answer-changed-{kind}.png").write_bytes(screenshot(common_answers("en")["changed"], kind))
        for code in WORDS:
            sheet = _sheet(screenshot(answer, "phone") for answer in common_answers(code).values())
            sheet.save(FOLDER / f"answers-{code}.png", optimize=True)
        questions = _sheet(screenshot(answer, "phone-dark") for answer in questions_and_news().values())
        questions.save(FOLDER / "answers-to-publishers.png", optimize=True)
    return 0


def _sheet(pictures: Iterable[bytes]) -> Image.Image:
    """Pictures in rows, with their tops aligned."""
    parts = [Image.open(io.BytesIO(picture)).convert("RGB") for picture in pictures]
    rows = [parts[first : first + IN_A_ROW] for first in range(0, len(parts), IN_A_ROW)]
    width = max(sum(part.width + 2 for part in row) for row in rows)
    sheet = Image.new("RGB", (width, sum(max(part.height for part in row) + 2 for row in rows)), GREY)
    top = 0
    for row in rows:
        left = 0
        for part in row:
            sheet.paste(part, (left, top))
            left += part.width + 2
        top += max(part.height for part in row) + 2
    return sheet


def _with_pictures(html: str, pictures: dict[ScreenshotKind, bytes]) -> str:
    for kind, picture in pictures.items():
        html = html.replace(f"cid:{kind.content_id}", f"data:image/png;base64,{base64.b64encode(picture).decode()}")
    return html


if __name__ == "__main__":
    sys.exit(main())

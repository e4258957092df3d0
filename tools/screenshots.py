"""`make screenshots`: renders replies on a phone and a desktop, light and dark, into docs/pictures.

The replies are composed by the production code from invented facts.
"""

from __future__ import annotations

import base64
import io
import sys
from datetime import UTC, datetime
from pathlib import Path

from PIL import Image

from tools.chromium import installed
from tools.errors import SetupError
from webordinary.answers.as_html import as_html
from webordinary.answers.blocks import Answer
from webordinary.answers.facts import Facts
from webordinary.answers.job_answers import answer_to_job
from webordinary.answers.publisher_questions import notice_to_requester, question_to_publisher
from webordinary.browser.browser import Browser
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Approval, Job
from webordinary.contract.messages.mail import Envelope
from webordinary.contract.messages.outcome import ChangedPage, NotDone, Outcome
from webordinary.contract.outcomes import ChangeState, Failure, PageChange, Result
from webordinary.sites.screenshots import ScreenshotKind

FOLDER = Path(__file__).resolve().parent.parent / "docs/pictures"
ADDRESS = "edit+t-example@mail.example.com"
SUBJECT = "Re: Opening hours"
# Window width, and whether the colour scheme is dark.
KINDS = {"phone": (390, False), "phone-dark": (390, True), "desktop": (1000, False)}
PREVIEW, LIVE = "https://a--bakery.preview.example.com/", "https://bakery.example.com/"
HOURS = "Please open at 9 on Sundays."
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
        for kind, (width, dark) in KINDS.items():

            def screenshot(answer: Answer, width: int = width, dark: bool = dark) -> bytes:
                html = _with_pictures(as_html(answer, reply_address=ADDRESS), pages)
                return browser.show(html, width=width, height=200, dark=dark).picture(max_height=2000)

            for name, answer in answers().items():
                (FOLDER / f"answer-{name}-{kind}.png").write_bytes(screenshot(answer))
            _stack([screenshot(answer) for answer in other_answers()]).save(
                FOLDER / f"answers-{kind}.png", optimize=True
            )
    return 0


def _stack(pictures: list[bytes]) -> Image.Image:
    """Stacks pictures vertically."""
    parts = [Image.open(io.BytesIO(picture)).convert("RGB") for picture in pictures]
    sheet = Image.new("RGB", (parts[0].width, sum(part.height for part in parts)))
    top = 0
    for part in parts:
        sheet.paste(part, (0, top))
        top += part.height
    return sheet


def answers() -> dict[str, Answer]:
    facts = Facts(
        preview=PREVIEW,
        live=LIVE,
        with_cost=True,
        reply_address=ADDRESS,
        reply_subject=SUBJECT,
        pictures=tuple(ScreenshotKind),
    )
    hours = ChangedPage(
        path="index.html",
        change=PageChange.CHANGED,
        title="The Little Bakery",
        before="Sunday 8 am to noon",
        after="Sunday 9 am to 1 pm",
    )
    menu = ChangedPage(path="menu/index.html", change=PageChange.NEW, title="Our menu")
    changed = Outcome(
        state="done",
        result=Result.PARTLY_CHANGED,
        summary="The bakery now opens from 9 am to 1 pm on Sundays, and there is a page with the menu.",
        not_done=(NotDone(what="The photo of the shop", why="the mail had no photo with it"),),
        pages=(hours, menu),
        preview_url="there is one",
    )
    asked = Outcome(
        state="done",
        result=Result.ASKED,
        summary="Es gibt zwei Seiten mit Öffnungszeiten.",
        question="Soll ich die Zeiten im Laden ändern oder die am Marktstand?",
        language="de",
    )
    return {"changed": answer_to_job(_job(), changed, facts), "asked": answer_to_job(_job(), asked)}


def other_answers() -> list[Answer]:
    """Further replies, shown together in one picture."""
    facts, job = Facts(preview=PREVIEW, live=LIVE, reply_address=ADDRESS, reply_subject=SUBJECT), _job()
    wish = Outcome(state="done", result=Result.PUBLISH_ASKED, subject=HOURS, preview_url="there is one")
    approved = Approval(thread_id=job.thread_id, commit="c0ffee", subject=HOURS, asked_by=job.envelope, language="en")
    outcomes = [
        wish,
        Outcome(state="done", result=Result.PUBLISHED, subject=HOURS, live_url="there is one"),
        Outcome(state="failed", failure=Failure.PUBLISH_CONFLICT, clashes=("Please open at 10 on Sundays.",)),
        Outcome(state="failed", failure=Failure.BUDGET_SPENT),
        Outcome(state="failed", failure=Failure.BUILD_FAILED),
        Outcome(state="done", result=Result.STOPPED, changes=2, stopped=(HOURS, "A page with the menu.")),
        Outcome(
            state="done",
            result=Result.STATUS,
            changes=2,
            made=(HOURS, "A page with the menu."),
            made_states=(ChangeState.LIVE,),
            something_live=True,
            running=("The photo of the shop.",),
        ),
    ]
    question = question_to_publisher(job, wish, facts, datetime(2026, 1, 12, 8, 30, tzinfo=UTC))
    news = notice_to_requester(approved, Outcome(state="done", result=Result.PUBLISHED), facts)
    return [*(answer_to_job(job, outcome, facts) for outcome in outcomes), question, news]


def _job() -> Job:
    envelope = Envelope(
        sender="ada@example.com", recipient=ADDRESS, subject="Opening hours", message_id="<1@example.com>"
    )
    return Job(
        job_id="example",
        pair=Pair(project="bakery", user="ada"),
        thread_id="a" * 26,
        instruction="Please change the opening hours.",
        envelope=envelope,
        received_at=datetime(2026, 1, 5, 8, 30, tzinfo=UTC),
    )


def _with_pictures(html: str, pictures: dict[ScreenshotKind, bytes]) -> str:
    for kind, picture in pictures.items():
        html = html.replace(f"cid:{kind.content_id}", f"data:image/png;base64,{base64.b64encode(picture).decode()}")
    return html


if __name__ == "__main__":
    sys.exit(main())

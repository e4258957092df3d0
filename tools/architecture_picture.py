"""The architecture as a picture, for the README: python -m tools.architecture_picture write

The tables below are its only source. A test compares the picture with them, and the functions with the contract.
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path
from typing import NamedTuple

PICTURE = Path(__file__).resolve().parent.parent / "docs/pictures/architecture.svg"
WIDTH, HEIGHT = 880, 520


class Part(NamedTuple):
    words: str
    x: int
    y: int
    kind: str = "store"  # function, store, work or person
    width: int = 124
    height: int = 42
    note: str = ""


class Group(NamedTuple):
    words: str
    x: int
    y: int
    width: int
    height: int
    words_x: int


class Arrow(NamedTuple):
    path: str
    words: str = ""
    x: int = 0
    y: int = 0
    dashed: bool = False


GROUPS = (
    Group("State machine, one execution for each mail", 20, 116, 840, 96, 212),
    Group("Worker, one for each pair of project and person: a lease with a fence", 190, 348, 670, 96, 292),
)
PARTS = (
    Part("A person", 20, 36, "person"),
    Part("SES", 190, 36, note="receives, authenticates"),
    Part("S3 and SQS", 360, 36, note="the raw mail"),
    Part("intake", 530, 36, "function"),
    Part("parse_email", 40, 148, "function"),
    Part("claim", 210, 148, "function"),
    Part("dispatch", 380, 148, "function", note="waits for the worker"),
    Part("picture", 550, 148, "function"),
    Part("reply", 716, 148, "function"),
    Part("sweep", 20, 262, "function", note="repairs every minute"),
    Part("fleet", 210, 262, "function", note="starts workers"),
    Part("SQS", 380, 262, note="the queue of the pair"),
    Part("relay_callback", 550, 262, "function", note="checks the fence"),
    Part("DynamoDB", 716, 262, note="pairs, jobs, mails"),
    Part("Claude Code", 210, 382, "work", note="edits"),
    Part("Astro", 380, 382, "work", note="builds"),
    Part("git", 550, 382, "work", note="commits, pushes"),
    Part("Deployment", 716, 382, "work", note="preview or live"),
    Part("Git host", 550, 468, note="the customer's"),
    Part("S3 and CloudFront", 716, 468, width=138, note="previews and live sites"),
)
ARROWS = (
    Arrow("M144 57H190", "mail", 167, 49),
    Arrow("M314 57H360"),
    Arrow("M484 57H530"),
    Arrow("M592 78V98H102V148"),
    Arrow("M164 169H210"),
    Arrow("M334 169H380"),
    Arrow("M504 169H550"),
    Arrow("M674 169H716"),
    Arrow("M778 148V18H82V36", "reply, with a link to the preview", 700, 12),
    Arrow("M272 190V262"),
    Arrow("M442 190V262"),
    Arrow("M612 262V232H480V190", "report", 590, 226),
    Arrow("M272 304V348"),
    Arrow("M442 304V348"),
    Arrow("M612 348V304"),
    Arrow("M82 262V212", dashed=True),
    Arrow("M334 403H380"),
    Arrow("M504 403H550"),
    Arrow("M674 403H716"),
    Arrow("M612 424V468"),
    Arrow("M778 424V468"),
)
STYLE = """
text {
  font: 600 13px system-ui, -apple-system, "Segoe UI", Roboto, Ubuntu, "Open Sans", Arial, sans-serif; fill: #24211c
}
.note { font-size: 10.5px; font-weight: 400; fill: #655d51 }
.paper { fill: #fffefb } .group { fill: #f3efe7; stroke: #e3dccf }
.store { fill: #fffefb; stroke: #8a7f6e } .person { fill: #24211c; stroke: #24211c } .of-person { fill: #fffefb }
.function { fill: #f9e9de; stroke: #a2451d } .work { fill: #e0eef3; stroke: #19607a }
path { fill: none; stroke: #655d51; stroke-width: 1.5 }
.tip { fill: #655d51; stroke: none } .dashed { stroke-dasharray: 4 3 }
@media (prefers-color-scheme: dark) {
  text { fill: #ebe9e4 } .note { fill: #aba59a }
  .paper { fill: #141517 } .group { fill: #1c1e20; stroke: #2f3235 }
  .store { fill: #141517; stroke: #7a8086 } .person { fill: #ebe9e4; stroke: #ebe9e4 } .of-person { fill: #141517 }
  .function { fill: #37261c; stroke: #f0a37c } .work { fill: #172a32; stroke: #84cae2 }
  path { stroke: #aba59a } .tip { fill: #aba59a }
}"""


def drawn() -> str:
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"',
            ' role="img" aria-labelledby="title">',
            '<title id="title">From a mail to a changed website, and back to the person as a reply</title>',
            f"<style>{STYLE}\n</style>",
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
            '<path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>',
            f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" rx="10"/>',
            *map(_group, GROUPS),
            *map(_arrow, ARROWS),
            *map(_part, PARTS),
            "</svg>\n",
        ]
    )


def _group(group: Group) -> str:
    return (
        f'<rect class="group" x="{group.x}" y="{group.y}" width="{group.width}" height="{group.height}" rx="10"/>'
        f'<text class="note" x="{group.words_x}" y="{group.y + 18}">{escape(group.words)}</text>'
    )


def _part(part: Part) -> str:
    middle = part.x + part.width / 2
    words_class = ' class="of-person"' if part.kind == "person" else ""
    first = part.y + part.height / 2 + (-1 if part.note else 4.5)
    note = f'<text class="note" x="{middle:g}" y="{first + 14:g}" text-anchor="middle">{escape(part.note)}</text>'
    return (
        f'<rect class="{part.kind}" x="{part.x}" y="{part.y}" width="{part.width}" height="{part.height}" rx="6"/>'
        f'<text{words_class} x="{middle:g}" y="{first:g}" text-anchor="middle">{escape(part.words)}</text>'
        f"{note if part.note else ''}"
    )


def _arrow(arrow: Arrow) -> str:
    dashed = ' class="dashed"' if arrow.dashed else ""
    words = f'<text class="note" x="{arrow.x}" y="{arrow.y}" text-anchor="middle">{escape(arrow.words)}</text>'
    return f'<path{dashed} d="{arrow.path}" marker-end="url(#tip)"/>{words if arrow.words else ""}'


if __name__ == "__main__":
    if sys.argv[1:] != ["write"]:
        sys.exit("Usage: python -m tools.architecture_picture write")
    PICTURE.write_text(drawn(), encoding="utf-8")

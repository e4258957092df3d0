"""Renders an answer as HTML: one column, inline styles, no external resources.

Mail clients differ in which style sheets they keep, so the style sheet only adds dark colours.
All text is escaped here. The only links are those of the blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from webordinary.answers.blocks import Answer, AttachedPicture, Block, Item, Style

FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
CARD = f"max-width:560px;margin:0 auto;padding:24px 20px;{FONT};font-size:16px;line-height:1.55;color:#26231e"
STYLES = {
    Style.LEAD: "margin:0 0 18px;font-size:18px;line-height:1.5",
    Style.PLAIN: "margin:0 0 16px",
    Style.QUESTION: "margin:0 0 16px;padding:12px 16px;border-left:4px solid #b4532a;background:#fbf3ec;font-size:18px",
    Style.LIST: "margin:0 0 16px",
    Style.BUTTON: "margin:0 0 22px",
    Style.ACTIONS: "margin:0 0 22px",
    Style.PICTURES: "margin:0 0 20px;width:100%;border-collapse:collapse;table-layout:fixed",
    Style.SMALL: "margin:0 0 8px;font-size:13px;color:#7a7266",
    Style.TECHNICAL: "margin:0 0 16px;padding:12px;background:#f3efe8;font:13px/1.5 Consolas,Menlo,monospace;"
    "white-space:pre-wrap;overflow-wrap:anywhere",
}
BUTTON = (
    "display:inline-block;padding:11px 22px;border-radius:6px;background:#b4532a;color:#ffffff;"
    "text-decoration:none;font-weight:600"
)
ACTION = (
    "display:inline-block;margin:0 8px 8px 0;padding:8px 16px;border:1px solid #b4532a;border-radius:6px;color:#9a4521;"
    "text-decoration:none;font-weight:600"
)
# In a quote of our reply that is not recognised, the label alone would be a command.
ACTION_MARK = " ›"
# The border separates a light page from the light background of the mail.
PICTURE = "display:block;width:100%;height:auto;border:1px solid #ddd5c8;border-radius:6px;box-sizing:border-box"
CAPTION = "margin:0 0 4px;font-size:13px;color:#7a7266"
HEADING = "margin:0 0 6px;font-weight:600"
ITEM = "margin:0 0 10px;padding:0 0 0 14px;border-left:2px solid #e2dbcf;overflow-wrap:anywhere"
LINK = "color:#9a4521"
NOTE = "color:#7a7266;font-size:14px"
DARK = (
    "@media (prefers-color-scheme:dark){"
    "body,.card{background:#17181a!important;color:#eceae6!important}"
    ".soft,.small{color:#a09a90!important}.picture{border-color:#3c4045!important}.item{border-color:#3c4045!important}"
    ".link{color:#f0a27a!important}.question{background:#2a211c!important;border-color:#f0a27a!important}"
    ".action{color:#f0a27a!important;border-color:#f0a27a!important}"
    ".technical{background:#212326!important}.button{background:#f0a27a!important;color:#26231e!important}}"
)


def as_html(answer: Answer, reply_address: str = "") -> str:
    """The last line links to `reply_address`."""
    body = "".join(_block(answer, block) for block in answer.blocks[:-1])
    body += "".join(_last(block, reply_address) for block in answer.blocks[-1:])
    return (
        f'<!doctype html><html lang="{escape(answer.language)}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">'
        f"<style>{DARK}</style></head>"
        f'<body style="margin:0;padding:0"><div class="card" style="{CARD}">{body}</div></body></html>'
    )


def _last(block: Block, reply_address: str) -> str:
    words = escape(block.sentence)
    if reply_address:
        words = f'<a class="link" href="mailto:{escape(reply_address)}" style="{LINK}">{words}</a>'
    return f'<p class="small" style="{STYLES[Style.SMALL]}">{words}</p>'


def _block(answer: Answer, block: Block) -> str:
    if block.style is Style.BUTTON:
        words, link = escape(block.sentence), escape(block.link)
        button = f'<a class="button" href="{link}" style="{BUTTON}">{words}</a>'
        return f'<p style="{STYLES[Style.BUTTON]}">{button}</p>'
    if block.style is Style.ACTIONS:
        return f'<p style="{STYLES[Style.ACTIONS]}">{"".join(map(_action, block.items))}</p>'
    if block.style is Style.PICTURES:
        return _pictures(block)
    if block.items:
        items = "".join(_item(answer, item) for item in block.items)
        heading = f'<p style="{HEADING}">{_escaped(block.sentence)}</p>' if block.sentence else ""
        return f'<div style="{STYLES[Style.LIST]}">{heading}{items}</div>'
    return f'<p class="{block.style}" style="{STYLES[block.style]}">{_escaped(block.sentence)}</p>'


def _pictures(block: Block) -> str:
    """Two columns, also on a phone. A table, because every mail client renders tables."""
    link = escape(block.link)
    cells = [_picture(picture, link, last=picture is block.pictures[-1]) for picture in block.pictures]
    empty = "<td></td>" * (2 - len(cells))
    return f'<table role="presentation" style="{STYLES[Style.PICTURES]}"><tr>{"".join(cells)}{empty}</tr></table>'


def _action(item: Item) -> str:
    words, link = escape(item.text + ACTION_MARK), escape(item.link)
    return f'<a class="action" href="{link}" style="{ACTION}">{words}</a> '


def _picture(picture: AttachedPicture, link: str, *, last: bool) -> str:
    label = escape(picture.label)
    image = f'<img class="picture" src="cid:{escape(picture.content_id)}" alt="{label}" width="250" style="{PICTURE}">'
    linked = f'<a href="{link}">{image}</a>' if link and last else image
    gap = "0 0 0 6px" if last else "0 6px 0 0"
    caption = f'<p class="soft" style="{CAPTION}">{label}</p>'
    return f'<td width="50%" valign="top" style="padding:{gap}">{caption}{linked}</td>'


def _item(answer: Answer, item: Item) -> str:
    return f'<div class="item" style="{ITEM}">' + "".join(_lines(answer, item)) + "</div>"


def _lines(answer: Answer, item: Item) -> Iterator[str]:
    words = _escaped(item.text)
    yield f'<a class="link" href="{escape(item.link)}" style="{LINK}">{words}</a>' if item.link else words
    if item.note:
        yield f' <span class="soft" style="{NOTE}">– {_escaped(item.note)}</span>'
    if item.before:
        label = escape(answer.before_label)
        yield f'<br><span class="soft" style="{NOTE}">{label}</span> <del>{_escaped(item.before)}</del>'
    if item.after:
        label = escape(answer.after_label)
        yield f'<br><span class="soft" style="{NOTE}">{label}</span> <ins style="text-decoration:none">'
        yield f"{_escaped(item.after)}</ins>"


def _escaped(text: str) -> str:
    return escape(text).replace("\n", "<br>")

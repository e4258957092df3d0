"""An answer as data: an ordered list of blocks that `as_text` and `as_html` render."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Style(StrEnum):
    LEAD = "lead"  # the result
    PLAIN = "plain"
    QUESTION = "question"
    LIST = "list"
    BUTTON = "button"
    ACTIONS = "actions"  # buttons that write a mail with a command
    PICTURES = "pictures"  # HTML only
    SMALL = "small"
    TECHNICAL = "technical"


class Item(NamedTuple):
    """A line of a list: a page with its text before and after, or another entry with a note."""

    text: str
    link: str = ""
    note: str = ""
    before: str = ""
    after: str = ""


class AttachedPicture(NamedTuple):
    """A picture attached to the mail; `content_id` identifies its MIME part."""

    content_id: str
    label: str


class Block(NamedTuple):
    """A sentence with its link, list or pictures."""

    sentence: str
    style: Style = Style.PLAIN
    link: str = ""
    items: tuple[Item, ...] = ()
    pictures: tuple[AttachedPicture, ...] = ()


class Answer(NamedTuple):
    language: str
    blocks: tuple[Block, ...]
    before_label: str = ""
    after_label: str = ""

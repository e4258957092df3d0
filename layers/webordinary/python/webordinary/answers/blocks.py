"""An answer as data: blocks in their order, which `as_text` and `as_html` write down."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Style(StrEnum):
    LEAD = "lead"  # what came of it
    PLAIN = "plain"
    QUESTION = "question"
    LIST = "list"
    BUTTON = "button"
    PICTURES = "pictures"  # which a text does without
    SMALL = "small"
    TECHNICAL = "technical"


@dataclass(frozen=True)
class Item:
    """A line of a list: a page with its words before and after, or anything else with a reason."""

    text: str
    link: str = ""
    note: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True)
class Picture:
    """A picture that comes with the mail, by the id of its part."""

    content_id: str
    label: str


@dataclass(frozen=True)
class Block:
    """A sentence, with what belongs below or beside it."""

    sentence: str
    style: Style = Style.PLAIN
    link: str = ""
    items: tuple[Item, ...] = ()
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True)
class Answer:
    language: str
    blocks: tuple[Block, ...]
    before_label: str = ""
    after_label: str = ""

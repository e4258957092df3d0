"""Renders an answer as plain text."""

from __future__ import annotations

from collections.abc import Iterator

from webordinary.answers.blocks import Answer, Block, Item, Style


def as_text(answer: Answer) -> str:
    return "\n\n".join(_block(answer, block) for block in answer.blocks if block.style is not Style.PICTURES)


def _block(answer: Answer, block: Block) -> str:
    if block.style is Style.BUTTON:
        return f"{block.sentence}: {block.link}"
    if block.style is Style.ACTIONS:
        return "\n".join(f"{item.text}: {item.link}" for item in block.items)
    heading = f"{block.sentence}:" if block.items and block.sentence[-1:].isalnum() else block.sentence
    return "\n".join(filter(None, [heading, *(line for item in block.items for line in _item(answer, item))]))


def _item(answer: Answer, item: Item) -> Iterator[str]:
    yield f"- {item.text}" + (f" ({item.note})" if item.note else "") + (f": {item.link}" if item.link else "")
    if item.before:
        yield f"  {answer.before_label} {item.before}"
    if item.after:
        yield f"  {answer.after_label} {item.after}"

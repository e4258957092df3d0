"""Blocks that several answers have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from urllib.parse import quote

from webordinary.answers.blocks import Answer, Block, Item, Style
from webordinary.answers.facts import Facts, clean
from webordinary.answers.foreign_links import one_line
from webordinary.answers.language import Language
from webordinary.contract.outcomes import Command

LONGEST_MAILTO_SUBJECT = 100


def complete(language: Language, blocks: Iterable[Block]) -> Answer:
    """An answer to a customer ends with how to continue."""
    last = Block(language.reply_hint, Style.SMALL)
    return Answer(language.code, (*blocks, last), before_label=language.before, after_label=language.after)


def actions(language: Language, facts: Facts, *commands: Command) -> Iterator[Block]:
    """Links that write the mail with the command. The word is the text: a subject is never a command."""
    words = [language.words[command] for command in commands if command in language.words]
    if words and facts.reply_address:
        links = [mailto(facts.reply_address, facts.reply_subject, word) for word in words]
        items = (Item(as_heading(word), link=link) for word, link in zip(words, links, strict=True))
        yield Block("", Style.ACTIONS, items=tuple(items))


def mailto(address: str, subject: str, text: str) -> str:
    # The plus sign stays, so that the token in it is found in a quote.
    subject = one_line(subject)[:LONGEST_MAILTO_SUBJECT]
    return f"mailto:{quote(address, safe='@+')}?subject={quote(subject)}&body={quote(text)}"


def command_words(language: Language) -> dict[str, str]:
    return {command.value: language.words[command] for command in (Command.PUBLISH, Command.UNPUBLISH, Command.UNDO)}


def as_heading(label: str) -> str:
    """A label as a heading: `before:` becomes `Before`."""
    return label.rstrip(":： ").capitalize()


def as_items(lines: Iterable[str]) -> tuple[Item, ...]:
    return tuple(Item(clean(line)) for line in lines)

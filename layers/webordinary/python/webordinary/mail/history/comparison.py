"""Decides whether the HTML of a mail says more than its plain text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webordinary.mail.vocabulary.patterns import lazy_pattern
from webordinary.text.marks import without_marks

if TYPE_CHECKING:
    from webordinary.mail.history.reading import Reading
    from webordinary.text.html import ShownPicture

MUCH_LONGER = 1.5
FEWEST_COMMON_WORDS = 0.7  # of the plain text, so that both are the same mail
_ELEMENTS = lazy_pattern(r"<(?:s|del|strike|table|ol|sup|img|a|mark|font|style)[\s>]")
_TAG = lazy_pattern(r"<[^<>]*>")
# In the history below, links, tables and pictures were there before.
_ELEMENTS_IN_HISTORY = lazy_pattern(r"<(?:s|del|strike|mark|font)[\s>]")
_STYLES = ("line-through", "background", "color:", "color :", "vertical-align")
_STYLES_IN_HISTORY = ("line-through", "background", ";color:", '"color:', " color:", "'color:")
_HISTORY = lazy_pattern(
    r"[\"' ](?:gmail_quote|gmail_attr|moz-cite-prefix|yahoo_quoted|protonmail_quote|appendonsend|divrplyfwdmsg)"
)
_LINK = lazy_pattern(r"<([^<>\s]{2,4000})>")
_ADDRESSES = lazy_pattern(r"[<\[(]?(?:https?://|mailto:|cid:)[^\s>\])]*[>\])]?")
_PICTURE = lazy_pattern(r"\[image: [^\]\n]{0,300}\]")  # in the plain text of Gmail
_WORD = lazy_pattern(r"\w+")
_ITEM = lazy_pattern(r"^[> ]*(?:\d{1,4}|[a-zA-Z]|[ivxIVX]{1,6})[.)] ", re.MULTILINE)
_RAISED = lazy_pattern(r"\w\^[-+\u2212]?\d")


def may_say_more(html: str, plain: str, *, forwards: bool) -> bool:
    """Whether HTML is longer, or has any element that plain text cannot show; otherwise it need not be read.

    `forwards`: what programs mark as history may be a forwarded mail.
    """
    return _has_meaning(html, forwards=forwards) or _length(_TAG().sub("", html)) > MUCH_LONGER * _length(plain) + 20


def _length(text: str) -> int:
    return len("".join(text.split()))


def _has_meaning(html: str, *, forwards: bool) -> bool:
    html = html.lower()  # a case-insensitive pattern cannot skip to its first letter
    history = None if forwards else _HISTORY().search(html)
    own, below = (html, "") if history is None else (html[: history.start()], html[history.start() :])
    if _ELEMENTS().search(own) is not None or any(style in own for style in _STYLES):
        return True
    return _ELEMENTS_IN_HISTORY().search(below) is not None or any(style in below for style in _STYLES_IN_HISTORY)


def says_more(html: Reading, plain: Reading) -> bool:
    """Whether the HTML shows anything that the plain text of the same mail does not."""
    written = f"{plain.visible}\n\n{plain.forwarded}"
    if not html.visible or not _is_same_mail(html, written):
        return False
    pictures = html.shown_pictures()
    shown = f"{html.visible_text(_source)}\n\n{html.forwarded_text(_source)}"
    return (
        bool(pictures)
        or shown != f"{without_marks(html.visible)}\n\n{without_marks(html.forwarded)}"  # struck, coloured
        or shown.count(" | ") > written.count(" | ")
        or len(_RAISED().findall(shown)) > len(_RAISED().findall(written))
        or len(_ITEM().findall(shown)) > len(_ITEM().findall(written))
        or _leads_further(shown, written)
        or _has_more_words(shown, written)
    )


def _source(picture: ShownPicture) -> str:
    return picture.source


def _words(text: str) -> set[str]:
    return set(_WORD().findall(_ADDRESSES().sub(" ", text).lower()))


def _is_same_mail(html: Reading, written: str) -> bool:
    words = _words(_PICTURE().sub(" ", written))
    if not words:
        return True
    described = " ".join(picture.description for picture in html.pictures)  # which plain text may have in brackets
    common = words & _words(f"{html.full} {html.full.replace('^', '')} {described}")  # "8^30" is "830" in plain text
    return len(common) >= FEWEST_COMMON_WORDS * len(words) or letters_of(written) in letters_of(html.full)


def letters_of(text: str) -> str:
    """A text without the spaces between words: some programs write the cells of a table without any."""
    return "".join(_WORD().findall(text))


def _leads_further(shown: str, written: str) -> bool:
    """Whether a link leads somewhere that the plain text does not name."""
    plain = written.lower()
    return any(target.lower().rstrip("/") not in plain for target in _LINK().findall(shown))


def _has_more_words(shown: str, written: str) -> bool:
    """Whether the HTML has all words of the plain text, and more."""
    more, fewer = _words(shown), _words(written)
    return more > fewer

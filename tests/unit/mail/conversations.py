# ruff: noqa: RUF001 - letters of many languages are meant to look the way they do
"""Invented threads of three turns, and the quoting styles of mail programs.

A style takes the new paragraphs and the earlier mails, newest first, and returns the text of the reply.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

Style = Callable[[list[str], list[str]], str]


class Conversation(NamedTuple):
    requests: tuple[str, str, str]
    answers: tuple[str, str]


ENGLISH = Conversation(
    (
        "Hello,\n\nplease put the new opening hours on the contact page: Monday to Friday from 8 to 6.\n\nThanks, Anna",
        "Very nice.\n\nNow the second picture on the home page should be a little smaller.",
        "Please put the old picture back, this one does not fit at all.\n\nAnna",
    ),
    (
        "Hello Anna,\n\nthe opening hours are on the contact page now. Have a look at them here:\n"
        "https://bakery.example.org/session/abc/\n\nShould the hours be on the home page as well?\n"
        "Which colour shall the heading above them have?\n\nYours, the website\n\nConversation: t-abcdefgh",
        "Hello Anna,\n\nI made the second picture smaller by a third.\nhttps://bakery.example.org/session/def/\n\n"
        "Is that small enough for you now?\nShall I do the same with the picture of the oven?\n\n"
        "Yours, the website\n\nConversation: t-abcdefgh",
    ),
)
GERMAN = Conversation(
    (
        "Guten Tag,\n\nbitte ändern Sie die Überschrift auf der Startseite in „Frisches Brot seit 1989“.\n\nGruß, Jörg",
        "Schöner wäre es in Grün.\n\nUnd löschen Sie bitte den Absatz über die Öffnungszeiten an Weihnachten.",
        "Ja, so gefällt es uns gut, vielen Dank für die schnelle Hilfe.",
    ),
    (
        "Hallo Jörg,\n\ndie Überschrift auf der Startseite lautet jetzt „Frisches Brot seit 1989“.\n"
        "Soll sie größer werden als bisher?\nMöchten Sie auch die Schrift ändern lassen?\n\n"
        "Viele Grüße von Ihrer Website\n\nConversation: t-abcdefgh",
        "Hallo Jörg,\n\nder Absatz über die Öffnungszeiten ist gelöscht, die Überschrift ist grün.\n"
        "Passt Ihnen das so, oder fehlt noch etwas?\nSoll ich die Änderung gleich veröffentlichen?\n\n"
        "Viele Grüße von Ihrer Website\n\nConversation: t-abcdefgh",
    ),
)
JAPANESE = Conversation(
    (
        "お世話になっております。\n\n営業時間を「10時から19時まで」に変更してください。",
        "ありがとうございます。\n\n次に、二枚目の写真を少し小さくしてもらえますか。",
        "前の写真のほうが好きでした。元に戻していただけますか。",
    ),
    (
        "営業時間を変更しました。こちらでご確認ください。\nhttps://bakery.example.org/session/abc/\n\n"
        "ホームページにも同じ営業時間を載せますか。\n見出しの色はどれにしましょうか。\n\nConversation: t-abcdefgh",
        "二枚目の写真を三分の一だけ小さくしました。\nhttps://bakery.example.org/session/def/\n\n"
        "この大きさでよろしいでしょうか。\n他の写真も同じようにしましょうか。\n\nConversation: t-abcdefgh",
    ),
)
CONVERSATIONS = {"English": ENGLISH, "German": GERMAN, "Japanese": JAPANESE}


def _marked(text: str, mark: str = "> ") -> str:
    return "\n".join((mark + line).rstrip() for line in text.split("\n"))


def _nested(earlier: list[str], introduction: str, mark: str = "> ") -> str:
    """The earlier mails, each quoting the next with quote marks."""
    text = earlier[-1]
    for mail in reversed(earlier[:-1]):
        text = f"{mail}\n\n{introduction}\n\n{_marked(text, mark)}"
    return f"{introduction}\n\n{_marked(text, mark)}"


def _stacked(earlier: list[str], block: str) -> str:
    """The earlier mails one below the other, with header blocks and without quote marks."""
    return "\n\n".join(f"{block}\n\n{mail}" for mail in earlier)


def _joined(new: list[str]) -> str:
    return "\n\n".join(new)


def gmail(new: list[str], earlier: list[str]) -> str:
    return f"{_joined(new)}\n\n" + _nested(earlier, "On Mon, Mar 3, 2025 at 9:12 AM Bakery <bakery@example.org> wrote:")


def outlook(new: list[str], earlier: list[str]) -> str:
    block = (
        "________________________________\nFrom: Bakery <bakery@example.org>\nSent: Monday, March 3, 2025 9:12 AM\n"
        "To: Anna <anna@example.com>\nSubject: Re: Website"
    )
    return f"{_joined(new)}\n\n{_stacked(earlier, block)}"


def outlook_in_georgian(new: list[str], earlier: list[str]) -> str:
    block = (
        "გამგზავნი: Bakery <bakery@example.org>\nგაგზავნილია: ორშაბათი, 3 მარტი, 2025 9:12\n"
        "მიმღები: Anna <anna@example.com>\nთემა: Website"
    )
    return f"{_joined(new)}\n\n{_stacked(earlier, block)}"


def apple(new: list[str], earlier: list[str]) -> str:
    inner = f"Le 3 mars 2025 à 09:12, Bakery <bakery@example.org> a écrit :\n\n{earlier[0]}"
    return f"{_joined(new)}\n\nEnvoyé de mon iPhone\n\n{_marked(inner)}".replace("\n\nEnvoyé de mon iPhone", "")


def thunderbird_below(new: list[str], earlier: list[str]) -> str:
    return f"{_nested(earlier, 'Am 03.03.25 um 09:12 schrieb Bakery:', '> ')}\n\n{_joined(new)}\n"


def yahoo_in_armenian(new: list[str], earlier: list[str]) -> str:
    introduction = "Երկուշաբթի, 3 մարտի, 2025, 09:12, Bakery\n<bakery@example.org> գրել է:"
    return f"{_joined(new)}\n\n" + _stacked(earlier, introduction)


def wrapped(new: list[str], earlier: list[str]) -> str:
    """Wraps the quote at 40 characters without repeating the quote mark."""
    lines = [
        piece if order else f"> {piece}"
        for line in earlier[0].split("\n")
        for order, piece in enumerate(textwrap.wrap(line, 40, break_long_words=False) or [""])
    ]
    return f"{_joined(new)}\n\n2025-03-03 9:12 GMT+01:00 Bakery <bakery@example.org>:\n\n" + "\n".join(lines)


def re_encoded(new: list[str], earlier: list[str]) -> str:
    """A gateway that replaces quotation marks, decomposes letters and doubles every link."""
    old = unicodedata.normalize("NFD", earlier[0]).replace("„", '"').replace("“", '"').replace("。", "．")
    old = "\n".join(
        f"{line} <{line}>" if line.startswith("https") else line.replace(" ", "  ") for line in old.split("\n")
    )
    return f"{_joined(new)}\n\nد، ٣ مارس ٢٠٢٥ ٩:١٢ Bakery <bakery@example.org>:\n\n{_marked(old, '| ')}"


def bare(new: list[str], earlier: list[str]) -> str:
    """The earlier mail without quote marks and introduction."""
    return f"{_joined(new)}\n\n\n{earlier[0]}"


def between_the_lines(new: list[str], earlier: list[str], mark: str = "> ") -> str:
    """Answers each question directly below it; the rest follows at the end."""
    rest = list(new)
    lines = ["Mnamo Jtt, 3 Mac 2025 saa 9:12 Bakery <bakery@example.org> aliandika:", ""]
    for line in earlier[0].split("\n"):
        lines.append((mark + line).rstrip())
        if rest and line.endswith(("?", "か。")):
            lines.append(rest.pop(0))
    return "\n".join([*lines, *rest])


def between_the_lines_unmarked(new: list[str], earlier: list[str]) -> str:
    return between_the_lines(new, earlier, "")


STYLES: dict[str, Style] = {
    "Gmail": gmail,
    "Outlook": outlook,
    "Outlook in Georgian": outlook_in_georgian,
    "Apple": apple,
    "Thunderbird, below": thunderbird_below,
    "Yahoo in Armenian": yahoo_in_armenian,
    "wrapped": wrapped,
    "re-encoded": re_encoded,
    "bare": bare,
    "between the lines": between_the_lines,
    "between the lines, unmarked": between_the_lines_unmarked,
}

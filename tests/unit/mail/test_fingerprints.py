"""Recognition of earlier mails of a thread by fingerprint, in every quoting style and language."""

from __future__ import annotations

import re

import pytest

from tests.unit.mail.conversations import CONVERSATIONS, ENGLISH, STYLES, Conversation, Style, gmail
from tests.unit.mail.mails import ANSWERS, mail
from webordinary.mail import parse
from webordinary.mail.context import Context
from webordinary.mail.history.fingerprints import MOST_PER_MAIL, MOST_PER_SIDE, SIZE, add_fingerprints, fingerprints_of
from webordinary.mail.history.known_text import KnownText
from webordinary.mail.history.quoting import SplitText

SECRET = b"a secret of the tests"
THREAD = "abcdefghijklmnopqrstuvwxyz"


def known(sent: tuple[str, ...] = (), received: tuple[str, ...] = ()) -> KnownText:
    return KnownText(
        SECRET,
        THREAD,
        sent=[fingerprints_of(text, SECRET, THREAD) for text in sent],
        received=[fingerprints_of(text, SECRET, THREAD) for text in received],
    )


def new_words(text: str, knowledge: KnownText | None) -> list[str]:
    """The reply without language rules and without the quotes that are kept as context."""
    reply = SplitText(text, Context(), knowledge, language_rules=False).visible_reply()
    return [line for line in reply.split("\n") if line.strip() and not line.startswith(">")]


@pytest.mark.parametrize("conversation", CONVERSATIONS.values(), ids=CONVERSATIONS.keys())
@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES.keys())
def test_every_turn_of_a_thread_yields_exactly_its_new_text(style: Style, conversation: Conversation) -> None:
    first, *replies = conversation.requests
    sent: list[str] = []
    received = [first]
    for answer, reply in zip(conversation.answers, replies, strict=True):
        sent.append(answer)
        paragraphs = reply.split("\n\n")
        earlier = [mail for pair in zip(reversed(sent), reversed(received), strict=True) for mail in pair]

        text = style(paragraphs, earlier)

        assert new_words(text, known(tuple(sent), tuple(received))) == paragraphs
        received.append(text)


def test_without_fingerprints_the_quote_is_not_removed() -> None:
    text = STYLES["Outlook in Georgian"](["Blue."], [ENGLISH.answers[0]])
    assert new_words(text, None) != ["Blue."]


def test_quoted_question_is_kept_with_its_answer() -> None:
    text = STYLES["between the lines, unmarked"](["Yes, please.", "Blue."], [ENGLISH.answers[0]])
    reply = SplitText(text, Context(), known(sent=ENGLISH.answers), language_rules=False).visible_reply()
    assert "> Should the hours be on the home page as well?\nYes, please.\n" in reply


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH.requests[0],
        f"You did not do this:\n\n{ENGLISH.requests[0]}",
        f"Once more.\n\n{ENGLISH.requests[0]}\n\nPlease!",
    ],
    ids=["alone", "announced", "in the middle"],
)
def test_repeated_request_is_new_text(text: str) -> None:
    knowledge = known(sent=ENGLISH.answers, received=ENGLISH.requests[:1])
    assert new_words(text, knowledge) == [line for line in text.split("\n") if line]


def test_repeated_request_above_its_quote_is_new_text() -> None:
    again = ENGLISH.requests[0].split("\n\n")
    text = gmail(again, [ENGLISH.answers[0], ENGLISH.requests[0]])
    assert new_words(text, known(ENGLISH.answers, ENGLISH.requests[:1])) == again


def test_short_overlap_with_known_text_is_kept() -> None:
    text = gmail(["Please put the new opening hours on the wall of fame."], [ENGLISH.answers[0], ENGLISH.requests[0]])
    found = new_words(text, known(ENGLISH.answers, ENGLISH.requests[:1]))
    assert found == ["Please put the new opening hours on the wall of fame."]


def test_answer_on_the_quoted_line_is_new_text() -> None:
    lines = ENGLISH.answers[0].split("\n")
    quoted = "\n".join(f"> {line} Blue." if line.startswith("Which") else f"> {line}" for line in lines)
    text = f"On Mon, Mar 3, 2025 at 9:12 AM Bakery <bakery@example.org> wrote:\n\n{quoted}"
    assert new_words(text, known(sent=ENGLISH.answers)) == ["Blue."]


def test_fingerprints_of_another_thread_or_secret_do_not_match() -> None:
    text = gmail(["Blue."], [ENGLISH.answers[0]])
    packed = fingerprints_of(ENGLISH.answers[0], SECRET, THREAD)
    for stranger in (KnownText(b"another", THREAD, sent=[packed]), KnownText(SECRET, "z" * 26, sent=[packed])):
        assert SplitText(text, Context(), stranger).has_known_text is False


def test_fingerprint_ignores_quote_marks_wrapping_case_and_accents() -> None:
    plain = fingerprints_of("Die Öffnungszeiten sind jetzt online: von 8 bis 18 Uhr.", SECRET, THREAD)
    other = fingerprints_of("> die O\u0308FFNUNGSZEITEN\n> sind jetzt\n>  online von 8 bis\n18 Uhr", SECRET, THREAD)
    assert plain == other


def test_fingerprints_contain_no_text() -> None:
    packed = fingerprints_of(ENGLISH.answers[0], SECRET, THREAD)
    words = set(re.findall(r"\w{4,}", ENGLISH.answers[0]))
    assert not any(word.encode() in packed for word in words)


def test_fingerprints_per_mail_and_per_side_are_limited() -> None:
    long = fingerprints_of(" ".join(f"word{number}" for number in range(50_000)), SECRET, THREAD)
    assert len(long) == MOST_PER_MAIL * SIZE
    side = b""
    for turn in range(30):
        side = add_fingerprints(
            side, fingerprints_of(" ".join(f"m{turn}w{number}" for number in range(3_000)), SECRET, THREAD)
        )
    assert len(side) == MOST_PER_SIDE * SIZE


def test_adding_the_same_fingerprints_twice_changes_nothing() -> None:
    packed = fingerprints_of(ENGLISH.answers[0], SECRET, THREAD)
    assert add_fingerprints(packed, packed) == packed


def test_parse_with_known_text_separates_the_history() -> None:
    text = STYLES["Outlook in Georgian"](["Blau, bitte.\n\nViele Grüße\nAnna"], [ENGLISH.answers[0]])
    raw = mail(text, headers=ANSWERS + "Content-Type: text/plain; charset=utf-8\r\n")
    parsed = parse(raw, known=known(sent=ENGLISH.answers))
    assert parsed.text == "Blau, bitte."
    assert "Which colour shall the heading above them have?" in parsed.history_text


def test_known_text_in_unmarked_html_is_removed() -> None:
    old = ENGLISH.answers[0].replace("\n", "<br>")
    raw = mail(f"<p>Blue.</p><div>{old}</div>", headers=ANSWERS + "Content-Type: text/html; charset=utf-8\r\n")
    assert parse(raw, known=known(sent=ENGLISH.answers)).text == "Blue."

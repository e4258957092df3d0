# ruff: noqa: RUF001 - letters of many languages are meant to look the way they do
"""What counts as a yes or a no to a question, and what is neither."""

from __future__ import annotations

import re

import pytest

from webordinary.answers.languages import MODULES, language_of
from webordinary.contract.outcomes import RefusalReason
from webordinary.mail.commands.consent import AnswerKind, has_subject_of, read_answer

NAMES = frozenset(("anna", "tom", "田中"))


@pytest.mark.parametrize(
    "text",
    [
        "Yes",
        "yes!",
        "YES.",
        "Yes, please.\n\nKind regards,\nAnna",
        "Hi Tom,\n\nyes\n\nThanks\nAnna",
        "OK",
        "Publish",
        "Please publish it.",
        "Ja, gerne",
        "Hallo,\n\nja\n\nViele Grüße\nTom",
        "Bitte veröffentlichen",
        "Oui",
        "D’accord",
        "Oui, publiez.\n\nCordialement",
        "Sí",
        "Sí, gracias",
        "Sim, por favor.",
        "Sì, grazie",
        "Ja, graag",
        "Tak, proszę opublikować.",
        "はい",
        "はい。よろしくお願いします。",
        "お世話になっております。\nはい、公開してください。\n田中",
        "“Yes”",
        "Yes\u00a0",
    ],
)
def test_plain_yes_is_a_yes(text: str) -> None:
    assert read_answer(text, NAMES) is AnswerKind.YES


@pytest.mark.parametrize(
    "text",
    [
        "No",
        "No, thanks.\nTom",
        "Not yet",
        "Nein",
        "Nein, danke!\n\nViele Grüße\nAnna",
        "Non merci",
        "No, gracias",
        "Não, obrigado",
        "No, grazie",
        "Nee, bedankt",
        "Nie, dziękuję",
        "いいえ",
        "まだ公開しないでください。",
    ],
)
def test_plain_no_is_a_no(text: str) -> None:
    assert read_answer(text, NAMES) is AnswerKind.NO


# Each begins like an answer, but says something else as well.
NEITHER = [
    "はい。まだ公開しないでください。",
    "はい、でも来週まで待ってください",
    "はい?",
    "はい、月曜日に",
    "はい…",
    "いいえ、はい",
    "Ok, NOT YET",
    "OK. STOP",
    "ok 👎",
    "👍",
    "Yes 🚫",
    "Yes??",
    "Yes?",
    "Yes…",
    "Yes, Monday",
    "Yes, 5 pm",
    "Yes. Later",
    "Yes, if Bob agrees",
    "Yes, But Not Now",
    "Yes. Anna Says No",
    "Yes, Wait",
    "No. Yes",
    "Yes or no?",
    "Yes and no",
    "Yes, but make it blue",
    "Ok.\n\nNO!",
    "Yes: never",
    "Yes / No",
    "Thanks",
    "Anna",
    "Please",
    "Ja. Nein!",
    "Ja, Montag",
    "Ja, NICHT JETZT",
    "Ja, später",
    "Ja?",
    "Ja, aber erst morgen",
    "In Ordnung? Nein",
    "Oui. Non!",
    "Oui, Lundi",
    "Oui, Pas Encore",
    "Oui, mais demain",
    "Sí. No",
    "Sí, Mañana",
    "Sí, Pero Espere",
    "¿Sí?",
    "Sim. Não!",
    "Sim, Amanhã",
    "Sim, Ainda Não Agora",
    "Sì. No!",
    "Sì, Lunedì",
    "Sì, Ma Non Ora",
    "Ja. Nee!",
    "Ja, Maandag",
    "Ja, Nog Niet Nu",
    "Tak, Ale Nie Teraz",
    "Zgoda, Jutro",
    "Tak",  # thanks in Danish
    "Yes, morning",
    "Ok. Good Evening",
    "Ja, guten Morgen",
    "Oui, bonsoir",
    "Yes once Bob agrees",
    "Ja, nach Ostern",
    "Oui, si Paul accepte",
    "Sì, forse dopo",
    "Vale, espera",
    "Akkoord, maar wacht",
    "Zgoda, ale nie",
    "公開は来週",
    "ok :-/",
    "Yes*",
    "~~Yes~~",
    "Y\u0336e\u0336s\u0336",
    "Yes\u202e",
    "yes. n't",
    "Approved. Pending legal",
    "Publish 1 May",
    "> Yes",
]


@pytest.mark.parametrize("text", NEITHER)
def test_short_answer_that_says_more_is_unclear(text: str) -> None:
    assert read_answer(text, NAMES) is AnswerKind.UNCLEAR


@pytest.mark.parametrize(
    "text",
    [
        "Make the title blue, please.",
        "Yes, but please change the phone number to 12345 first.",
        "is it ok?\nI do not think so, there is a mistake in the menu",
        "Undo",
        "STOP",
        "not yes",
        "Y e s",
        "Montag geschlossen",
        "yes " * 100,
    ],
)
def test_request_in_its_own_words_is_no_answer(text: str) -> None:
    assert read_answer(text, NAMES) is AnswerKind.OTHER


def test_polish_yes_counts_in_a_polish_question_only() -> None:
    assert read_answer("Tak", language="pl") is AnswerKind.YES
    assert read_answer("Tak. Nie!", language="pl") is AnswerKind.UNCLEAR
    assert read_answer("Tak", language="en") is AnswerKind.UNCLEAR


def test_name_counts_only_if_it_is_known() -> None:
    assert read_answer("Yes\nAnna", NAMES) is AnswerKind.YES
    assert read_answer("Yes\nMonday", NAMES) is AnswerKind.UNCLEAR
    assert read_answer("Hi Bob, yes", NAMES) is AnswerKind.UNCLEAR


@pytest.mark.parametrize("text", ["Yes\nNo", "Yes. STOP", "Ja, nicht"])
def test_name_that_is_a_negation_is_no_name(text: str) -> None:
    assert read_answer(text, frozenset(("no", "stop", "nicht"))) is AnswerKind.UNCLEAR


@pytest.mark.parametrize("code", MODULES)
def test_quoted_words_of_the_question_are_a_yes_and_a_no(code: str) -> None:
    """Replies name the words to answer with; those must be understood."""
    language = language_of(code)
    (offered,) = re.findall(r"[„“«「]\s?([^„“”«»「」{}]+?)\s?[”“»」]", language.publish_question)
    said = re.findall(r"[„“«「]\s?([^„“”«»「」{}]+?)\s?[”“»」]", language.refusals[RefusalReason.ANSWER_UNCLEAR])

    assert read_answer(offered, language=code) is AnswerKind.YES
    assert {read_answer(word, language=code) for word in said} == {AnswerKind.YES, AnswerKind.NO}


PREFIXES = (
    *(
        "Re",
        "RE",
        "Aw",
        "AW",
        "Antw",
        "Antwort",
        "SV",
        "VS",
        "Odp",
        "Odg",
        "Rif",
        "R",
        "YNT",
        "BLS",
        "Atb",
        "Vá",
        "Rép",
    ),
    *(
        "Resp",
        "RES",
        "Balas",
        "ΑΠ",
        "Σχετ",
        "Отв",
        "Ответ",
        "Re[2]",
        "RE(3)",
        "回复",
        "回覆",
        "答复",
        "返信",
        "답장",
        "회신",
    ),
    *("השב", "תגובה", "رد", "उत्तर", "जवाब", "ตอบกลับ"),
)


@pytest.mark.parametrize("own", ["Hours", "Re: Öffnungszeiten: ab Mai", "営業時間", ""])
def test_reply_has_the_subject_of_the_question(own: str) -> None:
    forms = ("{}: {}", "{} : {}", "{}\uff1a{}", "{}: Re: {}", "{}: [EXTERNAL] Re: {}")
    replies = [form.format(prefix, own) for prefix in PREFIXES for form in forms]

    assert [reply for reply in replies if not has_subject_of(reply, own)] == []


@pytest.mark.parametrize(
    "subject",
    [
        "[EXTERNAL] Re: New hours",
        "Re: [Ext] New hours",
        "[Extern] AW: [External Email] Re: New hours",
        "***SPAM*** Re: New hours",
        "EXTERN: Re: New hours",
        "Re:  New\u00a0hours ",
        "[社外] Re: New hours",
        "[Bakery #4711] Re: New hours",
    ],
)
def test_tags_of_gateways_do_not_change_a_subject(subject: str) -> None:
    assert has_subject_of(subject, "New hours")


def test_subject_that_is_too_long_to_be_read_is_compared_as_far_as_it_is_read() -> None:
    own = "hours " * 100
    assert has_subject_of(f"Re: {own}"[:500], own[:500])


@pytest.mark.parametrize(
    "subject",
    [
        "NO - Re: Hours",
        "NO: Re: Hours",
        "No Re: Hours",
        "Nicht: Re: Hours",
        "Re: Not yet: Hours",
        "[NO] Re: Hours",
        "[noch nicht] Re: Hours",
        "[まだ公開しないで] Re: Hours",
        "***STOP*** Re: Hours",
        "Re: Hours - NO",
        "Re: Menu",
        "no",
        "",
    ],
)
def test_subject_that_a_person_changed_is_another(subject: str) -> None:
    assert not has_subject_of(subject, "Hours")

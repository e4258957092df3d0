"""Reads the answer to a question that is answered with yes or no.

A yes is a phrase of a short closed list with nothing else in the mail than a greeting, a closing and known names. Every
other character or word makes it something else: a question mark, an emoji, a day, a condition, a negation.
"""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from webordinary.mail.mime.subjects import plain_subject
from webordinary.mail.vocabulary.matching import fold, folded, has_unspaced
from webordinary.mail.vocabulary.phrases import phrases

LONGEST_ANSWER = 200
# A longer mail that is no plain yes or no is a request in its own words.
MOST_UNCLEAR_WORDS = 6
MOST_UNCLEAR_UNSPACED = 30

YES = (
    phrases("yes | yes please | yes thanks | yes thank you | yep | yeah | sure | ok | okay | go ahead", "en"),
    phrases("approved | i approve | i agree | please do | publish | publish it | please publish | go live", "en"),
    phrases("please publish it | yes publish | yes publish it | yes please publish | yes please publish it", "en"),
    phrases("ja | ja bitte | ja gerne | ja gern | gerne | ja danke | in ordnung | einverstanden | passt", "de"),
    phrases("freigegeben | genehmigt | freigeben | veröffentlichen | bitte veröffentlichen | ja veröffentlichen", "de"),
    phrases("oui | oui merci | oui s'il vous plaît | d'accord | c'est bon | allez-y | vas-y | approuvé | validé", "fr"),
    phrases("publier | publiez | oui publiez | vous pouvez publier", "fr"),
    phrases("sí | sí por favor | sí gracias | vale | de acuerdo | adelante | aprobado | publicar | publíquelo", "es"),
    phrases("sim | sim por favor | sim obrigado | sim obrigada | aprovado | pode publicar | publicar", "pt"),
    phrases("sì | sì grazie | sì per favore | va bene | d'accordo | approvato | pubblica | pubblicare", "it"),
    phrases("ja | ja graag | ja bedankt | akkoord | goedgekeurd | doe maar | publiceren | publiceer", "nl"),
    phrases("tak proszę | zgoda | zgadzam się | opublikuj | proszę opublikować | tak opublikuj", "pl"),
    phrases("はい | お願いします | お願いいたします | はいお願いします | はいお願いいたします | 承認します", "ja"),
    phrases("公開 | 公開してください | はい公開してください | どうぞ", "ja"),
    phrases("да | согласен | согласна | godkänt | godkjent | godkendt", "ru, sv, no, da"),
)
# Phrases that mean something else in another language: "tak" is thanks in Danish.
YES_IN = {"pl": folded((phrases("tak", "pl"),))}
NO = (
    phrases("no | no thanks | no thank you | nope | not yet | please don't | do not publish | don't publish", "en"),
    phrases("nein | nein danke | noch nicht | nicht veröffentlichen | bitte nicht | bitte nicht veröffentlichen", "de"),
    phrases("non | non merci | pas encore | ne pas publier | no gracias | todavía no | aún no | no publicar", "fr, es"),
    phrases("não | não obrigado | não obrigada | ainda não | não publicar | no grazie | non ancora", "pt, it"),
    phrases("nee | nee bedankt | nee dank u | nog niet | niet publiceren | nie | nie dziękuję | jeszcze nie", "nl, pl"),
    phrases(
        "いいえ | まだ | まだです | だめです | 公開しないでください | まだ公開しないでください | нет | nej | nei",
        "ja, others",
    ),
)
POLITENESS = (
    phrases("please | bitte | danke | s'il vous plaît | s'il te plaît | por favor | per favore | prego", "en to it"),
    phrases("alstublieft | alsjeblieft | graag | proszę | dziękuję", "nl, pl"),
)
UNSPACED_COURTESY = phrases(
    "こんにちは | お世話になっております | いつもお世話になっております | ありがとうございます | よろしく"
    " | よろしくお願いします | よろしくお願いいたします | ありがとうございました",
    "Japanese",
)
ADDRESSEES = frozenset(("all", "team", "there", "everyone", "zusammen", "together"))
# A name that is also a word of an answer is not read as a name.
NEVER_NAMES = frozenset(
    ("no", "not", "non", "nein", "nicht", "nee", "nie", "niet", "nej", "nei", "stop", "wait", "yet")
)
# What gateways write before the subjects of mails from outside, if it ends with a colon.
TAGS = folded((phrases("external | extern | externe | externo | esterno | ext | spam | suspected spam", "gateways"),))
MOST_TAGS = 10
MOST_COMPARED = 400  # a longer subject is cut off when it is read

QUOTES = "\u201c\u201d\u201e\u00ab\u00bb\u2018"
_CLAUSES = re.compile("[\n.,!。、\u2013\u2014]+")
_PLAIN = re.compile(rf"(?:[^\W\d_]|[\s.,!。、\u2013\u2014'\"{QUOTES}-])*")
_EDGES = f" \t'\"{QUOTES}-"
_SPACES = re.compile(r"\s+")
_LETTER = re.compile(r"[^\W\d_]")
_WORDS = re.compile(r"[^\W_]+")
_TAG = re.compile(r"\s*(?:\[([^\[\]]{1,40})\]|\*{2,5}([^*]{1,40})\*{2,5}|([^\W\d_][^:\[\]*]{1,20}):)\s*")


class AnswerKind(StrEnum):
    """What a mail answers to a question."""

    YES = "yes"
    NO = "no"
    UNCLEAR = "unclear"  # an answer, but neither a plain yes nor a plain no
    OTHER = "other"  # a request in its own words


class _Vocabulary(NamedTuple):
    yes: frozenset[str]
    no: frozenset[str]
    greetings: frozenset[str]
    closings: frozenset[str]


@cache
def _vocabulary() -> _Vocabulary:
    from webordinary.mail.closing.closing_phrases import CLOSINGS, FAMILIAR_CLOSINGS, SHORT_CLOSINGS, THANKS
    from webordinary.mail.commands.courtesy import GREETINGS

    closings = folded((*CLOSINGS, *SHORT_CLOSINGS, *FAMILIAR_CLOSINGS, *THANKS, *POLITENESS, UNSPACED_COURTESY))
    return _Vocabulary(folded(YES), folded(NO), folded(GREETINGS), closings)


def read_answer(text: str, names: frozenset[str] = frozenset(), language: str = "") -> AnswerKind:
    """Reads the answer to a question in `language`. `names` are folded words that may be part of the mail."""
    text = unicodedata.normalize("NFKC", text).replace("\u2019", "'").strip()
    clauses = [clause for part in _CLAUSES.split(text) if (clause := _SPACES.sub(" ", fold(part)).strip(_EDGES))]
    vocabulary = _vocabulary()
    yes = vocabulary.yes | YES_IN.get(language, frozenset())
    said_yes = any(clause in yes for clause in clauses)
    said_no = any(clause in vocabulary.no for clause in clauses)
    known = names - NEVER_NAMES
    answers = [number for number, clause in enumerate(clauses) if clause in yes or clause in vocabulary.no]
    # A greeting precedes the answer: "Yes, morning" and "Ja, guten Abend" may be times.
    others = [
        _is_courtesy(clause, known, may_greet=not answers or number < answers[0])
        for number, clause in enumerate(clauses)
        if number not in answers
    ]
    is_plain = len(text) <= LONGEST_ANSWER and _PLAIN.fullmatch(text) is not None and ".." not in text
    if is_plain and said_yes is not said_no and all(others):
        return AnswerKind.YES if said_yes else AnswerKind.NO
    starts = yes | vocabulary.no | frozenset().union(*YES_IN.values())
    is_answer = not _LETTER.search(text) or all(others)
    is_answer = is_answer or any(_begins_with(clause, starts) for clause in clauses)
    return AnswerKind.UNCLEAR if is_answer and _is_short(text) else AnswerKind.OTHER


def has_subject_of(subject: str, asked: str) -> bool:
    """Whether a reply has the subject of the question. Only programs may add to it: prefixes, and tags of gateways."""
    given, sent = (_letters_of(_without_tags(text)) for text in (subject, asked))
    return given[:MOST_COMPARED] == sent[:MOST_COMPARED]


def _without_tags(subject: str) -> str:
    """The subject without prefixes and tags: "[EXTERNAL] AW: Re: Hours" becomes "Hours"."""
    for _ in range(MOST_TAGS):
        subject = plain_subject(subject)
        tag = _TAG.match(subject)
        if tag is None or not _is_tag(fold(tag[1] or tag[2] or ""), fold(tag[3] or "")):
            break
        subject = subject[tag.end() :]
    return subject


def _is_tag(marked: str, word: str) -> bool:
    """A gateway may write anything between its marks. Between those of a person stands "[NO]"."""
    is_negation = _begins_with(marked, _vocabulary().no) or not NEVER_NAMES.isdisjoint(_WORDS.findall(marked))
    return word in TAGS or (marked != "" and not is_negation)


def _letters_of(text: str) -> str:
    """Letters and digits only: programs change spaces and punctuation."""
    return "".join(_WORDS.findall(fold(unicodedata.normalize("NFKC", text))))


def _is_courtesy(clause: str, names: frozenset[str], *, may_greet: bool) -> bool:
    """Whether a clause is a greeting, a closing or names: "hi tom", "kind regards", "anna"."""
    vocabulary = _vocabulary()
    words = clause.split()
    for number in range(len(words) + 1):
        phrase, rest = " ".join(words[:number]), words[number:]
        if may_greet and phrase in vocabulary.greetings and all(word in names or word in ADDRESSEES for word in rest):
            return True
        if (not phrase or phrase in vocabulary.closings) and all(word in names for word in rest):
            return True
    return False


def _begins_with(clause: str, starts: frozenset[str]) -> bool:
    """Whether a clause begins with one of these phrases, as whole words in scripts with spaces."""
    if has_unspaced(clause):
        return any(clause.startswith(start) for start in starts)
    words = _WORDS.findall(clause)
    return any(" ".join(words[:number]) in starts for number in range(1, len(words) + 1))


def _is_short(text: str) -> bool:
    return len(text) <= MOST_UNCLEAR_UNSPACED if has_unspaced(text) else len(text.split()) <= MOST_UNCLEAR_WORDS

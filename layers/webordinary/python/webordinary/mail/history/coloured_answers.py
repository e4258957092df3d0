# ruff: noqa: RUF001 - letters of many languages are meant to look the way they do
"""Finds answers that a person wrote into the history in another colour: "My answers are in blue."

Programs that do not quote (Outlook) leave no other trace of such answers.
"""

from __future__ import annotations

import re
from functools import cache

from webordinary.mail.vocabulary.matching import fold
from webordinary.text.marks import looks_in

_WORD = re.compile(r"[^\W\d_]+")
LONGEST_REFERENCE = 600  # characters above the history
# How a person refers to the words below, by stems. Colours first, then places.
_COLOUR_STEMS = {
    "red": "red |rot |roter|rote |roten|rouge|rojo|roja|rosso|rossa|vermelh|rood|rode|rott|rod |czerwon|cerven|красн"
    "|червон|赤|红|紅|빨간|빨강|أحمر|الأحمر|אדום|लाल|kirmizi|punai|kokkin|κοκκιν|piros|rosu",
    "blue": "blue|blau|bleu|azul|blu |blauw|bla |blatt|niebiesk|modr|син|голуб|青|蓝|藍|파란|파랑|أزرق|الأزرق|כחול|नील"
    "|mavi|sinis|kek|μπλε|albastr|blå",
    "green": "green|grun|vert|verde|groen|gron|zielon|zelen|зелен|緑|绿|綠|초록|녹색|أخضر|الأخضر|ירוק|हर|yesil|vihr"
    "|zold|πρασιν",
    "orange": "orang|naranja|laranja|aranc|oranje|pomarancz|оранж|オレンジ|橙|주황|برتقال|כתום|नारंगी|turuncu",
    "purple": "purple|violet|lila|morad|viola|rox|paars|fiolet|lilla|фиолет|紫|보라|بنفسج|סגול|बैंगनी|mor ",
    "pink": "pink|rosa|rose|roz|розов|ピンク|粉|분홍|magenta",
    "turquoise": "turquoise|turkis|turquesa|turchese|teal|cyan|бирюз|水色|aqua",
    "brown": "brown|braun|brun|marron|marrone|bruin|brazow|коричн|茶|棕|갈색",
    "yellow": "yellow|gelb|jaun|amarill|amarel|giall|geel|gul|zolt|żołt|zlut|желт|жовт|黄|黃"
    "|노란|노랑|أصفر|צהוב|पील|sari",
    "grey": "grey|gray|grau|gris|grig|cinz|grijs|gra |szar|сер|灰|회색",
}
_PLACES = (
    "below|inline|in line|in-line|in the text|between|unten|darunter|im text|dazwischen|ci-dessous|en dessous"
    "|dans le texte|abajo|mas abajo|debajo|en el texto|sotto|nel testo|abaixo|no texto|hieronder|onder|in de tekst"
    "|nedan|nedenfor|i teksten|nizej|ponizej|w tekscie|ниже|в тексте|下記|以下|下面|아래"
    "|colour|color|farb|couleur|colore|kleur|kolor|цвет|色|색|marked|highlight|markier|surlign|resalt|evidenzi|destac|gemarkeerd"
)


@cache
def _stems(colour: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Beginnings of words, and phrases or signs that may stand anywhere."""
    stems = [fold(word) for word in f"{_COLOUR_STEMS.get(colour, '')}|{_PLACES}".split("|") if word]
    anywhere = [stem for stem in stems if " " in stem.strip() or "-" in stem or stem >= "\u3000"]
    return tuple(stem for stem in stems if stem not in anywhere), tuple(anywhere)


def refers_to_coloured(visible: str, history: str) -> bool:
    """Whether some of the history has another colour than the rest, and the words above it refer to it."""
    if len(visible) > LONGEST_REFERENCE:
        return False
    looks = looks_in(history)
    coloured = {look.colour or look.highlight for look in looks} - {""}
    if not coloured or not any(not (look.colour or look.highlight) for look in looks):
        return False
    return not visible.strip() or any(_mentions(fold(visible), *_stems(colour)) for colour in coloured)


def _mentions(text: str, beginnings: tuple[str, ...], anywhere: tuple[str, ...]) -> bool:
    words = [f"{word} " for word in _WORD.findall(text)]
    return any(word.startswith(beginnings) for word in words) or any(phrase in text for phrase in anywhere)

"""Detects the language of a mail by its most common words, among the languages that we reply in.

For mails that no agent reads: help, status and rejected mails. With too little evidence the result is empty, and the
caller uses its default language.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

FEWEST_HITS = 2
LONGEST_SAMPLE = 4000
_KANA = re.compile(r"[\u3040-\u30ff]")
# Addresses, and text in quotation marks, which may come from the website in another language.
_IGNORED = re.compile(
    r"\S+[.@/:]\S+|[\"\u201c\u201e\u00ab][^\"\u201c\u201d\u201e\u00ab\u00bb]{1,300}[\"\u201c\u201d\u00bb]"
)
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")

# The most common words of each language, and its words for greetings, thanks and commands. A word of several languages
# counts for each of them.
SMALL_WORDS = {
    "en": "to in a as at by the and you for with this that please change can could have from thanks hello hi is are "
    "of it on our my we undo publish stop help what how would should regards not be put page",
    "de": "in am um der die das und ist nicht bitte mit für auf ein eine einen ich wir sie von zu den dem des im "
    "unsere unser ändern ändere danke hallo grüße viele können könnten noch auch wie was rückgängig "
    "veröffentlichen hilfe stopp seite neue neuen",
    "fr": "le la les des et est une un pour avec dans sur vous nous je pas merci bonjour bonsoir s'il vous plaît "
    "peux pouvez changer changez modifier ce cette votre notre du au aux qui que publier défaire aide arrêter "
    "statut page cordialement salutations",
    "es": "el la los las y es una un para con por en del que no se por favor gracias hola puede puedes cambiar "
    "cambia nuestro nuestra su mi esta este más publicar deshacer ayuda parar estado saludos página buenos "
    "días",
    "pt": "o a os as e é uma um para com por em do da dos das que não se favor obrigado obrigada olá oi pode podem "
    "mudar altere alterar nosso nossa sua seu esta este mais publicar desfazer ajuda parar cumprimentos "
    "página bom dia você",
    "it": "in a il lo la gli le e è una un per con di del della dei che non si favore grazie ciao salve può puoi "
    "cambiare cambia nostro nostra sua suo questa questo più pubblica ripristina aiuto ferma stato saluti "
    "pagina buongiorno",
    "nl": "de het een en is niet voor met op van ik wij we u je ons onze dat deze dit te in kunt kun graag "
    "alstublieft alsjeblieft dank bedankt hallo wijzig wijzigen verander veranderen publiceren ongedaan maken "
    "hulp stoppen groet groeten pagina",
    "pl": "i w na nie się jest z do to że proszę dziękuję dzień dobry cześć zmień zmienić czy nasza nasz naszej "
    "oraz dla po od jak co opublikuj cofnij pomoc zatrzymaj pozdrawiam strona stronie stronę o",
}


@cache
def _languages_of_word() -> dict[str, tuple[str, ...]]:
    words: dict[str, tuple[str, ...]] = {}
    for code, listed in SMALL_WORDS.items():
        for word in dict.fromkeys(listed.split()):
            words[word] = (*words.get(word, ()), code)
    return words


def language_of(*texts: str) -> str:
    """The two-letter code of the language of the first text that is conclusive; empty if none is."""
    for text in texts:
        if found := _language_of(text[:LONGEST_SAMPLE]):
            return found
    return ""


def _language_of(text: str) -> str:
    if _KANA.search(text):
        return "ja"
    words = [word.replace("\u2019", "'") for word in _WORD.findall(_IGNORED.sub(" ", text).lower())]
    known = _languages_of_word()
    # A word that occurs in fewer languages has more weight.
    score: Counter[str] = Counter()
    for word in words:
        for code in known.get(word, ()):
            score[code] += 12 // len(known[word])
    if not score:
        return ""
    (best, most), *others = score.most_common(2)
    certain = most >= 12 * min(FEWEST_HITS, max(1, len(words) // 2))
    return best if certain and (not others or others[0][1] < most) else ""

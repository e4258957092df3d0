"""The languages of the stand-in: how a change is asked for, and its own sentences. They are those that we reply in."""

import re
from dataclasses import dataclass

QUOTED = r'["“„«「]\s?([^"“”„«»「」]{1,2000}?)\s?["”“»」]'
UNQUOTED = r'[^"“”„«»「」]{0,200}?'


@dataclass(frozen=True)
class ModelLanguage:
    """`verbs` and `prepositions` form a change: verb "old" preposition "new". `words` identify the language."""

    verbs: str
    prepositions: str
    words: str
    changed: str
    missing: str  # why a change was not made
    quoted: str
    not_understood: str


LANGUAGES = {
    "en": ModelLanguage(
        verbs="change|replace|from",
        prepositions="to|with",
        words="change replace please the on hello thank thanks",
        changed="I changed “{old}” to “{new}”.",
        missing="This text is not on the site.",
        quoted="“{text}”",
        not_understood="Which words should become which? I am a stand-in for the model and understand only plain "
        "sentences such as: change “these words” to “those words”.",
    ),
    "de": ModelLanguage(
        verbs="ändere|ändern|ersetze|ersetzen|aus",
        prepositions="in|zu|auf|durch",
        words="ändere ändern ersetze ersetzen nimm bitte danke hallo sie auf der die das guten",
        changed="„{old}“ heißt jetzt „{new}“.",
        missing="Dieser Text steht nicht auf der Website.",
        quoted="„{text}“",
        not_understood="Welche Worte sollen zu welchen werden? Ich stehe für das Modell ein und verstehe nur einfache "
        "Sätze wie: ändere „diese Worte“ in „jene Worte“.",
    ),
    "fr": ModelLanguage(
        verbs="change|changez|changer|remplace|remplacez|remplacer",
        prepositions="par|en",
        words="bonjour merci changez changer remplace remplacez remplacer par sur la le les plaît vous",
        changed="J'ai remplacé « {old} » par « {new} ».",
        missing="Ce texte ne figure pas sur le site.",
        quoted="« {text} »",
        not_understood="Quels mots faut-il remplacer, et par lesquels ? Je tiens lieu de modèle et ne comprends que "
        "des phrases simples, par exemple : remplacez « ces mots » par « ces autres mots ».",
    ),
    "es": ModelLanguage(
        verbs="cambia|cambie|cambiar|reemplaza|reemplace|sustituye|sustituya",
        prepositions="por|a",
        words="hola gracias cambie cambiar reemplaza reemplace sustituye sustituya favor por el los la página",
        changed="He cambiado «{old}» por «{new}».",
        missing="Este texto no está en el sitio.",
        quoted="«{text}»",
        not_understood="¿Qué palabras deben sustituirse, y por cuáles? Hago las veces del modelo y solo entiendo "
        "frases sencillas como: cambie «estas palabras» por «otras palabras».",
    ),
    "pt": ModelLanguage(
        verbs="mude|mudar|muda|altere|alterar|troque|trocar|substitua|substituir",
        prepositions="por|para",
        words="olá obrigado obrigada mude mudar altere alterar troque trocar substitua favor por para na do",
        changed="Mudei “{old}” para “{new}”.",
        missing="Este texto não está no site.",
        quoted="“{text}”",
        not_understood="Que palavras devem mudar, e para quais? Faço as vezes do modelo e só entendo frases simples "
        "como: mude “estas palavras” para “aquelas palavras”.",
    ),
    "it": ModelLanguage(
        verbs="cambia|cambi|cambiare|sostituisci|sostituisca|sostituire",
        prepositions="con|in",
        words="buongiorno ciao grazie cambi cambiare sostituisci sostituisca sostituire favore con il gli nella pagina",
        changed="Ho cambiato «{old}» in «{new}».",
        missing="Questo testo non è sul sito.",
        quoted="«{text}»",
        not_understood="Quali parole vanno cambiate, e in quali? Faccio le veci del modello e capisco solo frasi "
        "semplici come: sostituisci «queste parole» con «quelle parole».",
    ),
    "nl": ModelLanguage(
        verbs="wijzig|wijzigen|verander|veranderen|vervang|vervangen",
        prepositions="in|naar|door",
        words="hallo bedankt dank wijzig wijzigen verander veranderen vervang vervangen alstublieft graag het een van",
        changed="Ik heb “{old}” gewijzigd in “{new}”.",
        missing="Deze tekst staat niet op de website.",
        quoted="“{text}”",
        not_understood="Welke woorden moeten welke worden? Ik vervang het model en begrijp alleen eenvoudige zinnen "
        "zoals: verander “deze woorden” in “die woorden”.",
    ),
    "pl": ModelLanguage(
        verbs="zmień|zmienić|zamień|zamienić|proszę",
        prepositions="na",
        words="dzień dziękuję zmień zmienić zamień zamienić proszę na stronie",
        changed="Zmieniono „{old}” na „{new}”.",
        missing="Tego tekstu nie ma na stronie.",
        quoted="„{text}”",
        not_understood="Które słowa zamienić na które? Zastępuję model i rozumiem tylko proste zdania, na przykład: "
        "zmień „te słowa” na „tamte słowa”.",
    ),
    "ja": ModelLanguage(
        verbs="",
        prepositions="",
        words="",
        changed="「{old}」を「{new}」に変更しました。",
        missing="この文はサイトにありません。",
        quoted="「{text}」",
        not_understood="どの言葉をどの言葉に変えればよいでしょうか。モデルの代役のため、「この言葉」を「あの言葉」に変えて、の"
        "ような簡単な文しか理解できません。",
    ),
}
KANA = re.compile("[\u3040-\u30ff]")
WORD = re.compile(r"[^\W\d_]+")


def language_of(mail: str) -> str:
    """The language with most of its words outside the quotation marks; English if none has any."""
    own = re.sub(QUOTED, " ", mail)
    if KANA.search(own):
        return "ja"
    words = set(WORD.findall(own.lower()))
    return max(LANGUAGES, key=lambda code: len(words.intersection(LANGUAGES[code].words.split())))


def change_sentence() -> str:
    """A pattern for a change in any of the languages: its groups are the old and the new words."""
    verbs = "|".join(language.verbs for language in LANGUAGES.values() if language.verbs)
    prepositions = "|".join(language.prepositions for language in LANGUAGES.values() if language.prepositions)
    spaced = rf"\b(?:{verbs})\b{UNQUOTED}{QUOTED}\s+(?:{prepositions})\s+{QUOTED}"
    return rf"{spaced}|{QUOTED}\s*を\s*{QUOTED}\s*に"

"""The objects that commands act on, and words that are too common to indicate a command, as data.

`finder` folds the words (lower case, no accents).
"""

from __future__ import annotations

from webordinary.contract.outcomes import Command
from webordinary.mail.vocabulary.phrases import Phrases, phrases

# Objects that do not turn a command into an edit. "Build my website" is an edit, so BUILD has almost none.
OBJECTS: dict[Command, tuple[Phrases, ...]] = {
    Command.PUBLISH: (
        phrases(
            "it | this | that | these | them | everything | all | site | website | page | pages | changes | change",
            "en",
        ),
        phrases("edits | new | version | my | our | draft | update | updates | latest | whole", "English"),
        phrases(
            "das | es | die | den | alles | seite | seiten | webseite | änderungen | änderung | neue",
            "de",
        ),
        phrases(
            "le | la | les | tout | ça | cela | modifications | lo | todo | el | los | página",
            "fr, es",
        ),
        phrases(
            "sitio | cambios | esto | eso | o | isso | tudo | as | alterações | il | tutto | sito",
            "es, pt, it",
        ),
        phrases(
            "modifiche | het | dit | dat | de | wijzigingen | wszystko | stronę | zmiany | det",
            "it, nl, pl, sv",
        ),
        phrases("sidan | siden | ändringarna | ændringerne | это | всё | сайт | страницу | изменения", "sv, da, ru"),
        phrases("사이트 | 사이트를 | 이것을 | 변경 | 페이지를 | الموقع | الصفحة | التغييرات | هذا", "ko, ar"),
        phrases("את | זה | האתר | העמוד | השינויים | इसे | साइट | वेबसाइट | पेज | बदलाव | को", "he, hi"),
    ),
    Command.UNDO: (
        phrases(
            "it | this | that | these | them | last | latest | previous | change | changes | edit | edits | your", "en"
        ),
        phrases("my | most | recent | everything | one | made | did | update", "English"),
        phrases("das | es | die | den | letzte | letzten | änderung | änderungen | wieder | alles", "German"),
        phrases(
            "le | la | les | l | dernier | dernière | dernières | modification | modifications | ça | cela | tout",
            "French",
        ),
        phrases("lo | el | último | última | últimos | cambio | cambios | esto | eso | todo | as | isso", "es, pt"),
        phrases("alteração | alterações | mudança | modifica | modifiche | tutto", "pt, it"),
        phrases("het | dit | dat | de | laatste | wijziging | wijzigingen | weer", "Dutch"),
        phrases("ostatnią | ostatnie | zmianę | zmiany | wszystko", "Polish"),
        phrases(
            "det | senaste | sidste | siste | ändringen | ændring | endring | ändringarna | detta | dette",
            "sv, da, no",
        ),
        phrases("это | последнее | последние | последнюю | изменение | изменения | правку | всё | назад", "Russian"),
        phrases("마지막 | 변경 | 변경을 | 변경사항을 | 이것을 | 그것을 | 사항을", "Korean"),
        phrases(
            "آخر | تغيير | التغيير | الأخير | عن | التعديل | تعديل | את | השינוי | האחרון | השינויים | זה",
            "ar, he",
        ),
        phrases("अंतिम | आखिरी | पिछला | बदलाव | को | इसे | परिवर्तन", "Hindi"),
    ),
    Command.STOP: (
        phrases("it | this | that | everything | job | request | my | last | about", "English"),
        phrases(
            "das | es | alles | damit | ça | tout | cela | lo | esto | eso | todo | isso | tudo | tutto",
            "others",
        ),
        phrases(
            "het | dit | dat | ermee | det | это | всё | 이것을 | 작업을 | 작업 | هذا | זה | את | इसे",
            "others",
        ),
    ),
    Command.STATUS: (
        phrases(
            "it | this | that | current | our | my | there | yet | already | der | es | schon",
            "en, de",
        ),
        phrases("le | el | il | de | des | del | dello", "others"),
    ),
    Command.BUILD: (phrases("it", "English"),),
    Command.COMMIT: (
        phrases(
            "it | this | that | changes | everything | all | my | edits | das | es | alles | ça | lo | het", "others"
        ),
    ),
    Command.PUSH: (phrases("it | this | that | everything | all", "English"),),
    Command.HELP: (phrases("need | some | this | it | mir | j'ai | besoin | de | brauche", "others"),),
}

# Unpublish takes the objects of both.
OBJECTS[Command.UNPUBLISH] = (*OBJECTS[Command.PUBLISH], *OBJECTS[Command.UNDO])

# "Cancel" alone is stop; "cancel the change" is undo.
CHANGES = (
    phrases(
        "change | changes | edit | edits | änderung | änderungen | modification | modifications | changement",
        "en, de, fr",
    ),
    phrases(
        "changements | cambio | cambios | alteração | alterações | mudança | modifica | modifiche",
        "fr, es, pt, it",
    ),
    phrases(
        "wijziging | wijzigingen | zmianę | zmiany | ändringen | ændring | endring | изменение | изменения",
        "others",
    ),
    phrases("변경 | 변경을 | التغيير | تغيير | השינוי | השינויים | बदलाव | परिवर्तन", "others"),
)

# Words of many sentences: a phrase is searched by another of its words if it has one.
COMMON = phrases(
    "make | take | like | what | how | everything | change | work | can | you | mach | stell | stelle | stellen | wie",
    "most of them English and German",
)

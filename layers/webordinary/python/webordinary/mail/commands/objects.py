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
            "das | es | die | den | alles | seite | seiten | webseite | website | änderungen | änderung | so | neue",
            "de",
        ),
        phrases(
            "le | la | les | site | page | pages | tout | ça | cela | modifications | lo | todo | el | los | página",
            "fr, es",
        ),
        phrases(
            "sitio | cambios | esto | eso | o | a | isso | tudo | as | alterações | il | i | tutto | sito | pagina",
            "es, pt, it",
        ),
        phrases(
            "modifiche | het | dit | dat | alles | de | wijzigingen | to | wszystko | stronę | zmiany | det | den",
            "it, nl, pl, sv",
        ),
        phrases(
            "sidan | siden | ändringarna | ændringerne | это | всё | все | сайт | страницу | изменения", "sv, da, ru"
        ),
        phrases(
            "사이트 | 사이트를 | 이것을 | 변경 | 변경 사항을 | 페이지를 | الموقع | الصفحة | التغييرات | هذا", "ko, ar"
        ),
        phrases("את | זה | האתר | העמוד | השינויים | इसे | साइट | वेबसाइट | पेज | बदलाव | को", "he, hi"),
    ),
    Command.UNDO: (
        phrases(
            "it | this | that | these | them | last | latest | previous | change | changes | edit | edits | your", "en"
        ),
        phrases("my | most | recent | everything | one | you | made | just | did | update", "English"),
        phrases("das | es | die | den | letzte | letzten | änderung | änderungen | wieder | alles | sie", "German"),
        phrases(
            "le | la | les | l | dernier | dernière | dernières | modification | modifications | ça | cela | tout",
            "French",
        ),
        phrases("lo | el | último | última | últimos | cambio | cambios | esto | eso | todo | a | as | isso", "es, pt"),
        phrases("alteração | alterações | mudança | l | ultima | ultimo | modifica | modifiche | tutto", "pt, it"),
        phrases("het | dit | dat | de | laatste | wijziging | wijzigingen | weer | alles", "Dutch"),
        phrases("to | ostatnią | ostatnie | ostatnia | zmianę | zmiany | wszystko", "Polish"),
        phrases(
            "det | den | senaste | sidste | siste | ändringen | ændring | endring | ändringarna | detta | dette",
            "sv, da, no",
        ),
        phrases(
            "это | последнее | последние | последнюю | изменение | изменения | правку | всё | все | назад", "Russian"
        ),
        phrases("마지막 | 변경 | 변경을 | 변경사항을 | 이것을 | 그것을 | 사항을", "Korean"),
        phrases(
            "آخر | تغيير | التغيير | الأخير | عن | التعديل | تعديل | את | השינוי | האחרון | השינויים | זה",
            "ar, he",
        ),
        phrases("अंतिम | आखिरी | पिछला | बदलाव | को | इसे | परिवर्तन", "Hindi"),
    ),
    Command.STOP: (
        phrases("it | this | that | everything | now | job | request | my | last | about", "English"),
        phrases(
            "das | es | alles | damit | sofort | ça | tout | cela | lo | esto | eso | todo | isso | tudo | tutto",
            "others",
        ),
        phrases(
            "het | dit | dat | ermee | to | det | это | всё | все | 이것을 | 작업을 | 작업 | هذا | זה | את | इसे",
            "others",
        ),
    ),
    Command.STATUS: (
        phrases(
            "it | this | that | current | our | my | there | you | yet | already | now | der | es | schon | du",
            "en, de",
        ),
        phrases("ihr | sie | le | el | il | de | je | le | des | del | dello", "others"),
    ),
    Command.BUILD: (phrases("it | again", "English"),),
    Command.COMMIT: (
        phrases(
            "it | this | that | changes | everything | all | my | edits | das | es | alles | ça | lo | het", "others"
        ),
    ),
    Command.PUSH: (phrases("it | this | that | everything | all", "English"),),
    Command.HELP: (
        phrases("me | i | need | some | you | this | it | mir | j'ai | besoin | de | ich | brauche | 주세요", "others"),
    ),
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
    "make | put | take | set | bring | go | run | try | like | what | does | how | are | is | is | any | was | before"
    " | everything | change | about | work | can | you | mach | machen | mache | stell | stelle | stellen | ist | wie"
    " | en | no | a | che | come | der | das | es | zet | maak | gör",
    "most of them English and German",
)

# ruff: noqa: RUF001 - words of many languages are meant to look the way they do
"""How people end a mail, as data: closings, thanks that stand for one, and what begins a postscript.

Folded: no case, no accents. The code that applies these is in `signatures`.
"""

from __future__ import annotations

from webordinary.mail.vocabulary.phrases import habit

# Several words that nobody puts on a line of their own unless the mail ends.
CLOSINGS = (
    habit(
        "best regards | kind regards | warm regards | warmest regards | many regards | with regards | kindest regards"
        " | with best regards | with kind regards | best wishes | all the best | with best wishes | warm wishes",
        "English",
    ),
    habit(
        "yours sincerely | yours truly | yours faithfully | sincerely yours | respectfully yours | regards | sincerely"
        " | thanks and regards | thanks & regards | thanks and best regards | thanks & best regards | rgds"
        " | thanks and kind regards | thanks with regards | thanking you | with thanks and regards",
        "English; the ones with thanks are Indian",
    ),
    habit(
        "mit freundlichen grussen | mit freundlichem gruss | freundliche grusse | viele grusse | beste grusse"
        " | liebe grusse | schone grusse | herzliche grusse | mit besten grussen | mit herzlichen grussen | mfg"
        " | freundlicher gruss | freundlichen gruss | mit lieben grussen | mit bestem gruss | sonnige grusse"
        " | besten gruss | herzlichst | hochachtungsvoll",
        "German, with the Swiss spelling that folding gives anyway",
    ),
    habit(
        "cordialement | bien cordialement | bien a vous | amicalement | sinceres salutations | cdlt"
        " | meilleures salutations | tres cordialement | avec mes meilleures salutations | bien a toi"
        " | respectueusement | belle journee | bonne journee",
        "French",
    ),
    habit(
        "saludos cordiales | atentamente | un cordial saludo | un saludo | un abrazo | salutacions | cordialment"
        " | muchos saludos | reciba un cordial saludo | atentament | salutacions cordials | saludos | cordialmente",
        "Spanish, Catalan",
    ),
    habit("cordiali saluti | distinti saluti | un saluto | un cordiale saluto | i migliori saluti", "Italian"),
    habit(
        "atenciosamente | cumprimentos | com os melhores cumprimentos | um abraco | com os meus cumprimentos"
        " | melhores cumprimentos | abracos",
        "Portuguese",
    ),
    habit(
        "met vriendelijke groet | met vriendelijke groeten | vriendelijke groet | vriendelijke groeten | mvg"
        " | hartelijke groet | met hartelijke groet | hartelijke groeten | groetjes | met groet",
        "Dutch",
    ),
    habit(
        "med vanliga halsningar | med vanlig halsning | vanliga halsningar | basta halsningar | mvh"
        " | med venlig hilsen | venlig hilsen | med vennlig hilsen | vennlig hilsen | kaerlig hilsen"
        " | bedste hilsner | de bedste hilsner | mange hilsner | beste hilsen | dbh | kind hilsen",
        "Swedish, Danish, Norwegian",
    ),
    habit(
        "ystavallisin terveisin | terveisin | parhain terveisin | yst terv | lugupidamisega | parimate soovidega"
        " | tervitades | ar cienu | pagarbiai",
        "Finnish, Estonian, Latvian, Lithuanian",
    ),
    habit(
        "z powazaniem | pozdrowienia | serdecznie pozdrawiam | z wyrazami szacunku | pozdrawiam serdecznie"
        " | pozdrawiam | z pozdrowieniami",
        "Polish",
    ),
    habit(
        "s pozdravem | s pozdravom | zdravim | lijep pozdrav | lep pozdrav | srdacan pozdrav | s postovanjem"
        " | s prianim pekneho dna | s pranim hezkeho dne | hezky den",
        "cs, sk, hr, sl, sr",
    ),
    habit(
        "с уважением | с наилучшими пожеланиями | з повагою | с уважение | с поздрав | всего доброго | с приветом"
        " | наилучшие пожелания | з найкращими побажаннями | поздрави | срдачан поздрав",
        "ru, uk, bg, sr; folded like everything here",
    ),
    habit(
        "udvozlettel | tisztelettel | cu stima | cu respect | saygılarımla | saygilarimla | με εκτιμηση"
        " | tran trong | kinh thu | salam hormat | hormat saya | me respekt | sevgiler | iyi calismalar",
        "hu, ro, tr, el, vi, id, sq",
    ),
    habit(
        "敬具 | よろしくお願いいたします | 此致 | 祝好 | 敬上 | 감사합니다 | 드림",
        "ja, zh, ko; before a name alone",
    ),
    habit(
        "בברכה | בכבוד רב | مع تحياتي | مع أطيب التحيات | با احترام | با تشکر | सादर | धन्यवाद सहित",
        "he, ar, fa, hi",
    ),
)

# One word that may as well be content ("Good / Better / Best"): it takes the writer's name or a comma beside it.
SHORT_CLOSINGS = (
    habit("best | yours | cordially | respectfully | br | kr", "English"),
    habit("grusse | gruss | lg | vg | bg | gruesse | saluti | a presto", "German, Italian"),
    habit("att | groet | groeten | halsningar | halsning | hilsen | hilsener | kh | vh | vanligen", "others"),
    habit("salutations | salam", "others"),
)
# The same among friends. Only the writer's name below shows what is meant.
FAMILIAR_CLOSINGS = (
    habit(
        "cheers | love | warmly | bests | take care | xoxo | ciao | salut | bises | bisous | abs | gr | terv", "others"
    ),
)

# Thanks end a mail as well, but somebody who says thanks may go on; they take the writer's full name below.
THANKS = (
    habit(
        "thanks | thank you | many thanks | thanks a lot | thanks so much | thank you very much | thanks again"
        " | thank you so much | with thanks | thanks in advance | thank you in advance | much appreciated",
        "English",
    ),
    habit(
        "danke | vielen dank | besten dank | danke schon | herzlichen dank | danke im voraus | vielen dank im voraus"
        " | merci | merci beaucoup | merci d'avance | gracias | muchas gracias | gracias de antemano | grazie"
        " | grazie mille | obrigado | obrigada | muito obrigado | bedankt | dank je | alvast bedankt | dank u",
        "de, fr, es, it, pt, nl",
    ),
    habit("tack | tack pa forhand | tak | mange tak | takk | kiitos | dziekuje | dekuji | спасибо", "others"),
)

# What people add below their name. It is a request like the rest.
POSTSCRIPTS = (
    habit("ps | p.s. | p.s | p. s. | pps | p.p.s. | pss | p.p.s | post scriptum | postscript", "Latin, everywhere"),
    habit("pd | p.d. | p.d | posdata | postdata | nb | n.b. | nota bene | obs", "Spanish, Latin, Swedish"),
    habit("nachtrag | nachsatz | наперед | зы | з.ы. | p.s | постскриптум | з.і.", "German, Russian, Ukrainian"),
    habit("追伸 | 追記 | 附言 | 又及 | 추신 | נ.ב. | נ.ב | ملاحظة | पुनश्च | ป.ล. | tb", "others; 'tb' is Vietnamese"),
)
# The same without a name for it. These begin a sentence, so only the beginning of a paragraph counts.
AFTERTHOUGHTS = (
    habit(
        "also | and also | oh and | one more thing | another thing | i forgot | forgot to | by the way | btw",
        "en",
    ),
    habit("additionally | in addition | furthermore | last thing | one last thing | and please | please also", "en"),
    habit(
        "außerdem | ausserdem | ubrigens | noch etwas | noch was | ach ja | und noch | bitte auch | zusatzlich",
        "de",
    ),
    habit("au fait | encore une chose | j'ai oublie | ademas | por cierto | una cosa mas | inoltre", "fr, es, it"),
    habit(
        "alem disso | mais uma coisa | trouwens | nog iets | ook nog | dessutom | en sak till | jeszcze jedno",
        "others",
    ),
    habit("и еще | кстати | также | また | 另外 | 还有 | 그리고", "ru, ja, zh, ko"),
)

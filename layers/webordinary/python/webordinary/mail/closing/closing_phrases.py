# ruff: noqa: RUF001 - words of many languages are meant to look the way they do
"""How people end a mail, as data: closings, thanks used as a closing, and how postscripts begin.

Folded: lower case, no accents. `closing_lines` and `signatures` apply them.
"""

from __future__ import annotations

from webordinary.mail.vocabulary.phrases import phrases

# Phrases that occur alone on a line only at the end of a mail.
CLOSINGS = (
    phrases(
        "best regards | kind regards | warm regards | warmest regards | many regards | with regards | kindest regards"
        " | with best regards | with kind regards | best wishes | all the best | with best wishes | warm wishes",
        "English",
    ),
    phrases(
        "yours sincerely | yours truly | yours faithfully | sincerely yours | respectfully yours | regards | sincerely"
        " | thanks and regards | thanks & regards | thanks and best regards | thanks & best regards | rgds"
        " | thanks and kind regards | thanks with regards | thanking you | with thanks and regards",
        "English; the ones with thanks are Indian",
    ),
    phrases(
        "mit freundlichen grussen | mit freundlichem gruss | freundliche grusse | viele grusse | beste grusse"
        " | liebe grusse | schone grusse | herzliche grusse | mit besten grussen | mit herzlichen grussen | mfg"
        " | freundlicher gruss | freundlichen gruss | mit lieben grussen | mit bestem gruss | sonnige grusse"
        " | besten gruss | herzlichst | hochachtungsvoll",
        "German, with the Swiss spelling that folding gives anyway",
    ),
    phrases(
        "cordialement | bien cordialement | bien a vous | amicalement | sinceres salutations | cdlt"
        " | meilleures salutations | tres cordialement | avec mes meilleures salutations | bien a toi"
        " | respectueusement | belle journee | bonne journee",
        "French",
    ),
    phrases(
        "saludos cordiales | atentamente | un cordial saludo | un saludo | un abrazo | salutacions | cordialment"
        " | muchos saludos | reciba un cordial saludo | atentament | salutacions cordials | saludos | cordialmente",
        "Spanish, Catalan",
    ),
    phrases("cordiali saluti | distinti saluti | un saluto | un cordiale saluto | i migliori saluti", "Italian"),
    phrases(
        "atenciosamente | cumprimentos | com os melhores cumprimentos | um abraco | com os meus cumprimentos"
        " | melhores cumprimentos | abracos",
        "Portuguese",
    ),
    phrases(
        "met vriendelijke groet | met vriendelijke groeten | vriendelijke groet | vriendelijke groeten | mvg"
        " | hartelijke groet | met hartelijke groet | hartelijke groeten | groetjes | met groet",
        "Dutch",
    ),
    phrases(
        "med vanliga halsningar | med vanlig halsning | vanliga halsningar | basta halsningar | mvh"
        " | med venlig hilsen | venlig hilsen | med vennlig hilsen | vennlig hilsen | kaerlig hilsen"
        " | bedste hilsner | de bedste hilsner | mange hilsner | beste hilsen | dbh | kind hilsen",
        "Swedish, Danish, Norwegian",
    ),
    phrases(
        "ystavallisin terveisin | terveisin | parhain terveisin | yst terv | lugupidamisega | parimate soovidega"
        " | tervitades | ar cienu | pagarbiai",
        "Finnish, Estonian, Latvian, Lithuanian",
    ),
    phrases(
        "z powazaniem | pozdrowienia | serdecznie pozdrawiam | z wyrazami szacunku | pozdrawiam serdecznie"
        " | pozdrawiam | z pozdrowieniami",
        "Polish",
    ),
    phrases(
        "s pozdravem | s pozdravom | zdravim | lijep pozdrav | lep pozdrav | srdacan pozdrav | s postovanjem"
        " | s prianim pekneho dna | s pranim hezkeho dne | hezky den",
        "cs, sk, hr, sl, sr",
    ),
    phrases(
        "с уважением | с наилучшими пожеланиями | з повагою | с уважение | с поздрав | всего доброго | с приветом"
        " | наилучшие пожелания | з найкращими побажаннями | поздрави | срдачан поздрав",
        "ru, uk, bg, sr",
    ),
    phrases(
        "udvozlettel | tisztelettel | cu stima | cu respect | saygılarımla | saygilarimla | με εκτιμηση"
        " | tran trong | kinh thu | salam hormat | hormat saya | me respekt | sevgiler | iyi calismalar",
        "hu, ro, tr, el, vi, id, sq",
    ),
    phrases(
        "敬具 | よろしくお願いいたします | 此致 | 祝好 | 敬上 | 감사합니다 | 드림",
        "ja, zh, ko; before a name alone",
    ),
    phrases(
        "בברכה | בכבוד רב | مع تحياتي | مع أطيب التحيات | با احترام | با تشکر | सादर | धन्यवाद सहित",
        "he, ar, fa, hi",
    ),
)

# Single words that may be content ("Good / Better / Best"): require the sender's name below or a comma.
SHORT_CLOSINGS = (
    phrases("best | yours | cordially | respectfully | br | kr", "English"),
    phrases("grusse | gruss | lg | vg | bg | gruesse | saluti | a presto", "German, Italian"),
    phrases("att | groet | groeten | halsningar | halsning | hilsen | hilsener | kh | vh | vanligen", "others"),
    phrases("salutations | salam", "others"),
)
# Informal closings: require the sender's name below.
FAMILIAR_CLOSINGS = (
    phrases(
        "cheers | love | warmly | bests | take care | xoxo | ciao | salut | bises | bisous | abs | gr | terv", "others"
    ),
)

# Thanks may be followed by more text: require the sender's full name below.
THANKS = (
    phrases(
        "thanks | thank you | many thanks | thanks a lot | thanks so much | thank you very much | thanks again"
        " | thank you so much | with thanks | thanks in advance | thank you in advance | much appreciated",
        "English",
    ),
    phrases(
        "danke | vielen dank | besten dank | danke schon | herzlichen dank | danke im voraus | vielen dank im voraus"
        " | merci | merci beaucoup | merci d'avance | gracias | muchas gracias | gracias de antemano | grazie"
        " | grazie mille | obrigado | obrigada | muito obrigado | bedankt | dank je | alvast bedankt | dank u",
        "de, fr, es, it, pt, nl",
    ),
    phrases("tack | tack pa forhand | tak | mange tak | takk | kiitos | dziekuje | dekuji | спасибо", "others"),
)

# What a line announces whose text ends with a closing of its own: "as a letter from me:". Parts of words.
LETTERS = (
    phrases("letter | message | greeting from | newsletter | speech | welcome text | obituary | invitation", "English"),
    phrases("brief | nachricht | grußwort | anschreiben | einladung | nachruf | ansprache", "German"),
    phrases(
        "lettre | message | invitation | courrier | carta | mensaje | invitacion | lettera | messaggio", "fr, es, it"
    ),
    phrases(
        "invito | mensagem | convite | bericht | uitnodiging | list od | list do | wiadomosc | zaproszenie", "others"
    ),
    phrases("brev | meddelande | besked | inbjudan | invitasjon | kirje | письм | сообщени | приглашени", "others"),
    phrases(
        "手紙 | お手紙 | メッセージ | 挨拶文 | 招待状 | 信件 | 公开信 | 邀请函 | 편지 | 초대장 | رسالة | מכתב | पत्र",
        "others",
    ),
)

# What announces content without a colon. Folded.
AS_FOLLOWS = (
    phrases(
        "as follows | the following | wie folgt | folgende | comme suit | suivant | como sigue | siguiente", "en-es"
    ),
    phrases(
        "come segue | seguente | seguinte | als volgt | het volgende | nastepujac | som folger", "it, pt, nl, pl, sv"
    ),
    phrases(
        "следующ | 次のよう | 次の通り | 以下のよう | 以下の通り | 下記のよう | 下記の通り | 如下 | 以下", "ru, ja, zh"
    ),
)

# How a sentence ends in scripts without spaces. A name or an address does not end so.
SENTENCE_ENDS = (
    phrases(
        "ください | 下さい | ます | です | ました | でした | でしょうか | ますか | ですか | ません | たい", "Japanese"
    ),
    phrases("吧 | 吗 | 嗎 | 呢 | 了 | 谢谢 | 謝謝 | 一下 | 一点 | 一點", "Chinese"),
)

# A postscript below the name belongs to the request.
POSTSCRIPTS = (
    phrases("ps | p.s. | p.s | p. s. | pps | p.p.s. | pss | p.p.s | post scriptum | postscript", "Latin, everywhere"),
    phrases("pd | p.d. | p.d | posdata | postdata | nb | n.b. | nota bene | obs", "Spanish, Latin, Swedish"),
    phrases("nachtrag | nachsatz | наперед | зы | з.ы. | p.s | постскриптум | з.і.", "German, Russian, Ukrainian"),
    phrases("追伸 | 追記 | 附言 | 又及 | 추신 | נ.ב. | נ.ב | ملاحظة | पुनश्च | ป.ล. | tb", "others; 'tb' is Vietnamese"),
)
# Postscripts without a label. They begin a sentence, so they count only at the start of a paragraph.
AFTERTHOUGHTS = (
    phrases(
        "also | and also | oh and | one more thing | another thing | i forgot | forgot to | by the way | btw",
        "en",
    ),
    phrases("additionally | in addition | furthermore | last thing | one last thing | and please | please also", "en"),
    phrases(
        "außerdem | ausserdem | ubrigens | noch etwas | noch was | ach ja | und noch | bitte auch | zusatzlich",
        "de",
    ),
    phrases("au fait | encore une chose | j'ai oublie | ademas | por cierto | una cosa mas | inoltre", "fr, es, it"),
    phrases(
        "alem disso | mais uma coisa | trouwens | nog iets | ook nog | dessutom | en sak till | jeszcze jedno",
        "others",
    ),
    phrases("и еще | кстати | также | また | 另外 | 还有 | 그리고", "ru, ja, zh, ko"),
)

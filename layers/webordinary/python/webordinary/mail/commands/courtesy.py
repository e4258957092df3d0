"""Courtesy around a command that does not change it, as data: greetings, politeness, praise, thanks.

`finder` folds the words (lower case, no accents).
"""

from __future__ import annotations

from webordinary.mail.vocabulary.phrases import phrases

# Single words.
COURTESY = (
    phrases(
        "please | pls | plz | kindly | now | immediately | asap | just | then | so | again | right | away",
        "English",
    ),
    phrases(
        "can | could | would | you | i | i'd | like | to | want | us | let's | lets | let | me",
        "English",
    ),
    phrases(
        "the | a | of | and | thanks | thank | hi | hello | hey | ok | okay | yes | yep | sure",
        "English",
    ),
    phrases(
        "bitte | jetzt | können | könnten | kannst | könntest | sie | du | ihr | wir | ich | möchte | mal | doch",
        "German",
    ),
    phrases(
        "gern | gerne | nun | gleich | sofort | danke | hallo | ja | und | dann | noch | einfach | nochmal",
        "German",
    ),
    phrases(
        "s'il | vous | te | plaît | svp | stp | merci | maintenant | pouvez | oui",
        "fr",
    ),
    phrases(
        "peux | tu | pourriez | pourrais | et | bonjour | allez | veuillez",
        "French",
    ),
    phrases(
        "por | favor | gracias | ahora | puede | puedes | podría | podrías | usted | sí | ya | hola | y | vale",
        "es",
    ),
    phrases("porfa | obrigado | obrigada | agora | pode | poderia | você | sim | olá | faça", "pt"),
    phrases(
        "per | favore | grazie | adesso | ora | puoi | può | potresti | potrebbe | ciao | pure | subito | e",
        "it",
    ),
    phrases(
        "alstublieft | alsjeblieft | aub | ajb | nu | graag | kun | kunt | je | u | bedankt | hoi | maar",
        "nl",
    ),
    phrases("proszę | teraz | dziękuję | tak | możesz | może | pan | pani | cześć | dzięki", "Polish"),
    phrases(
        "tack | snälla | kan | ni | vänligen | hej | venligst | vil | takk | nå",
        "sv, da, no",
    ),
    phrases("пожалуйста | сейчас | спасибо | да | можете | можешь | привет | ну | теперь", "Russian"),
    phrases(
        "주세요 | 주십시오 | 부탁드립니다 | 부탁해요 | 지금 | 제발 | 감사합니다 | 네 | 안녕하세요 | 해주세요",
        "Korean",
    ),
    phrases("من | فضلك | رجاء | الآن | شكرا | نعم | يرجى", "Arabic"),
    phrases("בבקשה | נא | עכשיו | תודה | כן | אפשר | מיד", "Hebrew"),
    phrases("कृपया | अभी | धन्यवाद | हाँ | प्लीज | जी | अब", "Hindi"),
)

UNSPACED_COURTESY = phrases(
    "よろしくお願いいたします | よろしくお願いします | よろしく"
    " | してください | して下さい | して頂けますか | していただけますか | してもらえますか"
    " | しておいてください | してほしいです"
    " | をお願いいたします | をお願いします | お願いいたします | お願いします | お願い | ください"
    " | 下さい | して | してね | を教えて"
    " | どうか | 今すぐ | すぐに | これを | それを | 変更を | 最後の変更を | 直前の変更を | 最新の変更を"
    " | サイトを | ページを | ありがとうございます"
    " | 请 | 請 | 麻烦 | 麻煩 | 帮我 | 现在 | 現在 | 立即 | 马上 | 一下 | 吧 | 谢谢 | 謝謝 | 它 | 这个"
    " | 這個 | 网站 | 網站 | 页面"
    " | 頁面 | 更改 | 修改 | 最后的 | 最後的 | 上次的 | 上一次的 | 上次 | 把 | 了 | 您好 | 你好"
    " | こんにちは | お世話になっております"
    " | 好的 | 很好 | 可以 | はい | 完璧です | いいですね",
    "Japanese and Chinese; longest first",
)

# Openings of a clause.
OPENINGS = (
    phrases(
        "go ahead and | feel free to | would you mind | you may",
        "en",
    ),
    phrases(
        "je mag",
        "others",
    ),
)

# A question about what is possible is not a command.
QUESTIONS = (
    phrases(
        "can i | could i | can we | could we | may i | may we | should i | should we | shall i | shall we | how can"
        " | would you like | can it | can this | can that | could it | would it | will it | would this | will this",
        "English",
    ),
    phrases("kann ich | könnte ich | darf ich | soll ich | können wir | könnten wir | dürfen wir | sollen wir", "de"),
    phrases("kann das | können die | wollen wir | möchten sie | möchtest du | willst du", "German"),
    phrases("je peux | je pourrais | puis-je | on peut | peut-on | pouvons-nous | nous pouvons | tu veux", "French"),
    phrases("puedo | podemos | podríamos | posso | podíamos | poderíamos | possiamo | potremmo", "es, pt, it"),
    phrases("kan ik | mag ik | kunnen we | kunnen wij | mogen we | zullen we | zal ik | wil je", "Dutch"),
    phrases(
        "mogę | możemy | czy mam | kan jeg | kan jag | kan vi | ska vi | skal vi | skal jeg | ska jag", "pl, sv, da"
    ),
    phrases("могу | можем | можно | मैं | क्या हम", "ru, hi"),
)

# With one of these words a question is a request: "Could you publish it?", not "Publish?".
ASKING = (
    phrases("please | pls | plz | kindly | you | u", "English"),
    phrases("bitte | kannst | können | könnt | könnten | könntest | würden | würdest | magst | mögen", "German"),
    phrases("plaît | svp | stp | pouvez | peux | pourriez | pourrais", "fr"),
    phrases("favor | porfa | puede | puedes | podría | podrías | pode | podes | poderia | podia", "es, pt"),
    phrases("puoi | può | potresti | potrebbe | potete | cortesia | favore", "Italian"),
    phrases("alstublieft | alsjeblieft | aub | ajb | kun | kunt | kan | wil | wilt | zou", "Dutch"),
    phrases("proszę | możesz | może | mógłbyś | mogłabyś | snälla | kunne | kunde | vil | venligst", "pl, sv"),
    phrases("пожалуйста | можете | можешь | могли | мог | могла | 주세요 | 주십시오 | 부탁드립니다", "ru, ko"),
    phrases("فضلك | رجاء | يرجى | ممكن | בבקשה | נא | אפשר | תוכל | תוכלי | कृपया | प्लीज", "ar, he, hi"),
)
UNSPACED_ASKING = phrases(
    "いただけ | もらえ | 頂け | くれ | お願い | ください | 下さい | 请 | 請 | 麻烦 | 麻煩 | 帮我 | 幫我 | 能否",
    "Japanese and Chinese",
)

# Whole clauses that say nothing about the website. Greetings, closings and thanks say nothing either.
PLEASANTRIES = (
    phrases(
        "perfect | great | looks good | looks great | looks perfect | looks fine | very nice | nice | love it",
        "en",
    ),
    phrases(
        "all good | good | fine | wonderful | excellent | awesome | super | that's perfect | done | cool",
        "en",
    ),
    phrases(
        "approved | that's it | that is perfect | all set | good job | well done | no problem | sorry",
        "en",
    ),
    phrases("it looks good | it looks great | this looks good | this looks great | that looks good | great work", "en"),
    phrases(
        "hope you are well | i hope you are well | have a nice day",
        "en",
    ),
    phrases("have a good day | have a great day | go for it | i like it | we like it", "en"),
    phrases(
        "perfekt | prima | toll | sehr gut | sieht gut aus | passt | alles gut | gut | genau",
        "de",
    ),
    phrases(
        "gefällt mir | gefällt uns | das passt | wunderbar | klasse | einverstanden",
        "de",
    ),
    phrases("schönen tag | in ordnung | alles klar", "de"),
    phrases(
        "parfait | très bien | c'est parfait | c'est bon | d'accord",
        "fr",
    ),
    phrases("bien reçu | génial | ça marche | bonjour à tous", "French"),
    phrases("perfecto | muy bien | está bien | de acuerdo | excelente", "es"),
    phrases("perfeito | muito bem | ótimo | está bom | de acordo | muito obrigada", "pt"),
    phrases("perfetto | ottimo | va bene | benissimo | bene | d'accordo | bravo", "it"),
    phrases("goed | goed zo | ziet er goed uit | top | hartelijk dank", "nl"),
    phrases("świetnie | idealnie | dobrze | dziękuję bardzo | w porządku", "Polish"),
    phrases("bra | jättebra | ser bra ut | godt | fint | ser godt ud | tusind tak", "sv, da, no"),
    phrases("отлично | хорошо | прекрасно | замечательно | супер | большое спасибо", "ru"),
    phrases(
        "좋아요 | 완벽해요 | 좋습니다 | 훌륭해요 | ممتاز | رائع | جيد | مثالي | מצוין | מעולה",
        "others",
    ),
    phrases("बढ़िया | अच्छा | बहुत अच्छा | ठीक है", "Hindi"),
)

# Salutations; a name may follow.
GREETINGS = (
    phrases(
        "hi | hello | hey | dear | good morning | good afternoon | good evening | greetings | hiya | morning",
        "en",
    ),
    phrases(
        "hallo | guten tag | guten morgen | guten abend | liebe | lieber | liebes | sehr geehrte | moin | servus",
        "de",
    ),
    phrases(
        "sehr geehrter | grüß gott | grüezi | bonjour | bonsoir | salut | cher | chère | madame | monsieur",
        "de, fr",
    ),
    phrases(
        "hola | buenos días | buenas tardes | buenas | estimado | estimada | querido | querida | olá | oi",
        "es, pt",
    ),
    phrases("bom dia | boa tarde | boa noite | caro | cara | prezado | prezada | ciao | buongiorno | salve", "pt, it"),
    phrases(
        "buonasera | gentile | hoi | beste | dag | goedemorgen | goedemiddag | geachte | cześć | dzień dobry",
        "it, nl, pl",
    ),
    phrases(
        "witam | szanowni | hej | hejsan | god morgon | god dag | kära | goddag | kære | hei | привет",
        "pl, sv, da, ru",
    ),
    phrases(
        "здравствуйте | добрый день | доброе утро | уважаемые | 안녕하세요 | مرحبا | السلام عليكم | أهلا",
        "ru, ko, ar",
    ),
    phrases("שלום | היי | בוקר טוב | नमस्ते | नमस्कार | प्रिय", "he, hi"),
)

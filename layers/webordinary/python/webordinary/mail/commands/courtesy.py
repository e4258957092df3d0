"""What people say around a command without changing it, as data: greetings, politeness, praise, thanks.

Folded (no case, no accents) by whoever reads them; the commands themselves are in `command_words`.
"""

from __future__ import annotations

from webordinary.mail.vocabulary.phrases import habit

# Words around a command that do not change it.
COURTESY = (
    habit(
        "please | pls | plz | kindly | now | immediately | asap | just | then | so | again | right | away",
        "English",
    ),
    habit(
        "can | could | would | you | i | i'd | like | to | want | us | let's | lets | let | me",
        "English",
    ),
    habit(
        "the | a | of | and | thanks | thank | hi | hello | hey | ok | okay | yes | yep | sure",
        "English",
    ),
    habit(
        "bitte | jetzt | können | könnten | kannst | könntest | sie | du | ihr | wir | ich | möchte | mal | doch",
        "German",
    ),
    habit(
        "gern | gerne | nun | gleich | sofort | danke | hallo | ja | und | dann | noch | einfach | nochmal",
        "German",
    ),
    habit(
        "s'il | vous | te | plaît | plait | svp | stp | merci | maintenant | pouvez-vous | peux-tu | pouvez | oui",
        "fr",
    ),
    habit(
        "peux | tu | pourriez | pourrais | et | bonjour | allez | allez-y | vas-y | veuillez | tout de suite",
        "French",
    ),
    habit(
        "por | favor | gracias | ahora | puede | puedes | podría | podrías | usted | sí | ya | hola | y | vale",
        "es",
    ),
    habit("porfa | obrigado | obrigada | agora | pode | poderia | você | sim | já | olá | faça | favor de", "pt"),
    habit(
        "per | favore | grazie | adesso | ora | puoi | può | potresti | potrebbe | sì | ciao | pure | subito | e",
        "it",
    ),
    habit(
        "alstublieft | alsjeblieft | aub | ajb | nu | graag | kun | kunt | je | u | ja | bedankt | hoi | maar",
        "nl",
    ),
    habit("proszę | prosze | teraz | dziękuję | tak | możesz | może | pan | pani | cześć | dzięki", "Polish"),
    habit(
        "tack | snälla | nu | kan | du | ni | vänligen | hej | tak | venligst | vil | ja | takk | gerne | nå",
        "sv, da, no",
    ),
    habit("пожалуйста | сейчас | спасибо | да | можете | можешь | привет | всё-таки | ну | теперь", "Russian"),
    habit(
        "주세요 | 주십시오 | 부탁드립니다 | 부탁해요 | 지금 | 제발 | 감사합니다 | 네 | 안녕하세요 | 해주세요",
        "Korean",
    ),
    habit("من | فضلك | رجاء | رجاءً | الآن | شكرا | شكراً | نعم | يرجى | لو سمحت", "Arabic"),
    habit("בבקשה | נא | עכשיו | תודה | כן | אפשר | מיד", "Hebrew"),
    habit("कृपया | अभी | धन्यवाद | हाँ | प्लीज | जी | अब", "Hindi"),
)

UNSPACED_COURTESY = habit(
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

# What a clause may begin with.
OPENINGS = (
    habit(
        "go ahead and | feel free to | would you mind | i would like you to | i'd like you to | you can | you may",
        "en",
    ),
    habit(
        "du kannst | sie können | vous pouvez | tu peux | puedes ya | pode já | puoi | je mag | du kan | możesz",
        "others",
    ),
)

# A question about what is possible is no command.
QUESTIONS = habit(
    "can i | could i | can we | could we | may i | should i | should we | shall i | shall we | how can", "English"
)

# Clauses that say nothing about the web site, whole.
PLEASANTRIES = (
    habit(
        "perfect | great | looks good | looks great | looks perfect | looks fine | very nice | nice | love it",
        "en",
    ),
    habit(
        "i love it | all good | good | fine | wonderful | excellent | awesome | super | that's perfect | done",
        "en",
    ),
    habit(
        "approved | that's it | that is perfect | all set | good job | well done | no problem | cheers | sorry",
        "en",
    ),
    habit(
        "thank you | thank you very much | thanks a lot | thanks so much | many thanks | thanks again | cool",
        "en",
    ),
    habit("it looks good | it looks great | this looks good | this looks great | that looks good | great work", "en"),
    habit(
        "hope you are well | i hope you are well | good morning | good afternoon | good evening | have a nice day",
        "en",
    ),
    habit("have a good day | have a great day | best | thanks in advance | go for it | i like it | we like it", "en"),
    habit(
        "perfekt | super | prima | toll | sehr gut | sieht gut aus | passt | passt so | alles gut | gut | genau",
        "de",
    ),
    habit(
        "gefällt mir | gefällt uns | das passt | wunderbar | klasse | einverstanden | guten tag | guten morgen",
        "de",
    ),
    habit("vielen dank | besten dank | danke schön | danke im voraus | schönen tag | in ordnung | alles klar", "de"),
    habit(
        "parfait | super | très bien | c'est parfait | c'est bon | d'accord | merci beaucoup | merci d'avance",
        "fr",
    ),
    habit("bonne journée | bien reçu | génial | excellent | ça marche | bonjour à tous", "French"),
    habit("perfecto | muy bien | genial | está bien | de acuerdo | muchas gracias | buenos días | excelente", "es"),
    habit("perfeito | muito bem | ótimo | está bom | de acordo | muito obrigado | muito obrigada | bom dia", "pt"),
    habit("perfetto | ottimo | va bene | benissimo | bene | d'accordo | grazie mille | buongiorno | bravo", "it"),
    habit("perfect | prima | goed | goed zo | ziet er goed uit | top | dank je | dank u | hartelijk dank", "nl"),
    habit("świetnie | super | idealnie | dobrze | dziękuję bardzo | dzień dobry | w porządku", "Polish"),
    habit("perfekt | bra | jättebra | ser bra ut | godt | fint | ser godt ud | mange tak | tusind tak", "sv, da, no"),
    habit("отлично | хорошо | прекрасно | замечательно | супер | добрый день | здравствуйте | большое спасибо", "ru"),
    habit(
        "좋아요 | 완벽해요 | 좋습니다 | 훌륭해요 | ممتاز | رائع | جيد | مثالي | مرحبا | מצוין | מעולה | שלום",
        "others",
    ),
    habit("बढ़िया | अच्छा | बहुत अच्छा | ठीक है | नमस्ते", "Hindi"),
)

# What a line begins with that addresses somebody; a name may follow.
GREETINGS = (
    habit(
        "hi | hello | hey | dear | good morning | good afternoon | good evening | greetings | hiya | morning",
        "en",
    ),
    habit(
        "hallo | guten tag | guten morgen | guten abend | liebe | lieber | liebes | sehr geehrte | moin | servus",
        "de",
    ),
    habit(
        "sehr geehrter | grüß gott | grüezi | bonjour | bonsoir | salut | cher | chère | madame | monsieur",
        "de, fr",
    ),
    habit(
        "hola | buenos días | buenas tardes | buenas | estimado | estimada | querido | querida | olá | oi",
        "es, pt",
    ),
    habit("bom dia | boa tarde | boa noite | caro | cara | prezado | prezada | ciao | buongiorno | salve", "pt, it"),
    habit(
        "buonasera | gentile | hoi | beste | dag | goedemorgen | goedemiddag | geachte | cześć | dzień dobry",
        "it, nl, pl",
    ),
    habit(
        "witam | szanowni | hej | hejsan | god morgon | god dag | kära | goddag | kære | hei | привет",
        "pl, sv, da, ru",
    ),
    habit(
        "здравствуйте | добрый день | доброе утро | уважаемые | 안녕하세요 | مرحبا | السلام عليكم | أهلا",
        "ru, ko, ar",
    ),
    habit("שלום | היי | בוקר טוב | नमस्ते | नमस्कार | प्रिय", "he, hi"),
)

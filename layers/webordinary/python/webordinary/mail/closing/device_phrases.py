# ruff: noqa: RUF001 - words of many languages are meant to look the way they do
"""What phones and mail programs write below a message ("Sent from my iPhone"), as data with the reason beside it.

Lower case, accents kept. The code that applies these is in `signatures`.
"""

from __future__ import annotations

from webordinary.mail.vocabulary.phrases import habit

# The line begins like this and names a device or program, or goes on with "my": "Sent from our kitchen" is a slogan.
SENT_FROM = (
    habit("sent from | sent wirelessly from | sent on the go from | message sent from | mail sent from", "English"),
    habit("gesendet von | gesendet mit | von unterwegs gesendet | diese nachricht wurde von", "German"),
    habit(
        "envoyé de | envoyé depuis | envoyé à partir | envoyé avec | envoyé par | ce message a été envoyé",
        "French",
    ),
    habit(
        "enviado desde | enviado do | enviado de | enviado a partir | enviado via | enviado con | enviado com",
        "es, pt",
    ),
    habit(
        "enviat des | inviato da | inviata da | inviato con | bidalita | enviado dende",
        "Catalan, Italian, Basque, Galician",
    ),
    habit(
        "verzonden vanaf | verstuurd vanaf | verzonden met | verstuurd met | verzonden via | verzonden van",
        "Dutch",
    ),
    habit("skickat från | skickades från | sendt fra | sendt med | sendt via | sent frá", "Scandinavian, Icelandic"),
    habit("lähetetty | saadetud | nosūtīts no | išsiųsta iš", "Finnish, Estonian, Latvian, Lithuanian"),
    habit(
        "wysłane z | wysłano z | odesláno z | odoslané z | poslano z | poslano s | poslato sa",
        "West and South Slavic",
    ),
    habit("отправлено с | отправлено из | надіслано з | изпратено от | послато са | испратено од", "Cyrillic"),
    habit(
        "elküldve | küldve | trimis de pe | trimis din | στάλθηκε από | αποστολή από | dërguar nga",
        "hu, ro, el, sq",
    ),
    habit(
        "dikirim dari | dihantar dari | dihantar daripada | đã gửi từ | được gửi từ | gửi từ",
        "Indonesian, Malay, Vietnamese",
    ),
    habit("ipinadala mula | imetumwa kutoka | gestuur vanaf | gestuur van", "Filipino, Swahili, Afrikaans"),
    habit("发自我的 | 發自我的 | 從我的 | 从我的 | 来自我的 | 傳送自 | 发送自 | 发自 | 發自", "Chinese"),
    habit("나의 | 내", "Korean, with the device behind it"),
    habit("נשלח מ | נשלחה מ | تم الإرسال من | أُرسلت من | أرسلت من | مرسل من | مُرسل من", "Hebrew, Arabic"),
    habit("ارسال شده از | فرستاده شده از | ส่งจาก | ส่งมาจาก", "Persian, Thai"),
)

# The line ends like this and names a device: languages that put the verb last.
SENT_AT_THE_END = (
    habit("gesendet | verzonden | verstuurd | gönderildi | gönderilmiştir", "German, Dutch, Turkish"),
    habit("から送信 | から送信しました | より送信 | 에서 보냄 | 에서 보냈습니다 | 에서 전송", "ja, ko"),
    habit(
        "से भेजा गया | से भेजा | से प्रेषित | থেকে পাঠানো | থেকে পাঠানো হয়েছে | பட்டது | పంపబడింది",
        "hi, bn, ta, te",
    ),
    habit("ارسال شد | ارسال شده | ارسال شده است | بھیجا گیا | küldve | küldött | bidalita", "fa, ur, hu, eu"),
)

# The line begins like this and names a program, or somebody's device: too common a beginning to count alone.
SENT_SOMEHOW = (
    habit("sent via | sent with | sent by | sent using | sent through | sent on | sent securely", "English"),
    habit("from my | typed on my | written on my | mailed from | posted from | composed on | via my", "English"),
    habit("von meinem | von meiner | mit meinem | this message was sent", "German, full sentences"),
)

# Only behind a beginning that says "my": the name of the device does not matter then.
MINE = habit(
    "my | meinem | meiner | mon | ma | mi | meu | minha | mio | mia | mijn | min | mit | mitt | mein | môjho | mého"
    " | moj | mojega | mog | моего | моєї | мого | моя | μου | saya | tôi | minu | mana | mano | ul meu | aking | my.",
    "whose device it is",
)

# Names of things that mails are written with, and nothing else is called that.
BRANDS = habit(
    "iphone | ipad | ipod | android | galaxy | samsung | blackberry | htc | nokia | huawei | xiaomi | redmi | oneplus"
    " | outlook | yahoo | gmail | proton | protonmail | airmail | k-9 | thunderbird | bluemail | aquamail | fairemail"
    " | superhuman | posteo | tutanota | tuta | mailspring | macbook | fairphone | motorola | oppo | vivo | gmx"
    " | web.de | t-online | zoho | hey | ios | iphon | 华为 | 小米 | 手机 | icloud | fastmail | mailbird | edison",
    "devices and programs",
)
# Words that a sentence may hold for another reason.
DEVICES = habit(
    "mobile | mobil | móvil | celular | cell | phone | handy | tablet | smartphone | portable | téléphone | device"
    " | mobilgerät | mailbox | spark | aqua | windows | mac | watch | pixel | inbox | nine | mobiltelefon | telefon"
    " | telefoon | teléfono | telefono | телефон | телефона | appareil | gerät | boxer | mail app",
    "the same, in ordinary words",
)

APOLOGIES = habit(
    "excuse | typo | brevity | brief | forgive | pardon | spelling | autocorrect | tippfehler | kürze | fautes"
    " | errores | dictat | errori | erros | typfouten",
    "such a line may go on with these; any other second half makes it a sentence",
)

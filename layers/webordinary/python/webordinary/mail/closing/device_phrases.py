# ruff: noqa: RUF001 - words of many languages are meant to look the way they do
"""What phones and mail programs add below a message ("Sent from my iPhone"), as data with the language as reason.

Lower case, with accents. `device_lines` applies them.
"""

from __future__ import annotations

from webordinary.mail.vocabulary.phrases import phrases

# Beginnings that require a device, a brand or "my" after them: "Sent from our kitchen" is a slogan.
SENT_FROM = (
    phrases("sent from | sent wirelessly from | sent on the go from | message sent from | mail sent from", "English"),
    phrases("gesendet von | gesendet mit | von unterwegs gesendet | diese nachricht wurde von", "German"),
    phrases(
        "envoyé de | envoyé depuis | envoyé à partir | envoyé avec | envoyé par | ce message a été envoyé",
        "French",
    ),
    phrases(
        "enviado desde | enviado do | enviado de | enviado a partir | enviado via | enviado con | enviado com",
        "es, pt",
    ),
    phrases(
        "enviat des | inviato da | inviata da | inviato con | bidalita | enviado dende",
        "Catalan, Italian, Basque, Galician",
    ),
    phrases(
        "verzonden vanaf | verstuurd vanaf | verzonden met | verstuurd met | verzonden via | verzonden van",
        "Dutch",
    ),
    phrases("skickat från | skickades från | sendt fra | sendt med | sendt via | sent frá", "Scandinavian, Icelandic"),
    phrases("lähetetty | saadetud | nosūtīts no | išsiųsta iš", "Finnish, Estonian, Latvian, Lithuanian"),
    phrases(
        "wysłane z | wysłano z | odesláno z | odoslané z | poslano z | poslano s | poslato sa",
        "West and South Slavic",
    ),
    phrases("отправлено с | отправлено из | надіслано з | изпратено от | послато са | испратено од", "Cyrillic"),
    phrases(
        "elküldve | küldve | trimis de pe | trimis din | στάλθηκε από | αποστολή από | dërguar nga",
        "hu, ro, el, sq",
    ),
    phrases(
        "dikirim dari | dihantar dari | dihantar daripada | đã gửi từ | được gửi từ | gửi từ",
        "Indonesian, Malay, Vietnamese",
    ),
    phrases("ipinadala mula | imetumwa kutoka | gestuur vanaf | gestuur van", "Filipino, Swahili, Afrikaans"),
    phrases("发自我的 | 發自我的 | 從我的 | 从我的 | 来自我的 | 傳送自 | 发送自 | 发自 | 發自", "Chinese"),
    phrases("나의 | 내", "Korean, followed by the device"),
    phrases("נשלח מ | נשלחה מ | تم الإرسال من | أُرسلت من | أرسلت من | مرسل من | مُرسل من", "Hebrew, Arabic"),
    phrases("ارسال شده از | فرستاده شده از | ส่งจาก | ส่งมาจาก", "Persian, Thai"),
)

# Endings that require a brand: languages that put the verb last.
SENT_LAST = (
    phrases("gesendet | verzonden | verstuurd | gönderildi | gönderilmiştir", "German, Dutch, Turkish"),
    phrases("から送信 | から送信しました | より送信 | 에서 보냄 | 에서 보냈습니다 | 에서 전송", "ja, ko"),
    phrases(
        "से भेजा गया | से भेजा | से प्रेषित | থেকে পাঠানো | থেকে পাঠানো হয়েছে | பட்டது | పంపబడింది",
        "hi, bn, ta, te",
    ),
    phrases("ارسال شد | ارسال شده | ارسال شده است | بھیجا گیا | küldve | küldött | bidalita", "fa, ur, hu, eu"),
)

# Common beginnings that require a brand or "my".
SENT_WITH = (
    phrases("sent via | sent with | sent by | sent using | sent through | sent on | sent securely", "English"),
    phrases("from my | typed on my | written on my | mailed from | posted from | composed on | via my", "English"),
    phrases("von meinem | von meiner | mit meinem | this message was sent", "German, full sentences"),
)

# After a beginning, these make any device count.
POSSESSIVES = phrases(
    "my | meinem | meiner | mon | ma | mi | meu | minha | mio | mia | mijn | min | mit | mitt | mein | môjho | mého"
    " | moj | mojega | mog | моего | моєї | мого | моя | μου | saya | tôi | minu | mana | mano | ul meu | aking | my.",
    "possessives",
)

# Unambiguous names.
BRANDS = phrases(
    "iphone | ipad | ipod | android | galaxy | samsung | blackberry | htc | nokia | huawei | xiaomi | redmi | oneplus"
    " | outlook | yahoo | gmail | proton | protonmail | airmail | k-9 | thunderbird | bluemail | aquamail | fairemail"
    " | superhuman | posteo | tutanota | tuta | mailspring | macbook | fairphone | motorola | oppo | vivo | gmx"
    " | web.de | t-online | zoho | hey | ios | iphon | 华为 | 小米 | 手机 | icloud | fastmail | mailbird | edison",
    "devices and programs",
)
# Words that may also occur in ordinary sentences.
DEVICES = phrases(
    "mobile | mobil | móvil | celular | cell | phone | handy | tablet | smartphone | portable | téléphone | device"
    " | mobilgerät | mailbox | spark | aqua | windows | mac | watch | pixel | inbox | nine | mobiltelefon | telefon"
    " | telefoon | teléfono | telefono | телефон | телефона | appareil | gerät | boxer | mail app",
    "devices and programs, by common words",
)

APOLOGIES = phrases(
    "excuse | typo | brevity | brief | forgive | pardon | spelling | autocorrect | tippfehler | kürze | fautes"
    " | errores | dictat | errori | erros | typfouten",
    "may follow a comma; any other text there makes the line a sentence",
)

# ruff: noqa: RUF001 - words of many languages are meant to look the way they do
"""What people and programs leave below the message itself, as data: mobile signatures, closings, footers.

Like `rules`, every entry carries its reason; the code that applies them is in `signatures`.
"""

from __future__ import annotations

from webordinary.mail.rules import habit

# Enough by themselves: nobody begins a last line with these and means the web site.
SENT_FROM = (
    habit("sent from | sent wirelessly | sent on the go | sent from my", "English"),
    habit(
        "get outlook for | obtenir outlook pour | outlook für | obtener outlook para | download outlook",
        "Outlook mobile",
    ),
    habit("gesendet von | gesendet mit | von meinem iphone | von meinem ipad | von unterwegs gesendet", "German"),
    habit("envoyé de mon | envoyé depuis | envoyé à partir | envoyé avec", "French"),
    habit(
        "enviado desde | enviado do meu | enviado de mi | enviado a partir | enviado via | enviado con | enviat des",
        "es, pt, ca",
    ),
    habit("inviato da | inviato dal | inviata da", "Italian"),
    habit("verzonden vanaf | verstuurd vanaf | verzonden met | verstuurd met | verzonden via | verzonden van", "Dutch"),
    habit("skickat från | skickades från | sendt fra | sendt med | sendt via | lähetetty", "Scandinavian, Finnish"),
    habit("wysłane z | wysłano z | odesláno z | odoslané z | poslano z | poslano sa", "West and South Slavic"),
    habit("отправлено с | отправлено из | надіслано з | изпратено от", "East Slavic, Bulgarian"),
    habit("iphone'umdan gönderildi | gönderildi | elküldve | trimis de pe | στάλθηκε από", "tr, hu, ro, el"),
    habit("发自我的 | 發自我的 | 從我的 | 从我的 | 来自我的 | 傳送自 | 发送自", "Chinese"),
    habit("iphoneから送信 | ipadから送信 | androidから送信 | 나의 iphone에서 | 내 iphone에서", "Japanese, Korean"),
)

# Count only together with the name of a device or a mail program.
SENT_SOMEHOW = (
    habit(
        "sent via | sent with | sent by | sent using | sent through | from my | typed on my | written on my",
        "English",
    ),
    habit(
        "von meinem | diese nachricht wurde von | this message was sent from | ce message a été envoyé",
        "full sentences",
    ),
    habit("mit meinem | mailed from | posted from | message sent from | via", "others"),
)

DEVICES = habit(
    "iphone | ipad | ipod | android | galaxy | samsung | blackberry | htc | nokia | huawei | xiaomi | pixel"
    " | oneplus | mobile | mobil | móvil | celular | cell | phone | handy | tablet | smartphone | portable"
    " | téléphone | device | mobilgerät | outlook | yahoo | gmail | proton | protonmail | airmail | mailbox"
    " | k-9 | thunderbird | bluemail | spark | aqua | aquamail | windows | mac | macbook | watch | fairemail"
    " | superhuman | posteo | tutanota | hey | inbox | mailspring | nine",
    "what mails are written with",
)

APOLOGIES = habit(
    "excuse | typo | brevity | brief | forgive | pardon | spelling | autocorrect | tippfehler | kürze | fautes"
    " | errores",
    "a mobile signature may go on with these; any other second half makes it a sentence",
)

# Folded: no case, no accents.
CLOSINGS = (
    habit(
        "regards | best regards | kind regards | warm regards | warmest regards | many regards | with regards",
        "English",
    ),
    habit(
        "with best regards | with kind regards | best wishes | all the best | best | sincerely | yours sincerely",
        "English",
    ),
    habit(
        "yours | yours truly | yours faithfully | sincerely yours | respectfully | cordially | br | kr | rgds",
        "English",
    ),
    habit(
        "mit freundlichen grussen | mit freundlichem gruss | freundliche grusse | viele grusse | beste grusse",
        "German",
    ),
    habit(
        "liebe grusse | schone grusse | herzliche grusse | mit besten grussen | grusse | gruss | mfg | lg | vg | bg",
        "German",
    ),
    habit(
        "cordialement | bien cordialement | bien a vous | amicalement | salutations | sinceres salutations | cdlt",
        "French",
    ),
    habit(
        "saludos | un saludo | saludos cordiales | atentamente | un cordial saludo | un abrazo | salutacions",
        "Spanish",
    ),
    habit("cordiali saluti | saluti | distinti saluti | un saluto | cordialmente | a presto", "Italian"),
    habit("atenciosamente | att | abracos | cumprimentos | com os melhores cumprimentos | um abraco", "Portuguese"),
    habit(
        "met vriendelijke groet | met vriendelijke groeten | vriendelijke groet | groet | groeten | groetjes | mvg",
        "Dutch",
    ),
    habit(
        "med vanliga halsningar | med vanlig halsning | vanliga halsningar | vanligen | halsningar | halsning | mvh",
        "Swedish",
    ),
    habit(
        "med venlig hilsen | venlig hilsen | hilsen | kh | vh | med vennlig hilsen | vennlig hilsen | hilsener",
        "Danish, Norwegian",
    ),
    habit(
        "bedste hilsner | de bedste hilsner | mange hilsner | beste hilsen | kaerlig hilsen | dbh",
        "Danish, Norwegian",
    ),
    habit("ystavallisin terveisin | terveisin | parhain terveisin | yst terv | lugupidamisega", "Finnish, Estonian"),
    habit("pozdrawiam | z powazaniem | pozdrowienia | serdecznie pozdrawiam | z wyrazami szacunku", "Polish"),
    habit(
        "s pozdravem | s pozdravom | zdravim | hezky den | lijep pozdrav | lep pozdrav | srdacan pozdrav",
        "cs, sk, hr, sl",
    ),
    habit("с уважением | с наилучшими пожеланиями | з повагою | с поздрав | поздрави", "ru, uk, bg"),
    habit(
        "udvozlettel | tisztelettel | cu stima | saygılarımla | saygilarimla | με εκτιμηση | tran trong | salam",
        "hu, ro, tr, el, vi, id",
    ),
)

# A line that begins like this, near the end and after an empty line, begins a footer that no person wrote.
FOOTERS = (
    habit(
        "you received this message because you are subscribed | you are receiving this because",
        "Google Groups, GitHub",
    ),
    habit(
        "reply to this email directly | to unsubscribe from this | to unsubscribe,  | unsubscribe from this",
        "lists and trackers",
    ),
    habit(
        "this email has been checked for viruses | this email has been scanned | diese e-mail wurde von avast",
        "virus scanners",
    ),
    habit(
        "virus-free | virenfrei | garanti sans virus | libre de virus | no virus found in this message",
        "virus scanners",
    ),
    habit(
        "confidentiality notice | confidentiality: | disclaimer: | confidential: | legal notice:",
        "legal departments, English",
    ),
    habit(
        "this e-mail and any attachment | this email and any attachment | this message and any attachment",
        "legal departments",
    ),
    habit(
        "the information contained in this | the information in this e | this message is intended only",
        "legal departments",
    ),
    habit(
        "this message contains confidential | this email is confidential | this communication is confidential",
        "legal departments",
    ),
    habit(
        "diese e-mail enthält vertrauliche | diese nachricht enthält vertrauliche | ce message et  | este mensaje y ",
        "de, fr, es",
    ),
    habit(
        "please consider the environment | bitte denken sie an die umwelt | pensez à l'environnement",
        "the office printer",
    ),
    habit("-----begin pgp signature-----", "inline PGP"),
)

# After a line of dashes or the like, these words show a footer rather than a second section.
FOOTER_EVIDENCE = habit(
    "mailing list | mailman | listinfo | unsubscribe | http:// | https:// | www. | @ | tel: | tel. | phone"
    " | mobile: | mobil: | fax",
    "contact details and list addresses",
)

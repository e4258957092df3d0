# ruff: noqa: RUF001 - words of many languages are meant to look the way they do
"""What mail programs write around a person's words, as data: one entry per habit, with the reason beside it.

The code that applies these rules is in `attribution` and `lines`. To teach the parser another language or program,
add words here; all comparisons ignore case, and those of headers and markers ignore accents as well.
"""

from __future__ import annotations

from typing import NamedTuple


class Rule(NamedTuple):
    words: tuple[str, ...]
    reason: str


def habit(words: str, reason: str) -> Rule:
    """A rule from words that are separated by bars."""
    return Rule(tuple(word.strip(" ") for word in words.split("|")), reason)


# "On Monday, Anna wrote:" — the verb is what all these lines share.
WROTE = (
    habit("wrote | writes", "English, all programs; 'writes' is Usenet and mutt"),
    habit("schrieb | geschrieben | schreibt", "German"),
    habit("a écrit | a ecrit | écrivait | écrit", "French, Apple and Gmail write 'a écrit'"),
    habit("escribió | escribio | ha escrito | va escriure | escribiu", "Spanish, Catalan, Galician"),
    habit("ha scritto | scrisse | scrive", "Italian"),
    habit("escreveu | escreveram", "Portuguese"),
    habit("schreef | geschreven | het volgende geschreven | schreef het volgende", "Dutch and Afrikaans"),
    habit("skrev | skrev følgende | skrifaði", "Swedish, Norwegian, Danish, Icelandic"),
    habit("kirjoitti | kirjutas", "Finnish, Estonian"),
    habit("napisał | napisała | napisał(a) | pisze", "Polish, with the form for both genders"),
    habit("napsal | napsala | napsal(a) | napísal | napísal(a) | píše", "Czech and Slovak"),
    habit("написал | написала | написал(а) | пишет | писал | писал(а) | писала", "Russian"),
    habit("пише | написав | написала | написав(ла)", "Ukrainian"),
    habit("написа | је написао | је написао/ла", "Bulgarian and Serbian"),
    habit("napisao | napisala | napisao/la | je napisal | je napisal/-a", "Croatian and Slovenian"),
    habit("a scris | ha scris", "Romanian"),
    habit("írta | ezt írta | a következőt írta", "Hungarian"),
    habit("έγραψε", "Greek"),
    habit("yazdı | şunu yazdı | şunları yazdı", "Turkish"),
    habit("rašė | parašė | rakstīja", "Lithuanian, Latvian"),
    habit("đã viết | viết", "Vietnamese"),
    habit("menulis | menulis:", "Indonesian and Malay"),
    habit("כתב | כתבה | מאת", "Hebrew"),
    habit("كتب | كتبت | كتب ما يلي | نوشت | نوشته است | لکھا", "Arabic, Persian, Urdu"),
    habit("लिखा | ने लिखा | लिखा है | লিখেছেন | লিখেছে | எழுதினார் | எழுதியது | వ్రాసారు | రాశారు", "hi, bn, ta, te"),
    habit("aliandika | ameandika | shkroi | idatzi du | sumulat | isinulat", "Swahili, Albanian, Basque, Filipino"),
)

# Written without spaces, so no word boundary can be asked for.
WROTE_UNSPACED = (
    habit("写道 | 寫道 | 写到 | 來信 | 来信", "Chinese, simplified and traditional"),
    habit("書きました | のメール | からのメッセージ | 送信しました", "Japanese"),
    habit("작성 | 님이 작성 | 썼습니다 | 님의 말", "Korean"),
    habit("เขียนว่า", "Thai"),
)

# What such a line begins with, where it does not begin with a date or a name.
ATTRIBUTION_OPENINGS = (
    habit("on | at | in message | in article", "English; 'in message' is Usenet"),
    habit("am | um | den", "German"),
    habit("le | el | a la/s | il giorno | il | em | op | pe | no dia | a", "Romance languages and Dutch"),
    habit("den | på | kl | þann", "Scandinavian languages"),
    habit("dnia | w dniu | dne | dňa | dana", "West and South Slavic languages"),
    habit("в | на | от | у", "East and South Slavic languages"),
    habit("στις | la data de | la | vào | pada | tarihinde | ב- | בתאריך | في | در | در تاریخ", "others"),
    habit("el dia | kuupäev | mnamo | noong | dana | trên | vào lúc | pe data de", "ca, et, sw, fil, hr, vi, ro"),
    habit("在 | 於 | 于", "Chinese"),
)

# Programs that name the writer before the colon and use no verb.
QUOTING_OPENINGS = (
    habit("quoting | zitat von | citando | citando a | citerar | citat från | citát | selon", "Horde and Kolab"),
    habit("quoth | thus spake | according to", "Usenet readers"),
)

# A line of its own that says: what follows is the earlier mail.
ORIGINAL_MARKERS = (
    habit("original message | original email | original mail | original appointment", "Outlook, English"),
    habit("reply message | reply separator | previous message | replied message", "lesser webmail"),
    habit("ursprüngliche nachricht | originalnachricht | original-nachricht | originalmeldung", "German"),
    habit("message d'origine | message original | message initial | message d’origine | mail original", "French"),
    habit("mensaje original | missatge original | mensaxe orixinal", "Spanish, Catalan, Galician"),
    habit("messaggio originale | messaggio originario", "Italian"),
    habit("mensagem original", "Portuguese"),
    habit("oorspronkelijk bericht | oorspronkelijke bericht | origineel bericht", "Dutch"),
    habit(
        "ursprungligt meddelande | originalmeddelande | opprinnelig melding | oprindelig meddelelse",
        "Scandinavian",
    ),
    habit("original meddelelse | oprindelig besked | opprinnelig e-post | alkuperäinen viesti", "Danish, Finnish"),
    habit("wiadomość oryginalna | oryginalna wiadomość | wiadomość pierwotna", "Polish"),
    habit(
        "původní zpráva | pôvodná správa | izvorna poruka | izvorno sporočilo",
        "Czech, Slovak, Croatian, Slovenian",
    ),
    habit("исходное сообщение | оригинальное сообщение | первоначальное сообщение", "Russian"),
    habit("вихідне повідомлення | оригінальне повідомлення | оригинално съобщение", "Ukrainian, Bulgarian"),
    habit("eredeti üzenet | mesaj original | αρχικό μήνυμα | orijinal mesaj | özgün ileti", "hu, ro, el, tr"),
    habit("原始邮件 | 原始郵件 | 邮件原件 | 原邮件 | 回复的原邮件", "Chinese"),
    habit("元のメッセージ | original message 元 | 원본 메시지 | 원본 메일 | thư gốc | pesan asli", "ja, ko, vi, id"),
)

# Help desks draw a line; what is below it is theirs. Such a line says both: to answer, and above what.
REPLY_WORDS = (
    habit(
        "reply | respond | type your | write your | write above | please type | your response | answer above",
        "en",
    ),
    habit(
        "antwort | antworten | schreiben sie | répond | réponse | écrire | écrivez | responda | responder",
        "de, fr, es",
    ),
    habit(
        "respuesta | escriba | rispond | risposta | scriv | resposta | escreva | antwoord | reageer | typ uw",
        "es, it, pt, nl",
    ),
    habit("svar | skriv | odpowied | odpowiedz | ответ | ответьте | 返信 | 回复 | 回覆 | 회신 | vastaa", "others"),
)
ABOVE_WORDS = (
    habit("above this line | above the line | above this text | above this email | your reply above", "English"),
    habit("über diese zeile | über dieser zeile | oberhalb dieser | über dieser linie | über diese linie", "German"),
    habit(
        "au-dessus de cette ligne | au dessus de cette ligne | encima de esta línea | arriba de esta línea",
        "fr, es",
    ),
    habit("por encima de esta línea | sopra questa riga | sopra questa linea | acima desta linha", "es, it, pt"),
    habit(
        "boven deze lijn | boven deze regel | ovanför denna rad | ovanför den här raden | over denne linje",
        "nl, sv, da",
    ),
    habit(
        "nad tą linią | powyżej tej linii | выше этой строки | выше этой линии | この線より上 | この行より上",
        "pl, ru, ja",
    ),
    habit("在此行上方 | 在此线以上 | 이 줄 위 | tämän rivin yläpuolelle", "zh, ko, fi"),
)

# As the original markers, but the earlier mail is what the sender wants to show.
FORWARD_MARKERS = (
    habit("forwarded message | forwarded email | forwarded mail | forwarded by | forward message", "English"),
    habit("begin forwarded message | start of forwarded message", "Apple Mail, English"),
    habit("weitergeleitete nachricht | anfang der weitergeleiteten nachricht | weitergeleitete mail", "German"),
    habit(
        "message transféré | début du message transféré | message réexpédié | début du message réexpédié",
        "French",
    ),
    habit("mensaje reenviado | inicio del mensaje reenviado | missatge reenviat", "Spanish, Catalan"),
    habit("messaggio inoltrato | inizio messaggio inoltrato | inizio del messaggio inoltrato", "Italian"),
    habit("mensagem encaminhada | mensagem reencaminhada | início da mensagem encaminhada", "Portuguese"),
    habit("doorgestuurd bericht | begin doorgestuurd bericht | doorgezonden bericht", "Dutch"),
    habit(
        "vidarebefordrat meddelande | vidarebefordrat brev | videresendt melding | videresendt meddelelse",
        "Scandinavian",
    ),
    habit("videresendt besked | välitetty viesti | edelleenlähetetty viesti", "Danish, Finnish"),
    habit("przekazana wiadomość | wiadomość przekazana | treść przekazanej wiadomości | přeposlaná zpráva", "pl, cs"),
    habit("preposlaná správa | proslijeđena poruka | posredovano sporočilo | továbbított üzenet", "sk, hr, sl, hu"),
    habit(
        "пересылаемое сообщение | пересланное сообщение | переслане повідомлення | начало переадресованного сообщения",
        "ru, uk",
    ),
    habit("mesaj redirecționat | προωθημένο μήνυμα | iletilen ileti | yönlendirilen mesaj", "ro, el, tr"),
    habit("转发的邮件 | 轉寄的郵件 | 转发邮件信息 | 開始轉寄郵件 | 開始轉寄訊息 | 转发邮件", "Chinese"),
    habit("転送されたメッセージ | 転送メッセージ | 전달된 메시지 | 전달된 메일 | thư chuyển tiếp", "ja, ko, vi"),
)

# Names of the fields in the block that Outlook and others put above the earlier mail.
HEADER_FIELDS: dict[str, Rule] = {
    "from": habit(
        "from | von | de | da | van | från | fra | lähettäjä | od | от | від | feladó | din | de la | από"
        " | kimden | gönderen | 发件人 | 寄件者 | 寄件人 | 差出人"
        " | 送信者 | 보낸사람 | 보낸 사람 | 발신 | từ | dari | desde"
        " | expéditeur | מאת | من | از | प्रेषक | से | द्वारा | থেকে | প্রেরক | அனுப்புநர் | จาก | saatja | nuo | no"
        " | mittente | remitent | kutoka | daripada | šalje | nga",
        "who wrote it",
    ),
    "date": habit(
        "sent | date | gesendet | datum | envoyé | enviado | enviado el | enviada em | enviado em | fecha"
        " | inviato | data | verzonden | skickat | sendt | dato | lähetetty | päivämäärä | päiväys | wysłano"
        " | wysłane | odesláno | odoslané | poslano | дата | отправлено | дата отправки | надіслано | изпратено"
        " | elküldve | dátum | trimis | στάλθηκε"
        " | gönderildi | tarih | gönderme tarihi | 发送时间 | 寄件日期 | 傳送日期"
        " | 日期 | 日時 | 送信日時 | 送信日 | 보낸날짜 | 보낸 날짜"
        " | 날짜 | đã gửi | ngày | dikirim | tanggal | sent at | date sent | sent on | נשלח | תאריך | تاريخ الإرسال"
        " | أرسلت | تم الإرسال | التاريخ | تاریخ | ارسال شده | ارسال | भेजा गया | भेजा | दिनांक | तारीख | পাঠানো হয়েছে"
        " | তারিখ | அனுப்பியது | தேதி | ส่งเมื่อ | ส่ง | วันที่ | enviat | data d'enviament | saadetud | kuupäev"
        " | nosūtīts | išsiųsta | imetumwa | tarehe | dihantar | tarikh | дата відправлення | 작성일 | 発信日時",
        "when it was sent",
    ),
    "to": habit(
        "to | an | à | a | para | per | aan | till | til | vastaanottaja | do | komu | pro | кому | címzett"
        " | către | προς | kime | alıcı | 收件人 | 收件者"
        " | 宛先 | 받는사람 | 받는 사람 | 수신 | đến | tới | kepada | za"
        " | destinataire | до | אל | إلى | الى | به | به: | प्रति | को | সেবায় | প্রতি | பெறுநர் | ถึง | saaja | kam | kwa"
        " | destinatari | destinatario | per a | prima | kam:",
        "whom it was sent to",
    ),
    "copy": habit(
        "cc | kopie | copie | copia | kopia | kopi | kopio | dw | копия | копія | másolat | bilgi | 抄送 | 副本"
        " | 참조 | bcc | cc : | עותק | نسخة | نسخة إلى | رونوشت | प्रतिलिपि | สำเนา | sao chép | tembusan | còpia",
        "who had a copy",
    ),
    "subject": habit(
        "subject | betreff | objet | asunto | assunto | oggetto | onderwerp | ämne | emne | aihe | temat"
        " | předmět | predmet | тема | относно | tárgy | subiect | θέμα | konu | 主题 | 主旨 | 主題 | 件名 | 제목"
        " | chủ đề | tiêu đề | subjek | sujet | assumpte | נושא | הנדון | الموضوع | موضوع | विषय | বিষয় | பொருள்"
        " | เรื่อง | หัวเรื่อง | teema | temats | tema | mada | perihal | naslov | titre",
        "what it was about",
    ),
    "other": habit(
        "reply-to | reply to | antwort an | répondre à | responder a | rispondi a | risposta | antwoord aan"
        " | svar till | attachments | anlagen | importance | priority | wichtigkeit | organization | newsgroups"
        " | in-reply-to | message-id | responder para | pièces jointes | bijlagen | allegati | bilagor"
        " | załączniki | вложения | 附件 | 添付ファイル",
        "further fields that only count beside the others",
    ),
}

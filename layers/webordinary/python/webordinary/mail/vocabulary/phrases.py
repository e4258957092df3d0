# ruff: noqa: RUF001 - words of many languages are meant to look the way they do
"""What mail programs write around a person's words, as data: one entry per language or program, with a reason.

Room `lines` applies these phrases. To support another language or program, add words here. All comparisons ignore case;
those of headers and markers ignore accents too.
"""

from __future__ import annotations

from typing import NamedTuple


class Phrases(NamedTuple):
    words: tuple[str, ...]
    reason: str


def phrases(words: str, reason: str) -> Phrases:
    """Builds a group from phrases that are separated by bars."""
    return Phrases(tuple(word.strip(" ") for word in words.split("|")), reason)


# The verb of an attribution: "On Monday, Anna wrote:".
WROTE = (
    phrases("wrote | writes", "English, all programs; 'writes' is Usenet and mutt"),
    phrases("schrieb | geschrieben | schreibt", "German"),
    phrases("a écrit | a ecrit | écrivait | écrit", "French, Apple and Gmail write 'a écrit'"),
    phrases("escribió | escribio | ha escrito | va escriure | escribiu", "Spanish, Catalan, Galician"),
    phrases("ha scritto | scrisse | scrive", "Italian"),
    phrases("escreveu | escreveram", "Portuguese"),
    phrases("schreef | geschreven | het volgende geschreven | schreef het volgende", "Dutch and Afrikaans"),
    phrases("skrev | skrev følgende | skrifaði", "Swedish, Norwegian, Danish, Icelandic"),
    phrases("kirjoitti | kirjutas", "Finnish, Estonian"),
    phrases("napisał | napisała | napisał(a) | pisze", "Polish, with the form for both genders"),
    phrases("napsal | napsala | napsal(a) | napísal | napísal(a) | píše", "Czech and Slovak"),
    phrases("написал | написала | написал(а) | пишет | писал | писал(а) | писала", "Russian"),
    phrases("пише | написав | написала | написав(ла)", "Ukrainian"),
    phrases("написа | је написао | је написао/ла", "Bulgarian and Serbian"),
    phrases("napisao | napisala | napisao/la | je napisal | je napisal/-a", "Croatian and Slovenian"),
    phrases("a scris | ha scris", "Romanian"),
    phrases("írta | ezt írta | a következőt írta", "Hungarian"),
    phrases("έγραψε", "Greek"),
    phrases("yazdı | şunu yazdı | şunları yazdı", "Turkish"),
    phrases("rašė | parašė | rakstīja", "Lithuanian, Latvian"),
    phrases("đã viết | viết", "Vietnamese"),
    phrases("menulis | menulis:", "Indonesian and Malay"),
    phrases("כתב | כתבה | מאת", "Hebrew"),
    phrases("كتب | كتبت | كتب ما يلي | نوشت | نوشته است | لکھا", "Arabic, Persian, Urdu"),
    phrases("लिखा | ने लिखा | लिखा है | লিখেছেন | লিখেছে | எழுதினார் | எழுதியது | వ్రాసారు | రాశారు", "hi, bn, ta, te"),
    phrases("aliandika | ameandika | shkroi | idatzi du | sumulat | isinulat", "Swahili, Albanian, Basque, Filipino"),
)

# The same in scripts without spaces, where no word boundary can be required.
WROTE_UNSPACED = (
    phrases("写道 | 寫道 | 写到 | 來信 | 来信", "Chinese, simplified and traditional"),
    phrases("書きました | のメール | からのメッセージ | 送信しました", "Japanese"),
    phrases("작성 | 님이 작성 | 썼습니다 | 님의 말", "Korean"),
    phrases("เขียนว่า", "Thai"),
)

# How an attribution begins, if not with a date or a name.
ATTRIBUTION_OPENINGS = (
    phrases("on | at | in message | in article", "English; 'in message' is Usenet"),
    phrases("am | um | den", "German"),
    phrases("le | el | a la/s | il giorno | il | em | op | pe | no dia | a", "Romance languages and Dutch"),
    phrases("den | på | kl | þann", "Scandinavian languages"),
    phrases("dnia | w dniu | dne | dňa | dana", "West and South Slavic languages"),
    phrases("в | на | от | у", "East and South Slavic languages"),
    phrases("στις | la data de | la | vào | pada | tarihinde | ב- | בתאריך | في | در | در تاریخ", "others"),
    phrases("el dia | kuupäev | mnamo | noong | dana | trên | vào lúc | pe data de", "ca, et, sw, fil, hr, vi, ro"),
    phrases("在 | 於 | 于", "Chinese"),
)

# Attributions without a verb.
QUOTING_OPENINGS = (
    phrases("quoting | zitat von | citando | citando a | citerar | citat från | citát | selon", "Horde and Kolab"),
    phrases("quoth | thus spake | according to", "Usenet readers"),
)

# A marker on a separate line above the earlier mail.
ORIGINAL_MARKERS = (
    phrases("original message | original email | original mail | original appointment", "Outlook, English"),
    phrases("reply message | reply separator | previous message | replied message", "small webmail programs"),
    phrases("ursprüngliche nachricht | originalnachricht | original-nachricht | originalmeldung", "German"),
    phrases("message d'origine | message original | message initial | message d’origine | mail original", "French"),
    phrases("mensaje original | missatge original | mensaxe orixinal", "Spanish, Catalan, Galician"),
    phrases("messaggio originale | messaggio originario", "Italian"),
    phrases("mensagem original", "Portuguese"),
    phrases("oorspronkelijk bericht | oorspronkelijke bericht | origineel bericht", "Dutch"),
    phrases(
        "ursprungligt meddelande | originalmeddelande | opprinnelig melding | oprindelig meddelelse",
        "Scandinavian",
    ),
    phrases("original meddelelse | oprindelig besked | opprinnelig e-post | alkuperäinen viesti", "Danish, Finnish"),
    phrases("wiadomość oryginalna | oryginalna wiadomość | wiadomość pierwotna", "Polish"),
    phrases(
        "původní zpráva | pôvodná správa | izvorna poruka | izvorno sporočilo",
        "Czech, Slovak, Croatian, Slovenian",
    ),
    phrases("исходное сообщение | оригинальное сообщение | первоначальное сообщение", "Russian"),
    phrases("вихідне повідомлення | оригінальне повідомлення | оригинално съобщение", "Ukrainian, Bulgarian"),
    phrases("eredeti üzenet | mesaj original | αρχικό μήνυμα | orijinal mesaj | özgün ileti", "hu, ro, el, tr"),
    phrases("原始邮件 | 原始郵件 | 邮件原件 | 原邮件 | 回复的原邮件", "Chinese"),
    phrases("元のメッセージ | original message 元 | 원본 메시지 | 원본 메일 | thư gốc | pesan asli", "ja, ko, vi, id"),
)

# Help desks put a line like "Reply above this line" above their text. It has a phrase of each of the next two groups.
REPLY_WORDS = (
    phrases(
        "reply | respond | type your | write your | write above | please type | your response | answer above",
        "en",
    ),
    phrases(
        "antwort | antworten | schreiben sie | répond | réponse | écrire | écrivez | responda | responder",
        "de, fr, es",
    ),
    phrases(
        "respuesta | escriba | rispond | risposta | scriv | resposta | escreva | antwoord | reageer | typ uw",
        "es, it, pt, nl",
    ),
    phrases("svar | skriv | odpowied | odpowiedz | ответ | ответьте | 返信 | 回复 | 回覆 | 회신 | vastaa", "others"),
)
ABOVE_WORDS = (
    phrases("above this line | above the line | above this text | above this email | your reply above", "English"),
    phrases("über diese zeile | über dieser zeile | oberhalb dieser | über dieser linie | über diese linie", "German"),
    phrases(
        "au-dessus de cette ligne | au dessus de cette ligne | encima de esta línea | arriba de esta línea",
        "fr, es",
    ),
    phrases("por encima de esta línea | sopra questa riga | sopra questa linea | acima desta linha", "es, it, pt"),
    phrases(
        "boven deze lijn | boven deze regel | ovanför denna rad | ovanför den här raden | over denne linje",
        "nl, sv, da",
    ),
    phrases(
        "nad tą linią | powyżej tej linii | выше этой строки | выше этой линии | この線より上 | この行より上",
        "pl, ru, ja",
    ),
    phrases("在此行上方 | 在此线以上 | 이 줄 위 | tämän rivin yläpuolelle", "zh, ko, fi"),
)

# The same above a mail that the sender forwards on purpose.
FORWARD_MARKERS = (
    phrases("forwarded message | forwarded email | forwarded mail | forwarded by | forward message", "English"),
    phrases("begin forwarded message | start of forwarded message", "Apple Mail, English"),
    phrases("weitergeleitete nachricht | anfang der weitergeleiteten nachricht | weitergeleitete mail", "German"),
    phrases(
        "message transféré | début du message transféré | message réexpédié | début du message réexpédié",
        "French",
    ),
    phrases("mensaje reenviado | inicio del mensaje reenviado | missatge reenviat", "Spanish, Catalan"),
    phrases("messaggio inoltrato | inizio messaggio inoltrato | inizio del messaggio inoltrato", "Italian"),
    phrases("mensagem encaminhada | mensagem reencaminhada | início da mensagem encaminhada", "Portuguese"),
    phrases("doorgestuurd bericht | begin doorgestuurd bericht | doorgezonden bericht", "Dutch"),
    phrases(
        "vidarebefordrat meddelande | vidarebefordrat brev | videresendt melding | videresendt meddelelse",
        "Scandinavian",
    ),
    phrases("videresendt besked | välitetty viesti | edelleenlähetetty viesti", "Danish, Finnish"),
    phrases("przekazana wiadomość | wiadomość przekazana | treść przekazanej wiadomości | přeposlaná zpráva", "pl, cs"),
    phrases("preposlaná správa | proslijeđena poruka | posredovano sporočilo | továbbított üzenet", "sk, hr, sl, hu"),
    phrases(
        "пересылаемое сообщение | пересланное сообщение | переслане повідомлення | начало переадресованного сообщения",
        "ru, uk",
    ),
    phrases("mesaj redirecționat | προωθημένο μήνυμα | iletilen ileti | yönlendirilen mesaj", "ro, el, tr"),
    phrases("转发的邮件 | 轉寄的郵件 | 转发邮件信息 | 開始轉寄郵件 | 開始轉寄訊息 | 转发邮件", "Chinese"),
    phrases("転送されたメッセージ | 転送メッセージ | 전달된 메시지 | 전달된 메일 | thư chuyển tiếp", "ja, ko, vi"),
)

# Field names in the header block that Outlook and others put above the earlier mail.
HEADER_FIELDS: dict[str, Phrases] = {
    "from": phrases(
        "from | von | de | da | van | från | fra | lähettäjä | od | от | від | feladó | din | de la | από"
        " | kimden | gönderen | 发件人 | 寄件者 | 寄件人 | 差出人"
        " | 送信者 | 보낸사람 | 보낸 사람 | 발신 | từ | dari | desde"
        " | expéditeur | מאת | من | از | प्रेषक | से | द्वारा | থেকে | প্রেরক | அனுப்புநர் | จาก | saatja | nuo | no"
        " | mittente | remitent | kutoka | daripada | šalje | nga",
        "sender",
    ),
    "date": phrases(
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
        "date",
    ),
    "to": phrases(
        "to | an | à | a | para | per | aan | till | til | vastaanottaja | do | komu | pro | кому | címzett"
        " | către | προς | kime | alıcı | 收件人 | 收件者"
        " | 宛先 | 받는사람 | 받는 사람 | 수신 | đến | tới | kepada | za"
        " | destinataire | до | אל | إلى | الى | به | به: | प्रति | को | সেবায় | প্রতি | பெறுநர் | ถึง | saaja | kam | kwa"
        " | destinatari | destinatario | per a | prima | kam:",
        "recipients",
    ),
    "copy": phrases(
        "cc | kopie | copie | copia | kopia | kopi | kopio | dw | копия | копія | másolat | bilgi | 抄送 | 副本"
        " | 참조 | bcc | cc : | עותק | نسخة | نسخة إلى | رونوشت | प्रतिलिपि | สำเนา | sao chép | tembusan | còpia",
        "copies",
    ),
    "subject": phrases(
        "subject | betreff | objet | asunto | assunto | oggetto | onderwerp | ämne | emne | aihe | temat"
        " | předmět | predmet | тема | относно | tárgy | subiect | θέμα | konu | 主题 | 主旨 | 主題 | 件名 | 제목"
        " | chủ đề | tiêu đề | subjek | sujet | assumpte | נושא | הנדון | الموضوع | موضوع | विषय | বিষয় | பொருள்"
        " | เรื่อง | หัวเรื่อง | teema | temats | tema | mada | perihal | naslov | titre",
        "subject",
    ),
    "other": phrases(
        "reply-to | reply to | antwort an | répondre à | responder a | rispondi a | risposta | antwoord aan"
        " | svar till | attachments | anlagen | importance | priority | wichtigkeit | organization | newsgroups"
        " | in-reply-to | message-id | responder para | pièces jointes | bijlagen | allegati | bilagor"
        " | załączniki | вложения | 附件 | 添付ファイル",
        "further fields, which count only together with the others",
    ),
}

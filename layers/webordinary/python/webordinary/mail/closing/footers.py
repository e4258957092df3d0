"""What lists, virus scanners and legal departments add below a message, as data with the reason beside it.

The code that applies these is in `signatures`.
"""

from __future__ import annotations

from webordinary.mail.vocabulary.phrases import habit

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
        "this email has been checked for viruses | this email has been scanned | diese e-mail wurde von avast"
        " | diese e-mail wurde auf viren | virenfrei.www | virus-free.www | no virus found in this message"
        " | cet e-mail a été vérifié | el software de antivirus avast | questa e-mail è stata controllata",
        "virus scanners",
    ),
    habit("virus-free. | virenfrei. | garanti sans virus. | libre de virus. | privo di virus.", "Avast, one line"),
    habit(
        "please consider the environment before | bitte denken sie an die umwelt, bevor"
        " | bitte prüfen sie, ob diese mail | pensez à l'environnement avant",
        "the office printer",
    ),
    habit("-----begin pgp signature-----", "inline PGP"),
)

# A paragraph that begins like this is a disclaimer if it also holds one of the words below.
DISCLAIMERS = (
    habit(
        "confidentiality notice | confidentiality: | disclaimer | confidential: | legal notice | privileged and"
        " | this e-mail | this email | this message | this communication | this transmission | this mail"
        " | the information contained in | the information in this | the contents of this | the content of this"
        " | if you are not the intended | if you have received this | any views or opinions",
        "English",
    ),
    habit(
        "diese e-mail | diese mail | diese nachricht | der inhalt dieser | die in dieser | vertraulichkeitshinweis"
        " | die information in dieser | die informationen in dieser | wichtiger hinweis | rechtlicher hinweis"
        " | hinweis: diese | haftungsausschluss | sollten sie nicht der | falls sie nicht der | wenn sie nicht der",
        "German",
    ),
    habit(
        "ce message | ce courriel | cet e-mail | les informations contenues | le contenu de ce | avertissement"
        " | este mensaje | este correo | la información contenida | aviso legal | aviso de confidencialidad"
        " | questo messaggio | questa e-mail | le informazioni contenute | avviso di riservatezza"
        " | esta mensagem | este e-mail | as informações contidas | dit bericht | deze e-mail | de informatie in",
        "fr, es, it, pt, nl",
    ),
    habit(
        "detta meddelande | denne e-mail | denne meddelelse | ta wiadomość | niniejsza wiadomość | tato zpráva",
        "sv, da, pl, cs",
    ),
)
# Enough alone in a text without headers.
LEGAL_OPENINGS = (
    habit("confidentiality notice | confidentiality: | disclaimer: | confidential: | legal notice:", "English"),
    habit(
        "this e-mail and any attachment | this email and any attachment | this message and any attachment", "English"
    ),
    habit("the information contained in this | the information in this e | this message is intended only", "English"),
    habit("this message contains confidential | this email is confidential | this communication is", "English"),
    habit("diese e-mail enthält | diese nachricht enthält | ce message et  | este mensaje y ", "de, fr, es"),
)
DISCLAIMER_WORDS = (
    habit("confidential | privileged | intended recipient | intended only | intended solely | addressee", "English"),
    habit(
        "unauthorised | unauthorized | received this | notify the sender | for its reader | named above",
        "English",
    ),
    habit("vertraulich | adressat | empfänger bestimmt | rechtlich geschützt | irrtümlich | unbefugt", "German"),
    habit(
        "confidentiel | destinataire | confidencial | destinatario | riservat | confidenzial | destinatário",
        "fr, es, it, pt",
    ),
    habit("vertrouwelijk | geadresseerde | konfidentiell | fortrolig | poufn | důvěrn", "nl, sv, da, pl, cs"),
)

# After a line of dashes or the like, these words show a footer rather than a second section.
FOOTER_EVIDENCE = habit(
    "mailing list | mailman | listinfo | unsubscribe | http:// | https:// | www. | @ | tel: | tel. | phone"
    " | mobile: | mobil: | fax",
    "contact details and list addresses",
)
LIST_EVIDENCE = habit("mailing list | mailman | listinfo | unsubscribe | google groups", "only lists write these")

# A sentence that ends in one of these goes on in the next line, whatever that looks like.
LEADING_WORDS = habit(
    "to | as | with | by | is | are | be | reads | read | says | say | called | into | than | named | auf | in | mit"
    " | als | zu | lautet | lauten | heißt | heißen | ist | durch | werden | par | en | comme | est | sont | por | con"
    " | como | es | a | per | è | come | met | naar | door | worden | till | med | som | til | na | jako | на | как",
    "prepositions and verbs that want an object, in the languages that put them before it",
)

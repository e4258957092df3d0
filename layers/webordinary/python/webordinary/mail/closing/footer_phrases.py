"""Footers of mailing lists, virus scanners and legal departments, as data. `signatures` applies them."""

from __future__ import annotations

from webordinary.mail.vocabulary.phrases import phrases

# Beginnings of an automatic footer, near the end and after an empty line.
FOOTERS = (
    phrases(
        "you received this message because you are subscribed | you are receiving this because",
        "Google Groups, GitHub",
    ),
    phrases(
        "reply to this email directly | to unsubscribe from this | to unsubscribe,  | unsubscribe from this",
        "lists and trackers",
    ),
    phrases(
        "this email has been checked for viruses | this email has been scanned | diese e-mail wurde von avast"
        " | diese e-mail wurde auf viren | virenfrei.www | virus-free.www | no virus found in this message"
        " | cet e-mail a été vérifié | el software de antivirus avast | questa e-mail è stata controllata",
        "virus scanners",
    ),
    phrases("virus-free. | virenfrei. | garanti sans virus. | libre de virus. | privo di virus.", "Avast, one line"),
    phrases(
        "please consider the environment before | bitte denken sie an die umwelt, bevor"
        " | denken sie an die umwelt, bevor | bitte prüfen sie, ob diese mail"
        " | bitte prüfen sie der umwelt zuliebe | der umwelt zuliebe: bitte"
        " | pensez à l'environnement avant | n'imprimez ce m | antes de imprimir este | prima di stampare questa"
        " | denk aan het milieu voor | zanim wydrukujesz",
        "printing notices",
    ),
    phrases("-----begin pgp signature-----", "inline PGP"),
)

# Beginnings of a disclaimer, if the paragraph also has one of DISCLAIMER_WORDS.
DISCLAIMERS = (
    phrases(
        "confidentiality notice | confidentiality: | disclaimer | confidential: | legal notice | privileged and"
        " | this e-mail | this email | this message | this communication | this transmission | this mail"
        " | the information contained in | the information in this | the contents of this | the content of this"
        " | if you are not the intended | if you have received this | any views or opinions",
        "English",
    ),
    phrases(
        "diese e-mail | diese mail | diese nachricht | der inhalt dieser | die in dieser | vertraulichkeitshinweis"
        " | die information in dieser | die informationen in dieser | wichtiger hinweis | rechtlicher hinweis"
        " | hinweis: diese | haftungsausschluss | sollten sie nicht der | falls sie nicht der | wenn sie nicht der",
        "German",
    ),
    phrases(
        "ce message | ce courriel | cet e-mail | les informations contenues | le contenu de ce | avertissement"
        " | este mensaje | este correo | la información contenida | aviso legal | aviso de confidencialidad"
        " | questo messaggio | questa e-mail | le informazioni contenute | avviso di riservatezza"
        " | esta mensagem | este e-mail | as informações contidas | dit bericht | deze e-mail | de informatie in",
        "fr, es, it, pt, nl",
    ),
    phrases(
        "detta meddelande | denne e-mail | denne meddelelse | ta wiadomość | niniejsza wiadomość | tato zpráva",
        "sv, da, pl, cs",
    ),
)
# Sufficient alone in a text without headers.
LEGAL_OPENINGS = (
    phrases("confidentiality notice | confidentiality: | disclaimer: | confidential: | legal notice:", "English"),
    phrases(
        "this e-mail and any attachment | this email and any attachment | this message and any attachment", "English"
    ),
    phrases("the information contained in this | the information in this e | this message is intended only", "English"),
    phrases("this message contains confidential | this email is confidential | this communication is", "English"),
    phrases("diese e-mail enthält | diese nachricht enthält | ce message et  | este mensaje y ", "de, fr, es"),
)
DISCLAIMER_WORDS = (
    phrases("confidential | privileged | intended recipient | intended only | intended solely | addressee", "English"),
    phrases(
        "unauthorised | unauthorized | received this | notify the sender | for its reader | named above",
        "English",
    ),
    phrases("vertraulich | adressat | empfänger bestimmt | rechtlich geschützt | irrtümlich | unbefugt", "German"),
    phrases(
        "confidentiel | destinataire | confidencial | destinatario | riservat | confidenzial | destinatário",
        "fr, es, it, pt",
    ),
    phrases("vertrouwelijk | geadresseerde | konfidentiell | fortrolig | poufn | důvěrn", "nl, sv, da, pl, cs"),
)

# After a separator line, these words indicate a footer rather than a second section.
FOOTER_EVIDENCE = phrases(
    "mailing list | mailman | listinfo | unsubscribe | http:// | https:// | www. | @ | tel: | tel. | phone"
    " | mobile: | mobil: | fax",
    "contact details and list addresses",
)
LIST_EVIDENCE = phrases("mailing list | mailman | listinfo | unsubscribe | google groups", "used only by lists")

# A line that ends in one of these words continues in the next line.
CONTINUATION_WORDS = phrases(
    "to | as | with | by | is | are | be | reads | read | says | say | called | into | than | named | auf | in | mit"
    " | als | zu | lautet | lauten | heißt | heißen | ist | durch | werden | par | en | comme | est | sont | por | con"
    " | como | es | a | per | è | come | met | naar | door | worden | till | med | som | til | na | jako | на | как",
    "prepositions and verbs that precede their object",
)

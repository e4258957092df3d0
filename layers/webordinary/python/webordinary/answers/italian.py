"""Sentences in Italian."""

from __future__ import annotations

from webordinary.answers.language import Language, Plural
from webordinary.contract.outcomes import AttachmentProblem, Command, Failure, RefusalReason, Result, RiskKind

LANGUAGE = Language(
    code="it",
    date="{day} {month} {year}, {time} UTC",
    months="gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    results={
        Result.CHANGED: "«{subject}»: fatto.",
        Result.PARTLY_CHANGED: "«{subject}»: fatto in parte.",
        Result.ASKED: "Prima di cambiare qualcosa, ho una domanda.",
        Result.NOTHING_CHANGED: "Non c’era nulla da cambiare.",
        Result.UNDONE: "«{subject}» è stato annullato.",
        Result.NOTHING_TO_UNDO: "In questa conversazione non c’è nulla da annullare.",
        Result.BUILT: "Il sito è stato generato e la sua anteprima è aggiornata.",
        Result.COMMITTED: "Le modifiche sono state salvate.",
        Result.NOTHING_TO_COMMIT: "Non c’era nulla da salvare.",
        Result.PUSHED: "Il branch di questa conversazione è stato inviato.",
        Result.STATUS: Plural(
            none="In questa conversazione non è stato ancora modificato nulla.",
            one="In questa conversazione è stata fatta una modifica.",
            more="In questa conversazione sono state fatte {changes} modifiche.",
        ),
        Result.HELP: (
            "Scriva semplicemente, con parole sue, che cosa vuole cambiare sul suo sito e alleghi le immagini o i "
            "documenti che servono. Per continuare, risponda nella stessa conversazione. Una mail con scritto solo "
            "«ripristina» annulla l’ultima modifica della conversazione, «stato» dice a che punto è il lavoro, «ferma» "
            "lo interrompe, «pubblica» mette le modifiche online e «depubblica» toglie le ultime."
        ),
        Result.PUBLISHED: "«{subject}» ora è online.",
        Result.ALREADY_LIVE: "Tutto ciò che viene da questa conversazione è già online.",
        Result.NOTHING_TO_PUBLISH: "In questa conversazione non c’è nulla da pubblicare.",
        Result.PREVIEW_CHANGED: (
            "L’anteprima è cambiata da quando l’ha vista l’ultima volta, quindi non ho ancora pubblicato nulla. La "
            "guardi e risponda di nuovo «pubblica» se va bene."
        ),
        Result.PUBLISH_ASKED: (
            "Ho chiesto a chi può pubblicare se «{subject}» può andare online. Ci andrà non appena qualcuno dirà di sì."
        ),
        Result.PUBLISH_ASKED_AGAIN: (
            "La mia domanda non corrisponde a ciò che andrebbe online, quindi non vale più e non è stato pubblicato "
            "nulla. Ecco com’è adesso:"
        ),
        Result.UNPUBLISHED: (
            "Ho tolto l’ultima modifica dal sito online, che ora mostra di nuovo la versione precedente."
        ),
        Result.UNPUBLISHED_FOR_NOW: (
            "Il sito online mostra di nuovo la versione precedente. Alcune modifiche successive si basano su ciò che è "
            "stato tolto, quindi tornerà con la prossima pubblicazione, a meno che non venga cambiato prima."
        ),
        Result.NOTHING_TO_UNPUBLISH: "Non c’è una versione precedente del sito online a cui tornare.",
        Result.NOTHING_TO_STOP: "Al momento non c’è nulla in corso per lei, quindi non c’era nulla da fermare.",
        Result.STOPPED: Plural(
            one="Ciò che era già finito viene conservato. Ho smesso di lavorare a questo:",
            more="Ciò che era già finito viene conservato. Ho smesso di lavorare a queste {changes} richieste:",
        ),
    },
    named_results={
        Result.UNPUBLISHED: "«{subject}» non è più online. Il sito mostra di nuovo la versione precedente.",
        Result.UNPUBLISHED_FOR_NOW: (
            "«{subject}» non è più online. Il sito mostra di nuovo la versione precedente. Alcune modifiche "
            "successive si basano su questo, quindi tornerà con la prossima pubblicazione, a meno che non venga "
            "cambiato prima."
        ),
    },
    failures={
        Failure.AGENT_FAILED: "Ho cominciato, ma poi qualcosa è andato storto. Sul suo sito non è cambiato nulla.",
        Failure.AGENT_REFUSED: "Non ho potuto farlo, quindi non è stato modificato nulla.",
        Failure.ONLY_PROTECTED_FILES: (
            "Modifico solo i contenuti e la grafica del suo sito. Per questa richiesta sarebbero serviti altri file, "
            "quindi non è stato modificato nulla. Ne parli con chi lo sviluppa."
        ),
        Failure.RISK_FORBIDDEN: (
            "Le impostazioni del suo sito non consentono questo tipo di modifica, quindi non è stato modificato "
            "nulla. Ecco che cosa si sarebbe aggiunto:"
        ),
        Failure.SECRET_PUBLISHED: (
            "Con questa modifica il suo sito avrebbe mostrato a tutti un valore che deve restare segreto, quindi non "
            "è stato modificato nulla. Ne parli con chi lo sviluppa."
        ),
        Failure.BUILD_FAILED: (
            "Con questa modifica il suo sito non si può più generare e non sono riuscito a risolvere il problema, "
            "quindi non è stato modificato nulla. Forse funziona se lo chiede in un altro modo o in passaggi più "
            "piccoli."
        ),
        Failure.BUILD_TIMED_OUT: (
            "La generazione del sito ha richiesto più tempo del consentito, quindi non è stato modificato nulla."
        ),
        Failure.NO_PACKAGE_FILES: (
            "Al suo sito mancano i file che ne elencano i componenti, quindi non posso generarlo. Ne parli con chi lo "
            "sviluppa."
        ),
        Failure.PACKAGES_NOT_INSTALLED: (
            "Non è stato possibile scaricare alcuni componenti del suo sito, quindi non è stato modificato nulla. "
            "Riprovi più tardi. Se il problema continua, ne parli con chi lo sviluppa."
        ),
        Failure.GIT_DEPENDENCY: (
            "Il suo sito usa un componente che viene direttamente da un repository git. Qui non è supportato; i "
            "componenti di un registro di pacchetti invece sì. Ne parli con chi lo sviluppa."
        ),
        Failure.NETWORK_REFUSED: (
            "Per generare il suo sito serve qualcosa da internet che da qui non è raggiungibile, quindi non è stato "
            "modificato nulla. Tutto ciò che il sito mostra deve farne parte."
        ),
        Failure.LINK_LEAVES_SITE: (
            "Uno dei file del suo sito è un collegamento a qualcosa che si trova fuori dal sito. Non seguo "
            "collegamenti di questo tipo, quindi non è stato modificato nulla. Ne parli con chi lo sviluppa."
        ),
        Failure.NO_PAGES: (
            "Il suo sito è stato generato, ma al suo indirizzo non c’è nessuna pagina, quindi non è stato modificato "
            "nulla. Ne parli con chi lo sviluppa."
        ),
        Failure.SERVER_RENDERED: (
            "Il suo sito ha bisogno di un server, cosa che qui non è supportata, quindi non è stato modificato nulla. "
            "Un sito le cui pagine vengono create durante la generazione funzionerebbe. Ne parli con chi lo sviluppa."
        ),
        Failure.SITE_TOO_LARGE: (
            "Il sito diventerebbe più grande del consentito, quindi non è stato modificato nulla."
        ),
        Failure.BUDGET_SPENT: (
            "Sarebbe costato più di quanto è consentito per una singola richiesta, quindi mi sono fermato senza "
            "modificare nulla. Lo chieda in passaggi più piccoli, per favore."
        ),
        Failure.MODEL_BUSY: (
            "Il servizio di IA con cui lavoro in questo momento è sovraccarico, quindi non è stato modificato nulla. "
            "Invii di nuovo la mail tra circa un'ora, per favore."
        ),
        Failure.MODEL_UNAVAILABLE: (
            "Il servizio di IA con cui lavoro al momento non è disponibile, quindi non è stato modificato nulla. Non "
            "è colpa sua, e chi gestisce questo servizio è già stato avvisato. Invii di nuovo la mail domani, per "
            "favore."
        ),
        Failure.CONFLICT: (
            "Nel frattempo qualcun altro ha modificato lo stesso punto. Ho tenuto l’altra versione e non ho usato la "
            "sua; dia un’occhiata e lo chieda di nuovo, per favore."
        ),
        Failure.PUBLISH_CONFLICT: (
            "Nel frattempo è stato pubblicato qualcosa che è in conflitto con questa conversazione, e non sono "
            "riuscito a conciliare le due cose. Sul sito online non è cambiato nulla; mi scriva come deve essere "
            "adesso. È in conflitto con questo:"
        ),
        Failure.NOT_A_PUBLISHER: (
            "Può farlo solo chi ha il permesso di pubblicare, quindi non è stato modificato nulla."
        ),
        Failure.APPROVAL_OUTDATED: (
            "Ciò che ha approvato non fa più parte di quella conversazione, quindi non è stato pubblicato nulla. Chi "
            "l’ha chiesto può chiederlo di nuovo."
        ),
        Failure.UNSUPPORTED: "«{command}» non è ancora disponibile via mail.",
        Failure.TIMED_OUT: (
            "Ha richiesto più tempo del consentito, quindi mi sono fermato. Riprovi, magari in passaggi più piccoli."
        ),
        Failure.NO_WORKER: (
            "Per molto tempo non c’è stata capacità disponibile per la sua richiesta. La invii di nuovo più tardi, per "
            "favore."
        ),
        Failure.PROJECT_GONE: (
            "Questo sito non è più gestito qui, quindi non è stato modificato nulla. Si rivolga a chi lo ha "
            "configurato."
        ),
        Failure.REPOSITORY_REFUSED: (
            "Non sono riuscito ad accedere ai file del suo sito, quindi non è stato modificato nulla. Non è colpa sua, "
            "e chi se ne occupa è già stato avvisato. Invii di nuovo la mail domani, per favore."
        ),
        Failure.STOPPED_BY_OPERATOR: (
            "Le persone che gestiscono questo servizio hanno interrotto il lavoro prima che fosse finito. Chieda a "
            "loro oppure invii di nuovo la mail più tardi."
        ),
        Failure.INTERNAL: (
            "Qualcosa è andato storto da parte nostra, e siamo già stati avvisati. Invii di nuovo la mail più tardi, "
            "per favore."
        ),
    },
    refusals={
        RefusalReason.EMPTY: (
            "Nella sua mail non ho trovato testo leggibile, quindi non ho modificato nulla. Scriva che cosa vuole "
            "cambiare, per favore."
        ),
        RefusalReason.TOO_LONG: (
            "La sua mail è più lunga di quanto io possa gestire in una volta. Invii la modifica in parti più piccole, "
            "per favore."
        ),
        RefusalReason.ENCRYPTED: (
            "La sua mail è cifrata e non riesco a leggerla. La invii di nuovo senza cifratura, per favore."
        ),
        RefusalReason.TOO_MANY_MAILS: (
            "Ha inviato più mail di quante io possa gestire in un’ora. Invii di nuovo questa dopo il {time}."
        ),
        RefusalReason.PROJECT_QUOTA_REACHED: (
            "Il sito «{project}» ha raggiunto il limite di mail per oggi, quindi non ho modificato nulla. Invii di "
            "nuovo questa dopo il {time}."
        ),
        RefusalReason.BUDGET_EXHAUSTED: (
            "Il limite giornaliero per le sue richieste è stato raggiunto, quindi non ho modificato nulla. Invii di "
            "nuovo questa mail dopo il {time}."
        ),
        RefusalReason.MONTH_BUDGET_EXHAUSTED: (
            "Il budget mensile del sito «{project}» è esaurito, quindi non ho modificato nulla. Invii di nuovo questa "
            "mail dopo il {time}."
        ),
        RefusalReason.NOT_ADDRESSED: (
            "Non ho modificato nulla, perché la sua mail non era indirizzata a me: nessuno dei miei indirizzi compare "
            "in A o Cc. Se vuole cambiare qualcosa, scriva a {addresses}"
        ),
        RefusalReason.AMBIGUOUS_PROJECT: (
            "Lei può modificare più di un sito. Di quale si tratta? Risponda semplicemente con il nome e mi metto al "
            "lavoro. Ho conservato la sua mail, non serve rimandarla."
        ),
        RefusalReason.UNCLEAR_COMMAND: (
            "Intendeva «{command}»? Non ho ancora fatto nulla. Se è così, risponda solo con questa parola; altrimenti "
            "mi dica in qualche parola in più che cosa desidera."
        ),
        RefusalReason.APPROVAL_EXPIRED: (
            "Questa richiesta è scaduta, quindi ho lasciato tutto com’era. Se serve ancora, basta chiederlo di nuovo."
        ),
        RefusalReason.ANSWER_UNCLEAR: (
            "Non sono riuscito a leggere la Sua risposta come un sì o un no, quindi non ho ancora fatto nulla. Se è "
            "d’accordo, risponda soltanto «sì». Altrimenti basta «no», oppure mi dica con una frase intera che cosa "
            "va cambiato."
        ),
        RefusalReason.PUBLISH_DECLINED: "Va bene, lascio tutto com’è.",
        RefusalReason.SENDER_NOT_CHECKED: (
            "Non ho modificato nulla, perché non sono riuscito a verificare il dominio della sua mail. La invii di "
            "nuovo, per favore."
        ),
        RefusalReason.SENDER_NOT_PROVED: (
            "Non ho modificato nulla, perché non ho potuto confermare che la mail venga davvero dal suo dominio. Chi "
            "lo amministra può configurare DKIM e DMARC."
        ),
    },
    attachment_problems={
        AttachmentProblem.TOO_MANY: "vengono usati solo i primi {limit} allegati di una mail",
        AttachmentProblem.EMPTY: "è vuoto",
        AttachmentProblem.TOO_LARGE: "supera i {limit} MB",
        AttachmentProblem.UNUSABLE_TYPE: "questo tipo di file non si può usare su un sito",
        AttachmentProblem.CAN_CARRY_SCRIPTS: (
            "i file SVG e HTML possono contenere script; invii invece un’immagine PNG, JPEG o WebP"
        ),
        AttachmentProblem.DAMAGED_ARCHIVE: "l’archivio è danneggiato",
        AttachmentProblem.UNPACKS_TO_FAR_MORE: "una volta estratto sarebbe molto più grande di quanto sembri",
        AttachmentProblem.ARCHIVE: "gli archivi non vengono aperti; alleghi direttamente i file",
        AttachmentProblem.TOO_MANY_PIXELS: "l’immagine supera i {limit} megapixel",
        AttachmentProblem.DAMAGED_PICTURE: "l’immagine è danneggiata e non si può aprire",
        AttachmentProblem.NOT_PROCESSED: "non è stato possibile elaborarlo",
    },
    words={
        Command.PUBLISH: "pubblica",
        Command.UNPUBLISH: "depubblica",
        Command.UNDO: "ripristina",
        Command.STATUS: "stato",
        Command.STOP: "ferma",
    },
    preempted="La sua mail più recente è arrivata prima che finissi con questa, quindi sono passato alla più recente.",
    went_to="La mia risposta a «{subject}» varrà per entrambe.",
    not_handed_over="Per questa non è stato modificato nulla. Se la desidera ancora, me la invii di nuovo.",
    tries_again=(
        "Il servizio di IA con cui lavoro in questo momento è sovraccarico, quindi non ho ancora modificato nulla. "
        "Riprovo il {time} e poi Le scrivo. Se mi scrive prima, farò tutto insieme."
    ),
    stopped="Mi ha chiesto di fermarmi, quindi ho smesso di lavorarci.",
    partial_work_kept=(
        "Ciò che era già fatto viene conservato, ma non è nell’anteprima. La sua prossima mail qui deciderà che cosa "
        "farne."
    ),
    earlier_included="Ci ho lavorato insieme alla sua mail precedente «{subject}».",
    earlier_separate=(
        "Anche ciò che avevo già fatto per la sua mail precedente «{subject}» è nell’anteprima, come modifica a sé."
    ),
    earlier_removed=(
        "Ciò che avevo iniziato per la sua mail precedente «{subject}» non si è potuto conservare, quindi l’ho "
        "rimosso. Se lo desidera ancora, me la invii di nuovo."
    ),
    earlier_not_started=(
        "Per la sua mail precedente «{subject}» non avevo ancora modificato nulla. Se lo desidera ancora, me la "
        "invii di nuovo."
    ),
    earlier_kept=(
        "Ciò che chiedeva nella sua mail precedente «{subject}» non è ancora nell’anteprima. Ci tornerò con la sua "
        "prossima mail qui."
    ),
    reply_to_question="Per questa mail non ho ancora modificato nulla. Andrò avanti non appena risponderà.",
    preview="Vedi la modifica",
    not_online="Il sito non è ancora raggiungibile su Internet, per questo l’email non contiene un link.",
    pages="Queste pagine sono cambiate",
    new_page="nuova",
    removed_page="rimossa",
    before="prima:",
    after="ora:",
    more_pages=Plural(one="È cambiata anche un’altra pagina.", more="Sono cambiate anche altre {number} pagine."),
    risks="Da controllare prima della pubblicazione",
    risk_lines={
        RiskKind.LOADED_HOST: "carica qualcosa da {detail}",
        RiskKind.LINKED_HOST: "contiene un link a {detail}",
        RiskKind.SCRIPT: "codice di programma nuovo o modificato: {detail}",
        RiskKind.FORM: "un modulo che invia i dati inseriti a {detail}",
        RiskKind.FRAME: "mostra una pagina di {detail}",
        RiskKind.REDIRECT: "reindirizza i visitatori a un altro indirizzo: {detail}",
        RiskKind.SERVICE_WORKER: "codice di programma che resta nei browser dei visitatori: {detail}",
        RiskKind.FILE: "file nuovo o modificato: {detail}",
        RiskKind.NOT_COMPARED: (
            "Non ho potuto confrontare il sito con la versione precedente; lo guardi con attenzione"
        ),
    },
    more_risks=Plural(one="C’è un altro punto di questo tipo.", more="Ci sono altri {number} punti di questo tipo."),
    reverted_files="File che ho lasciato com’erano, perché modifico solo i contenuti e la grafica",
    more_reverted_files=Plural(
        one="Anche un altro file è rimasto com’era.", more="Anche altri {number} file sono rimasti com’erano."
    ),
    not_done="Che cosa non ho potuto fare",
    refused_attachments="Allegati che non ho potuto usare",
    running="Ci sto lavorando in questo momento",
    waiting="In attesa",
    changes_made="Modificato in questa conversazione",
    is_live="online",
    taken_off="tolto dal sito online",
    undone_still_live="annullato, ancora online fino alla prossima pubblicazione",
    still_live="Sul sito online si vede ancora, finché non pubblicherà di nuovo.",
    live="Vai al sito online",
    publish_question=(
        "{asker} vorrebbe mettere online «{subject}» su «{project}». Dia un’occhiata e risponda «sì» se si può "
        "pubblicare. Altrimenti non deve fare nulla. La richiesta scade il {time}."
    ),
    own_questions={
        Command.PUBLISH: (
            "Metto online «{subject}»? Dia un’occhiata e, se va bene, risponda semplicemente «sì». Altrimenti non "
            "deve fare nulla. La domanda scade il {time}."
        ),
        Command.UNPUBLISH: (
            "Tolgo «{subject}» dal sito online? Tornerà a mostrare la versione precedente. Se è quello che "
            "desidera, risponda semplicemente «sì». Altrimenti non deve fare nulla. La domanda scade il {time}."
        ),
    },
    request_asked_again=(
        "«{subject}» non è ancora online: la mia domanda non corrispondeva a ciò che andrebbe online. Ho chiesto di "
        "nuovo per la versione attuale."
    ),
    request_outdated=(
        "«{subject}» non è stato pubblicato, perché non fa più parte di questa conversazione. Risponda «{publish}» e "
        "chiederò di nuovo per la versione attuale."
    ),
    next_steps=(
        "Risponda «{publish}» per metterlo online o «{undo}» per annullarlo. Oppure scriva semplicemente che cos’altro "
        "desidera."
    ),
    unpublish_hint="Risponda «{unpublish}» per toglierlo dal sito.",
    guide="Guida con esempi",
    reply_hint="Per continuare, basta rispondere a questa mail.",
    developer_informed="I dettagli tecnici sono stati inviati a {developer}.",
    developer_note=(
        "Non è stato possibile fare su «{project}» una modifica chiesta via mail. Ecco che cosa segnalano gli "
        "strumenti:"
    ),
    stale_lock=(
        "Su «{project}» sono stati installati pacchetti diversi da quelli indicati in {lock}, perché il file non "
        "corrisponde a package.json. Ciò che viene installato può cambiare da un giorno all’altro, finché qualcuno non "
        "esegue un’installazione e fa il commit di {lock}."
    ),
    empty_folders=(
        "Su «{project}» queste cartelle sono vuote: {folders}. Sono sottomoduli che non sono stati scaricati; vengono "
        "scaricati solo i repository che si trovano sullo stesso host di quello del sito. Il sito è stato generato "
        "senza di essi."
    ),
    small_print="{seconds} secondi, {dollars} $",
)

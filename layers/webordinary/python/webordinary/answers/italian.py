"""The sentences in Italian."""

from __future__ import annotations

from webordinary.answers.language import Language, Plural
from webordinary.contract.outcomes import AttachmentProblem, Command, Failure, RefusalReason, Result

LANGUAGE = Language(
    code="it",
    results={
        Result.CHANGED: "«{subject}»: fatto.",
        Result.PARTLY_CHANGED: "«{subject}»: fatto in parte.",
        Result.ASKED: "Prima di cambiare qualcosa, ho bisogno di sapere una cosa.",
        Result.NOTHING_CHANGED: "Non c’era nulla da cambiare.",
        Result.UNDONE: "«{subject}» è stato annullato.",
        Result.NOTHING_TO_UNDO: "In questa conversazione non c’è nulla da annullare.",
        Result.BUILT: "Il sito è stato generato di nuovo e la sua anteprima è aggiornata.",
        Result.COMMITTED: "Le modifiche sono state salvate.",
        Result.NOTHING_TO_COMMIT: "Non c’era nulla da salvare.",
        Result.PUSHED: "Il ramo di questa conversazione è stato inviato.",
        Result.STATUS: Plural(
            none="In questa conversazione non è stato ancora modificato nulla.",
            one="Questa conversazione ha fatto una modifica.",
            more="Questa conversazione ha fatto {changes} modifiche.",
        ),
        Result.HELP: (
            "Scriva con parole sue che cosa vuole cambiare sul suo sito; alleghi immagini o documenti se ne fanno "
            "parte. Risponda nella stessa conversazione per continuare. Una mail che dice soltanto «ripristina» "
            "annulla l’ultima modifica della conversazione, «stato» dice a che punto siamo, «ferma» interrompe il "
            "lavoro, «pubblica» mette le modifiche online, «depubblica» toglie le ultime."
        ),
        Result.PUBLISHED: "«{subject}» ora è online.",
        Result.ALREADY_LIVE: "Tutto ciò che viene da questa conversazione è già online.",
        Result.NOTHING_TO_PUBLISH: "In questa conversazione non c’è niente che si possa pubblicare.",
        Result.PUBLISH_ASKED: (
            "Ho chiesto a chi può pubblicare se «{subject}» può andare online. Appena qualcuno dice di sì, ci andrà."
        ),
        Result.UNPUBLISHED: "L’ultima modifica è stata tolta dal sito, che mostra di nuovo la versione precedente.",
        Result.UNPUBLISHED_FOR_NOW: (
            "Il sito mostra di nuovo la versione precedente. Alcune modifiche successive si basano su ciò che "
            "è stato tolto, quindi tornerà con la prossima pubblicazione, a meno che non venga cambiato prima."
        ),
        Result.NOTHING_TO_UNPUBLISH: "Non c’è una versione precedente del sito che si possa ripristinare.",
        Result.NOTHING_TO_STOP: "Per lei non c’è nulla in corso, quindi non c’era nulla da fermare.",
        Result.STOPPED: Plural(
            one="Ciò che era già finito resta. Ho smesso di lavorare a questo:",
            more="Ciò che era già finito resta. Ho smesso di lavorare a queste {changes} richieste:",
        ),
    },
    failures={
        Failure.AGENT_FAILED: (
            "Ho cominciato, ma qualcosa è andato storto per strada. Sul suo sito non è stato modificato nulla."
        ),
        Failure.AGENT_REFUSED: "Non ho potuto farlo, quindi non è stato modificato nulla.",
        Failure.BUILD_FAILED: (
            "Con questa modifica il sito non si poteva più comporre e non sono riuscito a rimediare. Perciò non è "
            "stato modificato nulla. Forse funziona chiedendolo in un altro modo o a piccoli passi."
        ),
        Failure.BUILD_TIMED_OUT: (
            "Comporre il sito ha richiesto più tempo del consentito; non è stato modificato nulla."
        ),
        Failure.NO_PACKAGE_FILES: (
            "Al suo sito mancano i file che dicono di che cosa è fatto, quindi non posso comporlo. È una cosa per "
            "chi lo sviluppa."
        ),
        Failure.PACKAGES_NOT_INSTALLED: (
            "Alcuni componenti del suo sito non si sono potuti scaricare, quindi non è stato modificato nulla. "
            "Riprovi più tardi; se resta così, è una cosa per chi lo sviluppa."
        ),
        Failure.GIT_DEPENDENCY: (
            "Il suo sito usa un componente che viene direttamente da un repository git. Questi non vengono "
            "scaricati; uno da un registro di pacchetti sì. È una cosa per chi sviluppa il sito."
        ),
        Failure.NETWORK_REFUSED: (
            "Per comporre il suo sito serve qualcosa da internet che da qui non si raggiunge, quindi non è stato "
            "modificato nulla. Ciò che il sito mostra deve farne parte."
        ),
        Failure.LINK_LEAVES_SITE: (
            "Tra i file del suo sito c’è un collegamento che porta fuori. Non seguo collegamenti simili, quindi non è "
            "stato modificato nulla. È una cosa per chi sviluppa il sito."
        ),
        Failure.NO_PAGES: (
            "Il suo sito è stato generato, ma al suo indirizzo non c’è nessuna pagina, quindi non è stato "
            "cambiato nulla. È una questione per chi lo sviluppa."
        ),
        Failure.SERVER_RENDERED: (
            "Il suo sito ha bisogno di un server proprio, che qui non c’è, quindi non è stato cambiato nulla. Un "
            "sito le cui pagine sono pronte alla generazione funzionerebbe. È una questione per chi lo sviluppa."
        ),
        Failure.SITE_TOO_LARGE: "Il sito diventerebbe più grande del consentito, quindi non è stato modificato nulla.",
        Failure.BUDGET_SPENT: (
            "Sarebbe costato più di quanto una richiesta possa costare, quindi mi sono fermato senza modificare "
            "nulla. Lo chieda a piccoli passi, per favore."
        ),
        Failure.CONFLICT: (
            "Nel frattempo qualcun altro ha modificato lo stesso punto. La sua versione è rimasta e quella di lei "
            "non è stata usata; la guardi e lo chieda di nuovo, per favore."
        ),
        Failure.PUBLISH_CONFLICT: (
            "Nel frattempo è stato pubblicato altro che non va d’accordo con questa conversazione, e non sono "
            "riuscito a unire le due cose. Sul sito non è cambiato niente; scriva come deve essere adesso. Non "
            "va d’accordo con questo:"
        ),
        Failure.NOT_A_PUBLISHER: "Lo può fare solo chi può pubblicare, quindi non è cambiato niente.",
        Failure.APPROVAL_OUTDATED: (
            "Ciò a cui ha detto di sì non fa più parte di quella conversazione, quindi non è stato pubblicato "
            "niente. Si può chiederlo di nuovo."
        ),
        Failure.UNSUPPORTED: "«{command}» non si può ancora fare via mail.",
        Failure.TIMED_OUT: (
            "Ha richiesto più tempo del consentito, quindi mi sono fermato. Riprovi, magari a piccoli passi."
        ),
        Failure.NO_WORKER: "Per molto tempo non c’è stato nessuno libero. Lo invii di nuovo più tardi, per favore.",
        Failure.PROJECT_GONE: (
            "Questo sito non è più seguito qui, quindi non è stato modificato nulla. Chieda a chi lo ha configurato."
        ),
        Failure.REPOSITORY_REFUSED: (
            "Non sono riuscito ad arrivare dove è conservato il suo sito, quindi non è stato cambiato nulla. "
            "Non è colpa sua; chi se ne occupa è stato avvisato. Lo rimandi domani, per favore."
        ),
        Failure.STOPPED_BY_OPERATOR: (
            "Chi gestisce questo servizio lo ha fermato prima che fosse finito. Chieda a loro, oppure lo "
            "rimandi più tardi."
        ),
        Failure.INTERNAL: "Qualcosa si è rotto da parte nostra. Lo sappiamo. Lo invii di nuovo più tardi, per favore.",
    },
    refusals={
        RefusalReason.EMPTY: (
            "La sua mail non aveva testo che potessi leggere, quindi non ho modificato nulla. Scriva che cosa vuole "
            "cambiare, per favore."
        ),
        RefusalReason.TOO_LONG: (
            "La sua mail è più lunga di quanto io possa leggere in una volta. Invii la modifica in parti più piccole."
        ),
        RefusalReason.TOO_MANY_MAILS: (
            "Ha inviato più mail di quante io possa gestire in un’ora. Invii di nuovo questa dopo {moment}."
        ),
        RefusalReason.PROJECT_QUOTA_REACHED: (
            "Il sito «{project}» ha ricevuto oggi tante mail quante ne può ricevere in un giorno, quindi non ho "
            "modificato nulla. Invii di nuovo questa dopo {moment}."
        ),
        RefusalReason.BUDGET_EXHAUSTED: (
            "Oggi è già stato fatto per Lei tutto ciò che si può fare in un giorno, quindi non ho modificato nulla. "
            "Invii di nuovo questa mail dopo {moment}."
        ),
        RefusalReason.NOT_ADDRESSED: (
            "Non ho modificato nulla, perché la sua mail non era indirizzata a me: nessuno dei miei indirizzi è in A "
            "o Cc. Se vuole una modifica, scriva a {addresses}"
        ),
        RefusalReason.AMBIGUOUS_PROJECT: (
            "Lei può modificare più di un sito e non ho capito quale intende. Scriva a uno di questi indirizzi: "
            "{addresses}"
        ),
        RefusalReason.APPROVAL_EXPIRED: (
            "Questa domanda è di troppo tempo fa, quindi non è stato pubblicato niente. La si può fare di nuovo."
        ),
        RefusalReason.SENDER_NOT_CHECKED: (
            "Non ho modificato nulla, perché non è stato possibile verificare il dominio della sua mail. La invii di "
            "nuovo."
        ),
        RefusalReason.SENDER_NOT_PROVED: (
            "Non ho modificato nulla, perché niente prova che la mail venga dal suo dominio. Chi lo amministra può "
            "configurare DKIM e DMARC."
        ),
    },
    attachment_problems={
        AttachmentProblem.TOO_MANY: "si usano solo i primi {limit} allegati di una mail",
        AttachmentProblem.EMPTY: "è vuoto",
        AttachmentProblem.TOO_LARGE: "supera i {limit} MB",
        AttachmentProblem.UNUSABLE_TYPE: "il suo tipo non si può usare su un sito",
        AttachmentProblem.CAN_CARRY_SCRIPTS: (
            "i file SVG e HTML possono contenere programmi; invii piuttosto un’immagine PNG, JPEG o WebP"
        ),
        AttachmentProblem.DAMAGED_ARCHIVE: "è un archivio danneggiato",
        AttachmentProblem.UNPACKS_TO_FAR_MORE: "una volta estratto sarebbe molto più grande di quanto sembra",
        AttachmentProblem.ARCHIVE: "gli archivi non vengono aperti; alleghi i file stessi",
        AttachmentProblem.TOO_MANY_PIXELS: "l’immagine supera i {limit} megapixel",
        AttachmentProblem.DAMAGED_PICTURE: "l’immagine è danneggiata e non si apre",
        AttachmentProblem.NOT_PROCESSED: "non si è potuto elaborare",
    },
    words={
        Command.PUBLISH: "pubblica",
        Command.UNPUBLISH: "depubblica",
        Command.UNDO: "ripristina",
        Command.STATUS: "stato",
        Command.STOP: "ferma",
    },
    preempted="La sua mail più recente è arrivata prima che finissi questa, quindi ho continuato con la più recente.",
    went_to="La mia risposta a «{subject}» dice che cosa è stato di entrambe.",
    stopped="Mi ha chiesto di fermarmi, quindi ho smesso di lavorarci.",
    partial_work_kept="Ciò che era fatto fino ad allora resta.",
    reply_to_question="Finora non è stato modificato nulla. Risponda a questa mail e vado avanti.",
    preview="Vedi la modifica",
    pages="Queste pagine sono cambiate",
    new_page="nuova",
    removed_page="rimossa",
    before="prima:",
    after="ora:",
    more_pages=Plural(
        one="Un’altra pagina è cambiata insieme a loro.", more="Altre {number} pagine sono cambiate insieme a loro."
    ),
    not_done="Questo non l’ho potuto fare",
    refused_attachments="Non ho potuto usare questi allegati",
    running="Ci sto lavorando adesso",
    waiting="Questo aspetta il suo turno",
    made="Modificato in questa conversazione",
    is_live="online",
    live="Il sito online",
    publish_question=(
        "{asker} vorrebbe mettere online «{subject}» su «{project}». Guardi e risponda «sì» se si può "
        "pubblicare. Altrimenti non deve fare niente. La domanda vale fino al {moment}."
    ),
    next_steps="«{publish}» lo mette online, «{undo}» lo annulla. Oppure scriva semplicemente che cos’altro desidera.",
    unpublish_hint="«{unpublish}» lo toglie di nuovo.",
    reply_hint="Risponda a questa mail per continuare.",
    developer_informed="I dettagli tecnici sono stati inviati a {developer}.",
    developer_note=(
        "Una modifica chiesta via mail non si è potuta fare su «{project}». Ecco che cosa hanno detto gli strumenti:"
    ),
    stale_lock=(
        "Su «{project}» sono stati installati pacchetti diversi da quelli di {lock}, perché non corrisponde a "
        "package.json. Ciò che si installa può cambiare da un giorno all’altro, finché qualcuno non installa una "
        "volta e registra {lock}."
    ),
    empty_folders=(
        "Su «{project}» queste cartelle restano vuote: {folders}. Sono sottomoduli che non sono stati scaricati; "
        "lo sono solo quelli sullo stesso server del repository del sito. Il sito è stato generato senza di essi."
    ),
    small_print="{seconds} secondi, {dollars} $",
)

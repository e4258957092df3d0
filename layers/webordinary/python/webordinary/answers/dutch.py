"""The sentences in Dutch."""

from __future__ import annotations

from webordinary.answers.language import Language, Plural
from webordinary.contract.outcomes import AttachmentProblem, Command, Failure, RefusalReason, Result

LANGUAGE = Language(
    code="nl",
    results={
        Result.CHANGED: "“{subject}” is gedaan.",
        Result.PARTLY_CHANGED: "“{subject}” is voor een deel gedaan.",
        Result.ASKED: "Voordat ik iets verander, moet ik één ding weten.",
        Result.NOTHING_CHANGED: "Er hoefde niets te veranderen.",
        Result.UNDONE: "“{subject}” is ongedaan gemaakt.",
        Result.NOTHING_TO_UNDO: "In dit gesprek is er niets dat ongedaan gemaakt kan worden.",
        Result.BUILT: "De website is opnieuw opgebouwd en het voorbeeld is bijgewerkt.",
        Result.COMMITTED: "De wijzigingen zijn vastgelegd.",
        Result.NOTHING_TO_COMMIT: "Er viel niets vast te leggen.",
        Result.PUSHED: "De tak van dit gesprek is verstuurd.",
        Result.STATUS: Plural(
            none="In dit gesprek is nog niets veranderd.",
            one="In dit gesprek is één wijziging gemaakt.",
            more="In dit gesprek zijn {changes} wijzigingen gemaakt.",
        ),
        Result.HELP: (
            "Schrijf in uw eigen woorden wat er op uw website moet veranderen; voeg foto’s of documenten toe als die "
            "erbij horen. Antwoord in hetzelfde gesprek om verder te gaan. Een mail met alleen “ongedaan maken” "
            "draait de laatste wijziging van het gesprek terug, “status” vertelt wat er gebeurt, “stoppen” breekt "
            "het af, “publiceren” zet de wijzigingen online en “depubliceren” haalt de laatste er weer af."
        ),
        Result.PUBLISHED: "“{subject}” staat nu online.",
        Result.ALREADY_LIVE: "Alles uit dit gesprek staat al online.",
        Result.NOTHING_TO_PUBLISH: "In dit gesprek is er niets dat gepubliceerd kan worden.",
        Result.PUBLISH_ASKED: (
            "Ik heb degenen die mogen publiceren gevraagd of “{subject}” online mag. Zodra een van hen ja "
            "zegt, gebeurt het."
        ),
        Result.UNPUBLISHED: "De laatste wijziging is van de website gehaald; die laat weer de versie ervoor zien.",
        Result.UNPUBLISHED_FOR_NOW: (
            "De website laat weer de versie ervoor zien. Latere wijzigingen bouwen voort op wat is weggehaald, "
            "dus het komt bij de volgende publicatie terug, tenzij het eerder wordt veranderd."
        ),
        Result.NOTHING_TO_UNPUBLISH: "Er is geen eerdere versie van de website die teruggehaald kan worden.",
        Result.NOTHING_TO_STOP: "Er loopt niets voor u, dus er viel niets te stoppen.",
        Result.STOPPED: Plural(
            one="Wat al klaar was, blijft. Ik ben hiermee gestopt:",
            more="Wat al klaar was, blijft. Ik ben gestopt met deze {changes} verzoeken:",
        ),
    },
    failures={
        Failure.AGENT_FAILED: (
            "Ik was ermee begonnen, maar onderweg ging er iets mis. Op uw website is niets veranderd."
        ),
        Failure.AGENT_REFUSED: "Dit kon ik niet doen, dus er is niets veranderd.",
        Failure.BUILD_FAILED: (
            "Met deze wijziging kon uw website niet meer worden opgebouwd, en ik kon het niet verhelpen. Daarom is "
            "er niets veranderd. Misschien lukt het als u het anders vraagt of in kleinere stappen."
        ),
        Failure.BUILD_TIMED_OUT: "Het opbouwen van de website duurde langer dan mag, dus er is niets veranderd.",
        Failure.NO_PACKAGE_FILES: (
            "Uw website mist de bestanden die zeggen waaruit ze bestaat, dus ik kan haar niet opbouwen. Dat is iets "
            "voor wie haar ontwikkelt."
        ),
        Failure.PACKAGES_NOT_INSTALLED: (
            "Sommige bouwstenen van uw website konden niet worden opgehaald, dus er is niets veranderd. Probeer het "
            "later nog eens; blijft het zo, dan is het iets voor wie haar ontwikkelt."
        ),
        Failure.GIT_DEPENDENCY: (
            "Uw website gebruikt een bouwsteen die rechtstreeks uit een git-repository komt. Die worden niet "
            "opgehaald; een uit een pakketregister wel. Dat is iets voor wie de website ontwikkelt."
        ),
        Failure.NETWORK_REFUSED: (
            "Voor het opbouwen van uw website is iets van internet nodig dat hier niet bereikbaar is, dus er is niets "
            "veranderd. Wat de website toont, moet er deel van zijn."
        ),
        Failure.LINK_LEAVES_SITE: (
            "Tussen de bestanden van uw website zit een koppeling die eruit leidt. Zulke koppelingen volg ik niet, "
            "dus er is niets veranderd. Dat is iets voor wie de website ontwikkelt."
        ),
        Failure.NO_PAGES: (
            "Uw website is gebouwd, maar op haar adres staat geen pagina, dus er is niets veranderd. Dat is iets "
            "voor de ontwikkelaar."
        ),
        Failure.SERVER_RENDERED: (
            "Uw website heeft een eigen server nodig, die hier niet is, dus er is niets veranderd. Een website "
            "waarvan de pagina’s bij het bouwen klaar zijn, zou werken. Dat is iets voor de ontwikkelaar."
        ),
        Failure.SITE_TOO_LARGE: "De website zou groter worden dan mag, dus er is niets veranderd.",
        Failure.BUDGET_SPENT: (
            "Dit zou meer hebben gekost dan één verzoek mag kosten, dus ik ben gestopt en heb niets veranderd. Vraag "
            "het alstublieft in kleinere stappen."
        ),
        Failure.CONFLICT: (
            "Iemand anders heeft intussen dezelfde plek veranderd. Die versie is gebleven en de uwe is niet gebruikt; "
            "bekijk haar en vraag het opnieuw."
        ),
        Failure.PUBLISH_CONFLICT: (
            "Intussen is er iets anders gepubliceerd dat botst met dit gesprek, en het lukte me niet om beide "
            "te laten kloppen. Op de website is niets veranderd; schrijf me hoe het nu moet worden. Hiermee "
            "botst het:"
        ),
        Failure.NOT_A_PUBLISHER: "Dat kunnen alleen degenen die mogen publiceren; er is niets veranderd.",
        Failure.APPROVAL_OUTDATED: (
            "Waar u ja op zei, hoort niet meer bij dat gesprek, dus er is niets gepubliceerd. Er kan opnieuw "
            "om gevraagd worden."
        ),
        Failure.UNSUPPORTED: "“{command}” kan nog niet per mail.",
        Failure.TIMED_OUT: (
            "Dit duurde langer dan mag, dus ik ben gestopt. Probeer het nog eens, misschien in kleinere stappen."
        ),
        Failure.NO_WORKER: "Er was lange tijd niemand vrij om eraan te werken. Stuur het later nog eens.",
        Failure.PROJECT_GONE: (
            "Deze website wordt hier niet meer beheerd, dus er is niets veranderd. Vraag het aan wie haar heeft "
            "ingericht."
        ),
        Failure.REPOSITORY_REFUSED: (
            "Ik kon niet bij de plek waar uw website wordt bewaard, dus er is niets veranderd. Dat ligt niet "
            "aan u; de mensen die ervoor zorgen weten ervan. Stuur het morgen alstublieft nog een keer."
        ),
        Failure.STOPPED_BY_OPERATOR: (
            "De mensen die deze dienst beheren hebben het gestopt voordat het klaar was. Vraag het hun, of "
            "stuur het later nog een keer."
        ),
        Failure.INTERNAL: "Er is bij ons iets stukgegaan. We weten ervan. Stuur het later nog eens.",
    },
    refusals={
        RefusalReason.EMPTY: (
            "Uw mail had geen tekst die ik kon lezen, dus ik heb niets veranderd. Schrijf alstublieft wat er moet "
            "veranderen."
        ),
        RefusalReason.TOO_LONG: (
            "Uw mail is langer dan ik in één keer kan lezen. Stuur de wijziging in kleinere stukken."
        ),
        RefusalReason.TOO_MANY_MAILS: (
            "U hebt meer mails gestuurd dan ik in een uur kan verwerken. Stuur deze nog eens na {moment}."
        ),
        RefusalReason.PROJECT_QUOTA_REACHED: (
            "De website “{project}” heeft vandaag zoveel mails gehad als er op een dag mogen, dus ik heb niets "
            "veranderd. Stuur deze nog eens na {moment}."
        ),
        RefusalReason.BUDGET_EXHAUSTED: (
            "Vandaag is er al zoveel voor u gedaan als er op een dag mag, dus ik heb niets veranderd. "
            "Stuur deze mail nog eens na {moment}."
        ),
        RefusalReason.NOT_ADDRESSED: (
            "Ik heb niets veranderd, want uw mail was niet aan mij gericht: geen van mijn adressen staat in Aan of "
            "Cc. Als er iets moet veranderen, schrijf dan naar {addresses}"
        ),
        RefusalReason.AMBIGUOUS_PROJECT: (
            "U kunt meer dan één website bewerken en ik kon niet zien welke u bedoelt. Schrijf naar een van deze "
            "adressen: {addresses}"
        ),
        RefusalReason.APPROVAL_EXPIRED: (
            "Deze vraag is te lang geleden, dus er is niets gepubliceerd. Ze kan opnieuw gesteld worden."
        ),
        RefusalReason.SENDER_NOT_CHECKED: (
            "Ik heb niets veranderd, want het domein van uw mail kon niet worden gecontroleerd. Stuur de mail nog eens."
        ),
        RefusalReason.SENDER_NOT_PROVED: (
            "Ik heb niets veranderd, want niets bewijst dat de mail van uw domein komt. Wie het beheert, kan DKIM en "
            "DMARC instellen."
        ),
    },
    attachment_problems={
        AttachmentProblem.TOO_MANY: "alleen de eerste {limit} bijlagen van een mail worden gebruikt",
        AttachmentProblem.EMPTY: "het bestand is leeg",
        AttachmentProblem.TOO_LARGE: "het bestand is groter dan {limit} MB",
        AttachmentProblem.UNUSABLE_TYPE: "dit soort bestand kan niet op een website worden gebruikt",
        AttachmentProblem.CAN_CARRY_SCRIPTS: (
            "SVG- en HTML-bestanden kunnen programma’s bevatten; stuur liever een afbeelding als PNG, JPEG of WebP"
        ),
        AttachmentProblem.DAMAGED_ARCHIVE: "het archief is beschadigd",
        AttachmentProblem.UNPACKS_TO_FAR_MORE: "uitgepakt zou het veel groter zijn dan het lijkt",
        AttachmentProblem.ARCHIVE: "archieven worden niet uitgepakt; voeg de bestanden zelf toe",
        AttachmentProblem.TOO_MANY_PIXELS: "de afbeelding is groter dan {limit} megapixel",
        AttachmentProblem.DAMAGED_PICTURE: "de afbeelding is beschadigd en kan niet worden geopend",
        AttachmentProblem.NOT_PROCESSED: "het kon niet worden verwerkt",
    },
    words={
        Command.PUBLISH: "publiceren",
        Command.UNPUBLISH: "depubliceren",
        Command.UNDO: "ongedaan maken",
        Command.STATUS: "status",
        Command.STOP: "stoppen",
    },
    preempted="Uw nieuwere mail kwam voordat ik met deze klaar was, dus ik ben met de nieuwere verdergegaan.",
    went_to="Mijn antwoord op “{subject}” vertelt wat er van beide geworden is.",
    stopped="U vroeg me te stoppen, dus ik ben hiermee gestopt.",
    partial_work_kept="Wat tot dan toe gedaan was, blijft bewaard.",
    reply_to_question="Er is nog niets veranderd. Beantwoord gewoon deze mail, dan ga ik verder.",
    preview="Bekijk de wijziging",
    pages="Deze pagina’s zijn veranderd",
    new_page="nieuw",
    removed_page="verwijderd",
    before="eerst:",
    after="nu:",
    more_pages=Plural(one="Er is nog één pagina mee veranderd.", more="Er zijn nog {number} pagina’s mee veranderd."),
    not_done="Dit kon ik niet doen",
    refused_attachments="Deze bijlagen kon ik niet gebruiken",
    running="Hier werk ik nu aan",
    waiting="Dit wacht op zijn beurt",
    made="Veranderd in dit gesprek",
    is_live="online",
    live="De website online",
    publish_question=(
        "{asker} wil “{subject}” online zetten op “{project}”. Bekijk het en antwoord “ja” als het "
        "gepubliceerd mag worden. Zo niet, dan hoeft u niets te doen. De vraag geldt tot {moment}."
    ),
    next_steps="“{publish}” zet het online, “{undo}” draait het terug. Of schrijf gewoon wat u nog meer wilt.",
    unpublish_hint="“{unpublish}” haalt het er weer af.",
    reply_hint="Beantwoord deze mail om verder te gaan.",
    developer_informed="De technische details zijn naar {developer} gestuurd.",
    developer_note=(
        "Een per mail gevraagde wijziging op “{project}” kon niet worden gemaakt. Dit zeiden de hulpmiddelen:"
    ),
    stale_lock=(
        "Op “{project}” zijn andere pakketten geïnstalleerd dan {lock} noemt, omdat dat niet bij package.json "
        "past. Wat er geïnstalleerd wordt kan van dag tot dag veranderen, totdat iemand één keer installeert en "
        "{lock} vastlegt."
    ),
    empty_folders=(
        "Op “{project}” blijven deze mappen leeg: {folders}. Het zijn submodules die niet zijn opgehaald; dat "
        "gebeurt alleen als ze op dezelfde server staan als de repository van de site. De site is zonder gebouwd."
    ),
    small_print="{seconds} seconden, ${dollars}",
)

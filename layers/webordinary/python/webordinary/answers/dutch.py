"""Sentences in Dutch."""

from __future__ import annotations

from webordinary.answers.language import Language, Plural
from webordinary.contract.outcomes import AttachmentProblem, Command, Failure, RefusalReason, Result, RiskKind

LANGUAGE = Language(
    code="nl",
    date="{day} {month} {year}, {time} UTC",
    months="januari februari maart april mei juni juli augustus september oktober november december",
    results={
        Result.CHANGED: "“{subject}” is klaar.",
        Result.PARTLY_CHANGED: "“{subject}” is gedeeltelijk klaar.",
        Result.ASKED: "Voordat ik iets wijzig, heb ik één vraag.",
        Result.NOTHING_CHANGED: "Er hoefde niets gewijzigd te worden.",
        Result.UNDONE: "“{subject}” is ongedaan gemaakt.",
        Result.NOTHING_TO_UNDO: "In dit gesprek is er niets om ongedaan te maken.",
        Result.BUILT: "De website is gebouwd en het voorbeeld is bijgewerkt.",
        Result.COMMITTED: "De wijzigingen zijn vastgelegd.",
        Result.NOTHING_TO_COMMIT: "Er viel niets vast te leggen.",
        Result.PUSHED: "De branch van dit gesprek is verstuurd.",
        Result.STATUS: Plural(
            none="In dit gesprek is nog niets gewijzigd.",
            one="In dit gesprek is één wijziging aangebracht.",
            more="In dit gesprek zijn {changes} wijzigingen aangebracht.",
        ),
        Result.HELP: (
            "Schrijf gewoon in uw eigen woorden wat u op uw website wilt wijzigen en voeg de foto’s of documenten toe "
            "die erbij horen. Wilt u verdergaan, antwoord dan in hetzelfde gesprek. Een mail met alleen “ongedaan "
            "maken” draait de laatste wijziging van het gesprek terug, “status” vertelt wat er gebeurt, “stoppen” "
            "breekt het lopende werk af, “publiceren” zet de wijzigingen online en “depubliceren” haalt de laatste "
            "weer offline."
        ),
        Result.PUBLISHED: "“{subject}” staat nu online.",
        Result.ALREADY_LIVE: "Alles uit dit gesprek staat al online.",
        Result.NOTHING_TO_PUBLISH: "In dit gesprek is er niets om te publiceren.",
        Result.PREVIEW_CHANGED: (
            "Het voorbeeld is veranderd sinds u het voor het laatst zag, dus ik heb nog niets gepubliceerd. Bekijk "
            "het alstublieft en antwoord nog een keer met “publiceren” als het klopt."
        ),
        Result.PUBLISH_ASKED: (
            "Ik heb de mensen die mogen publiceren gevraagd of “{subject}” online mag. Zodra een van hen ja zegt, gaat "
            "het online."
        ),
        Result.PUBLISH_ASKED_AGAIN: (
            "Mijn vraag komt niet overeen met wat er online zou komen. Die telt daarom niet meer en er is niets "
            "gepubliceerd. Zo is het nu:"
        ),
        Result.UNPUBLISHED: (
            "Ik heb de laatste wijziging van de live website gehaald; daar staat nu weer de vorige versie."
        ),
        Result.UNPUBLISHED_FOR_NOW: (
            "Op de live website staat weer de vorige versie. Latere wijzigingen bouwen voort op wat is weggehaald, dus "
            "het komt bij de volgende publicatie terug, tenzij het voor die tijd wordt gewijzigd."
        ),
        Result.NOTHING_TO_UNPUBLISH: "Er is geen eerdere versie van de live website om naar terug te gaan.",
        Result.NOTHING_TO_STOP: "Er loopt op dit moment niets voor u, dus er viel niets te stoppen.",
        Result.STOPPED: Plural(
            one="Wat al klaar was, blijft behouden. Ik ben hiermee gestopt:",
            more="Wat al klaar was, blijft behouden. Ik ben gestopt met deze {changes} verzoeken:",
        ),
    },
    named_results={
        Result.UNPUBLISHED: "“{subject}” staat niet meer live. Op de website staat nu weer de vorige versie.",
        Result.UNPUBLISHED_FOR_NOW: (
            "“{subject}” staat niet meer live. Op de website staat weer de vorige versie. Latere wijzigingen "
            "bouwen erop voort, dus het komt bij de volgende publicatie terug, tenzij het voor die tijd wordt "
            "gewijzigd."
        ),
    },
    failures={
        Failure.AGENT_FAILED: (
            "Ik was ermee begonnen, maar onderweg ging er iets mis. Op uw website is niets gewijzigd."
        ),
        Failure.AGENT_REFUSED: "Dit kon ik niet doen, dus er is niets gewijzigd.",
        Failure.ONLY_PROTECTED_FILES: (
            "Ik wijzig alleen de inhoud en de vormgeving van uw website. Hiervoor waren andere bestanden nodig "
            "geweest, dus er is niets gewijzigd. Dit is iets voor uw webontwikkelaar."
        ),
        Failure.RISK_FORBIDDEN: (
            "De instellingen van uw website staan dit soort wijzigingen niet toe, dus er is niets gewijzigd. Dit zou "
            "erbij zijn gekomen:"
        ),
        Failure.SECRET_PUBLISHED: (
            "Met deze wijziging zou uw website een waarde aan iedereen tonen die geheim moet blijven, dus er is "
            "niets gewijzigd. Dit is iets voor uw webontwikkelaar."
        ),
        Failure.BUILD_FAILED: (
            "Met deze wijziging kan uw website niet meer worden gebouwd, en ik kon het niet oplossen. Daarom is er "
            "niets gewijzigd. Misschien lukt het als u het anders vraagt of in kleinere stappen."
        ),
        Failure.BUILD_TIMED_OUT: "Het bouwen van de website duurde langer dan toegestaan, dus er is niets gewijzigd.",
        Failure.NO_PACKAGE_FILES: (
            "Uw website mist de bestanden waarin de onderdelen staan vermeld, dus ik kan hem niet bouwen. Dit is iets "
            "voor uw webontwikkelaar."
        ),
        Failure.PACKAGES_NOT_INSTALLED: (
            "Sommige onderdelen van uw website konden niet worden opgehaald, dus er is niets gewijzigd. Probeer het "
            "later nog eens. Blijft het misgaan, dan is dit iets voor uw webontwikkelaar."
        ),
        Failure.GIT_DEPENDENCY: (
            "Uw website gebruikt een onderdeel dat rechtstreeks uit een git-repository komt. Dat wordt hier niet "
            "ondersteund; onderdelen uit een pakketregister wel. Dit is iets voor uw webontwikkelaar."
        ),
        Failure.NETWORK_REFUSED: (
            "Voor het bouwen van uw website is iets van internet nodig dat van hieruit niet bereikbaar is, dus er is "
            "niets gewijzigd. Alles wat de website laat zien, moet er deel van uitmaken."
        ),
        Failure.LINK_LEAVES_SITE: (
            "Een van de bestanden van uw website is een koppeling naar iets buiten de website. Zulke koppelingen volg "
            "ik niet, dus er is niets gewijzigd. Dit is iets voor uw webontwikkelaar."
        ),
        Failure.NO_PAGES: (
            "Uw website is gebouwd, maar op het adres ervan staat geen pagina, dus er is niets gewijzigd. Dit is iets "
            "voor uw webontwikkelaar."
        ),
        Failure.SERVER_RENDERED: (
            "Uw website heeft een server nodig, en dat wordt hier niet ondersteund, dus er is niets gewijzigd. Een "
            "website waarvan de pagina’s bij het bouwen worden gemaakt, zou wel werken. Dit is iets voor uw "
            "webontwikkelaar."
        ),
        Failure.SITE_TOO_LARGE: "De website zou groter worden dan toegestaan, dus er is niets gewijzigd.",
        Failure.BUDGET_SPENT: (
            "Dit zou meer hebben gekost dan voor één verzoek is toegestaan, dus ik ben gestopt en heb niets gewijzigd. "
            "Vraag het alstublieft in kleinere stappen."
        ),
        Failure.MODEL_BUSY: (
            "De AI-dienst waarmee ik werk is op dit moment overbelast, dus er is niets gewijzigd. Stuur uw mail over "
            "ongeveer een uur nog eens."
        ),
        Failure.MODEL_UNAVAILABLE: (
            "De AI-dienst waarmee ik werk is op dit moment niet beschikbaar, dus er is niets gewijzigd. Dat ligt niet "
            "aan u, en de mensen die deze dienst beheren zijn op de hoogte gebracht. Stuur uw mail morgen nog eens."
        ),
        Failure.CONFLICT: (
            "Iemand anders heeft intussen hetzelfde onderdeel gewijzigd. Ik heb die versie behouden en die van u niet "
            "gebruikt; bekijk het even en vraag het opnieuw."
        ),
        Failure.PUBLISH_CONFLICT: (
            "Intussen is er iets gepubliceerd dat botst met dit gesprek, en ik kon die twee niet met elkaar verenigen. "
            "Op de live website is niets gewijzigd; laat me weten hoe het er nu uit moet zien. Het botst hiermee:"
        ),
        Failure.NOT_A_PUBLISHER: "Dit kan alleen iemand die mag publiceren, dus er is niets gewijzigd.",
        Failure.APPROVAL_OUTDATED: (
            "Wat u hebt goedgekeurd, hoort niet meer bij dat gesprek, dus er is niets gepubliceerd. Degene die het "
            "vroeg, kan het opnieuw vragen."
        ),
        Failure.UNSUPPORTED: "“{command}” kan nog niet per mail.",
        Failure.TIMED_OUT: (
            "Dit duurde langer dan toegestaan, dus ik ben gestopt. Probeer het nog eens, misschien in kleinere stappen."
        ),
        Failure.NO_WORKER: "Er was lange tijd geen capaciteit vrij voor uw verzoek. Stuur het later nog eens.",
        Failure.PROJECT_GONE: (
            "Deze website wordt hier niet meer beheerd, dus er is niets gewijzigd. Neem contact op met degene die hem "
            "heeft ingericht."
        ),
        Failure.REPOSITORY_REFUSED: (
            "Ik kon niet bij de bestanden van uw website, dus er is niets gewijzigd. Dat ligt niet aan u, en de mensen "
            "die ervoor zorgen zijn op de hoogte gebracht. Stuur uw mail morgen nog eens."
        ),
        Failure.STOPPED_BY_OPERATOR: (
            "De mensen die deze dienst beheren, hebben dit gestopt voordat het klaar was. Neem contact met hen op of "
            "stuur uw mail later nog eens."
        ),
        Failure.INTERNAL: "Er is bij ons iets misgegaan en we zijn op de hoogte. Stuur uw mail later nog eens.",
    },
    refusals={
        RefusalReason.EMPTY: (
            "Ik heb geen leesbare tekst in uw mail gevonden, dus ik heb niets gewijzigd. Schrijf alstublieft wat er "
            "gewijzigd moet worden."
        ),
        RefusalReason.TOO_LONG: (
            "Uw mail is langer dan ik in één keer kan verwerken. Stuur de wijziging in kleinere delen."
        ),
        RefusalReason.ENCRYPTED: (
            "Uw mail is versleuteld, dus ik kan hem niet lezen. Stuur hem nog eens zonder versleuteling."
        ),
        RefusalReason.TOO_MANY_MAILS: (
            "U hebt meer mails gestuurd dan ik in een uur kan verwerken. Stuur deze nog eens na {time}."
        ),
        RefusalReason.PROJECT_QUOTA_REACHED: (
            "Voor de website “{project}” is het maximale aantal mails voor vandaag bereikt, dus ik heb niets "
            "gewijzigd. Stuur deze nog eens na {time}."
        ),
        RefusalReason.BUDGET_EXHAUSTED: (
            "De daglimiet voor uw verzoeken is bereikt, dus ik heb niets gewijzigd. Stuur deze mail nog eens na {time}."
        ),
        RefusalReason.MONTH_BUDGET_EXHAUSTED: (
            "Het maandbudget van de website “{project}” is op, dus ik heb niets gewijzigd. Stuur deze mail nog eens na "
            "{time}."
        ),
        RefusalReason.NOT_ADDRESSED: (
            "Ik heb niets gewijzigd, want uw mail was niet aan mij gericht: geen van mijn adressen staat in Aan of Cc. "
            "Wilt u iets wijzigen, schrijf dan naar {addresses}"
        ),
        RefusalReason.AMBIGUOUS_PROJECT: (
            "U kunt meer dan één website bewerken. Om welke gaat het? Antwoord gewoon met de naam, dan ga ik aan de "
            "slag. Ik heb uw mail bewaard, u hoeft hem niet opnieuw te sturen."
        ),
        RefusalReason.UNCLEAR_COMMAND: (
            "Bedoelde u “{command}”? Ik heb nog niets gedaan. Zo ja, antwoord dan met alleen dat woord; zo niet, "
            "vertel me dan in een paar woorden meer wat u wilt."
        ),
        RefusalReason.APPROVAL_EXPIRED: (
            "Deze vraag is verlopen, dus ik heb alles gelaten zoals het was. Is het nog gewenst, dan hoeft het "
            "alleen opnieuw gevraagd te worden."
        ),
        RefusalReason.ANSWER_UNCLEAR: (
            "Ik kon dat niet lezen als ja of nee, dus ik heb nog niets gedaan. Bent u akkoord, antwoord dan alleen "
            "met “ja”. Zo niet, dan is “nee” genoeg, of schrijf me in een hele zin wat er anders moet."
        ),
        RefusalReason.PUBLISH_DECLINED: "Prima, ik laat alles zoals het is.",
        RefusalReason.SENDER_NOT_CHECKED: (
            "Ik heb niets gewijzigd, want ik kon het domein van uw mail niet controleren. Stuur de mail nog eens."
        ),
        RefusalReason.SENDER_NOT_PROVED: (
            "Ik heb niets gewijzigd, want ik kon niet vaststellen of de mail echt van uw domein komt. De beheerder van "
            "het domein kan DKIM en DMARC instellen."
        ),
    },
    attachment_problems={
        AttachmentProblem.TOO_MANY: "alleen de eerste {limit} bijlagen van een mail worden gebruikt",
        AttachmentProblem.EMPTY: "het bestand is leeg",
        AttachmentProblem.TOO_LARGE: "het bestand is groter dan {limit} MB",
        AttachmentProblem.UNUSABLE_TYPE: "dit soort bestand kan niet op een website worden gebruikt",
        AttachmentProblem.CAN_CARRY_SCRIPTS: (
            "SVG- en HTML-bestanden kunnen scripts bevatten; stuur liever een afbeelding als PNG, JPEG of WebP"
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
    preempted="Uw nieuwere mail kwam binnen voordat ik met deze klaar was, dus ik ben met de nieuwere verdergegaan.",
    went_to="Mijn antwoord op “{subject}” geldt voor beide.",
    not_handed_over="Hiervoor is niets gewijzigd. Wilt u het nog steeds, stuur de mail dan opnieuw.",
    tries_again=(
        "De AI-dienst waarmee ik werk is op dit moment overbelast, dus er is nog niets gewijzigd. Ik probeer het op "
        "{time} opnieuw en laat u dan weten hoe het ging. Schrijft u eerder, dan doe ik alles in één keer."
    ),
    stopped="U vroeg me te stoppen, dus ik ben hiermee gestopt.",
    partial_work_kept=(
        "Wat al gedaan was, blijft bewaard, maar staat niet in het voorbeeld. Uw volgende mail hier bepaalt wat "
        "ermee gebeurt."
    ),
    earlier_included="Ik heb hieraan gewerkt samen met uw eerdere mail “{subject}”.",
    earlier_separate=(
        "Wat ik al had gedaan voor uw eerdere mail “{subject}”, staat als aparte wijziging ook in het voorbeeld."
    ),
    earlier_removed=(
        "Waar ik voor uw eerdere mail “{subject}” aan begonnen was, kon niet behouden blijven, dus ik heb het "
        "verwijderd. Wilt u het nog steeds, stuur die mail dan opnieuw."
    ),
    earlier_not_started=(
        "Voor uw eerdere mail “{subject}” had ik nog niets gewijzigd. Wilt u het nog steeds, stuur die mail dan "
        "opnieuw."
    ),
    earlier_kept=(
        "Wat u in uw eerdere mail “{subject}” vroeg, staat nog niet in het voorbeeld. Bij uw volgende mail hier kom "
        "ik erop terug."
    ),
    reply_to_question="Voor deze mail heb ik nog niets gewijzigd. Ik ga verder zodra u antwoordt.",
    preview="Bekijk de wijziging",
    not_online="De website is nog niet via internet bereikbaar; daarom staat er geen link in deze mail.",
    pages="Deze pagina’s zijn gewijzigd",
    new_page="nieuw",
    removed_page="verwijderd",
    before="eerst:",
    after="nu:",
    more_pages=Plural(
        one="Er is ook nog één andere pagina gewijzigd.", more=("Er zijn ook nog {number} andere pagina’s gewijzigd.")
    ),
    risks="Controleer dit voordat het live gaat",
    risk_lines={
        RiskKind.LOADED_HOST: "laadt iets van {detail}",
        RiskKind.LINKED_HOST: "linkt naar {detail}",
        RiskKind.SCRIPT: "nieuwe of gewijzigde programmacode: {detail}",
        RiskKind.FORM: "een formulier dat ingevulde gegevens naar {detail} stuurt",
        RiskKind.FRAME: "toont een pagina van {detail}",
        RiskKind.REDIRECT: "stuurt bezoekers door naar een ander adres: {detail}",
        RiskKind.SERVICE_WORKER: "programmacode die in de browsers van bezoekers blijft: {detail}",
        RiskKind.FILE: "nieuw of gewijzigd bestand: {detail}",
        RiskKind.NOT_COMPARED: "Ik kon de website niet vergelijken met hoe die eerst was; bekijk haar goed",
    },
    more_risks=Plural(
        one="Er is nog één ander punt van deze soort.", more="Er zijn nog {number} andere punten van deze soort."
    ),
    reverted_files="Bestanden die ik heb gelaten zoals ze waren, omdat ik alleen inhoud en vormgeving wijzig",
    more_reverted_files=Plural(
        one="Nog één ander bestand is gebleven zoals het was.",
        more="Nog {number} andere bestanden zijn gebleven zoals ze waren.",
    ),
    not_done="Wat ik niet kon doen",
    refused_attachments="Bijlagen die ik niet kon gebruiken",
    running="Hier werk ik nu aan",
    waiting="Staat nog in de wachtrij",
    changes_made="Gewijzigd in dit gesprek",
    is_live="online",
    taken_off="van de live website gehaald",
    undone_still_live="ongedaan gemaakt, nog online tot u opnieuw publiceert",
    still_live="Op de live website blijft het staan tot u opnieuw publiceert.",
    live="Naar de live website",
    publish_question=(
        "{asker} wil “{subject}” online zetten op “{project}”. Bekijk het even en antwoord “ja” als het gepubliceerd "
        "mag worden. Zo niet, dan hoeft u niets te doen. De vraag verloopt op {time}."
    ),
    own_questions={
        Command.PUBLISH: (
            "Zal ik “{subject}” online zetten? Bekijk het even en antwoord met alleen “ja” als het klopt. Zo niet, "
            "dan hoeft u niets te doen. De vraag verloopt op {time}."
        ),
        Command.UNPUBLISH: (
            "Zal ik “{subject}” van de live website halen? Die toont dan weer de vorige versie. Antwoord met "
            "alleen “ja” als u dat wilt. Zo niet, dan hoeft u niets te doen. De vraag verloopt op {time}."
        ),
    },
    request_asked_again=(
        "“{subject}” staat nog niet online: mijn vraag kwam niet overeen met wat er online zou komen. Ik heb het "
        "opnieuw gevraagd voor hoe het nu is."
    ),
    request_outdated=(
        "“{subject}” is niet gepubliceerd, want het hoort niet meer bij dit gesprek. Antwoord “{publish}”, dan vraag "
        "ik het opnieuw voor hoe het nu is."
    ),
    next_steps=(
        "Antwoord “{publish}” om het online te zetten of “{undo}” om het terug te draaien. Of schrijf gewoon wat u nog "
        "meer wilt."
    ),
    unpublish_hint="Antwoord “{unpublish}” om het weer offline te halen.",
    guide="Uitleg met voorbeelden",
    reply_hint="Beantwoord gewoon deze mail om verder te gaan.",
    developer_informed="De technische details zijn naar {developer} gestuurd.",
    developer_note=(
        "Een per mail gevraagde wijziging op “{project}” kon niet worden aangebracht. Dit meldden de hulpprogramma’s:"
    ),
    stale_lock=(
        "Op “{project}” zijn andere pakketten geïnstalleerd dan in {lock} staan, omdat dat bestand niet overeenkomt "
        "met package.json. Wat er wordt geïnstalleerd, kan van dag tot dag veranderen totdat iemand een installatie "
        "uitvoert en {lock} commit."
    ),
    empty_folders=(
        "Op “{project}” zijn deze mappen leeg: {folders}. Het zijn submodules die niet zijn opgehaald; alleen "
        "repositories op dezelfde host als die van de site worden opgehaald. De site is zonder die submodules gebouwd."
    ),
    small_print="{seconds} seconden, ${dollars}",
)

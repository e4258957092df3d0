"""Sentences in German."""

from __future__ import annotations

from webordinary.answers.language import Language, Plural
from webordinary.contract.outcomes import AttachmentProblem, Command, Failure, RefusalReason, Result, RiskKind

LANGUAGE = Language(
    code="de",
    date="{day}. {month} {year}, {time} UTC",
    months="Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    results={
        Result.CHANGED: "„{subject}“ ist erledigt.",
        Result.PARTLY_CHANGED: "„{subject}“ ist teilweise erledigt.",
        Result.ASKED: "Bevor ich etwas ändere, habe ich eine Frage.",
        Result.NOTHING_CHANGED: "Es gab nichts zu ändern.",
        Result.UNDONE: "„{subject}“ wurde rückgängig gemacht.",
        Result.NOTHING_TO_UNDO: "In dieser Unterhaltung gibt es nichts rückgängig zu machen.",
        Result.BUILT: "Die Website wurde neu erstellt und die Vorschau ist aktuell.",
        Result.COMMITTED: "Die Änderungen wurden gespeichert.",
        Result.NOTHING_TO_COMMIT: "Es gab nichts zu speichern.",
        Result.PUSHED: "Der Branch dieser Unterhaltung wurde übertragen.",
        Result.STATUS: Plural(
            none="In dieser Unterhaltung wurde noch nichts geändert.",
            one="In dieser Unterhaltung wurde eine Änderung vorgenommen.",
            more="In dieser Unterhaltung wurden {changes} Änderungen vorgenommen.",
        ),
        Result.HELP: (
            "Schreiben Sie einfach in Ihren eigenen Worten, was sich auf Ihrer Website ändern soll, und hängen Sie "
            "passende Bilder oder Dokumente an. Um weiterzumachen, antworten Sie in derselben Unterhaltung. Eine Mail, "
            "in der nur „rückgängig“ steht, nimmt die letzte Änderung der Unterhaltung zurück, „status“ sagt Ihnen, "
            "was gerade läuft, „stopp“ bricht die laufende Arbeit ab, „veröffentlichen“ stellt die Änderungen live und "
            "„Veröffentlichung zurücknehmen“ nimmt die letzten wieder offline."
        ),
        Result.PUBLISHED: "„{subject}“ ist jetzt live.",
        Result.ALREADY_LIVE: "Alles aus dieser Unterhaltung ist bereits live.",
        Result.NOTHING_TO_PUBLISH: "In dieser Unterhaltung gibt es nichts zu veröffentlichen.",
        Result.PREVIEW_CHANGED: (
            "Die Vorschau hat sich geändert, seit Sie sie zuletzt gesehen haben, deshalb habe ich noch nichts "
            "veröffentlicht. Bitte sehen Sie sie sich an und antworten Sie noch einmal mit „veröffentlichen“, wenn "
            "alles stimmt."
        ),
        Result.PUBLISH_ASKED: (
            "Ich habe bei allen, die veröffentlichen dürfen, nachgefragt, ob „{subject}“ live gehen kann. Sobald "
            "jemand zustimmt, geht es live."
        ),
        Result.PUBLISH_ASKED_AGAIN: (
            "Meine Anfrage stimmt nicht mit dem überein, was live gehen würde. Sie gilt deshalb nicht mehr, und es "
            "wurde nichts veröffentlicht. So sieht es jetzt aus:"
        ),
        Result.UNPUBLISHED: (
            "Ich habe die letzte Änderung von der Live-Website genommen; dort ist jetzt wieder die vorherige Version "
            "zu sehen."
        ),
        Result.UNPUBLISHED_FOR_NOW: (
            "Auf der Live-Website ist wieder die vorherige Version zu sehen. Spätere Änderungen bauen allerdings auf "
            "dem auf, was entfernt wurde. Es kommt also mit der nächsten Veröffentlichung zurück, wenn es vorher nicht "
            "geändert wird."
        ),
        Result.NOTHING_TO_UNPUBLISH: "Es gibt keine frühere Version der Live-Website, zu der ich zurückkehren könnte.",
        Result.NOTHING_TO_STOP: "Für Sie läuft gerade nichts, also gab es nichts abzubrechen.",
        Result.STOPPED: Plural(
            one="Was schon fertig war, bleibt erhalten. Die Arbeit daran habe ich abgebrochen:",
            more=(
                "Was schon fertig war, bleibt erhalten. Die Arbeit an diesen {changes} Aufträgen habe ich abgebrochen:"
            ),
        ),
    },
    named_results={
        Result.UNPUBLISHED: (
            "„{subject}“ ist nicht mehr live. Auf der Website ist jetzt wieder die vorherige Version zu sehen."
        ),
        Result.UNPUBLISHED_FOR_NOW: (
            "„{subject}“ ist nicht mehr live. Auf der Website ist wieder die vorherige Version zu sehen. Spätere "
            "Änderungen bauen allerdings darauf auf. Mit der nächsten Veröffentlichung kommt es also zurück, "
            "wenn es vorher nicht geändert wird."
        ),
    },
    failures={
        Failure.AGENT_FAILED: (
            "Ich habe damit angefangen, aber dabei ist etwas schiefgegangen. An Ihrer Website hat sich nichts geändert."
        ),
        Failure.AGENT_REFUSED: "Das konnte ich leider nicht umsetzen, deshalb wurde nichts geändert.",
        Failure.ONLY_PROTECTED_FILES: (
            "Ich ändere nur Inhalt und Gestaltung Ihrer Website. Dafür wären andere Dateien nötig gewesen, deshalb "
            "wurde nichts geändert. Das ist ein Fall für Ihre Webentwicklung."
        ),
        Failure.RISK_FORBIDDEN: (
            "Die Einstellungen Ihrer Website lassen so eine Änderung nicht zu, deshalb wurde nichts geändert. Das "
            "wäre hinzugekommen:"
        ),
        Failure.SECRET_PUBLISHED: (
            "Mit dieser Änderung hätte Ihre Website einen Wert für alle sichtbar gemacht, der geheim bleiben muss. "
            "Deshalb wurde nichts geändert. Das ist ein Fall für Ihre Webentwicklung."
        ),
        Failure.BUILD_FAILED: (
            "Mit dieser Änderung lässt sich Ihre Website nicht mehr erstellen, und ich konnte das nicht beheben. "
            "Deshalb wurde nichts geändert. Vielleicht klappt es, wenn Sie es anders formulieren oder in kleinere "
            "Schritte aufteilen."
        ),
        Failure.BUILD_TIMED_OUT: (
            "Das Erstellen der Website hat länger gedauert als erlaubt, deshalb wurde nichts geändert."
        ),
        Failure.NO_PACKAGE_FILES: (
            "Ihrer Website fehlen die Dateien, in denen ihre Bausteine aufgeführt sind. So kann ich sie nicht "
            "erstellen. Das ist ein Fall für Ihre Webentwicklung."
        ),
        Failure.PACKAGES_NOT_INSTALLED: (
            "Einige Bausteine Ihrer Website ließen sich nicht herunterladen, deshalb wurde nichts geändert. Bitte "
            "versuchen Sie es später noch einmal. Wenn das Problem bleibt, ist es ein Fall für Ihre Webentwicklung."
        ),
        Failure.GIT_DEPENDENCY: (
            "Ihre Website verwendet einen Baustein, der direkt aus einem Git-Repository kommt. Das wird hier nicht "
            "unterstützt; Bausteine aus einer Paket-Registry schon. Das ist ein Fall für Ihre Webentwicklung."
        ),
        Failure.NETWORK_REFUSED: (
            "Um Ihre Website zu erstellen, wird etwas aus dem Internet gebraucht, das von hier aus nicht erreichbar "
            "ist. Deshalb wurde nichts geändert. Alles, was die Website zeigt, muss zu ihr gehören."
        ),
        Failure.LINK_LEAVES_SITE: (
            "Eine der Dateien Ihrer Website ist eine Verknüpfung, die aus der Website hinausführt. Solchen "
            "Verknüpfungen folge ich nicht, deshalb wurde nichts geändert. Das ist ein Fall für Ihre Webentwicklung."
        ),
        Failure.NO_PAGES: (
            "Ihre Website ließ sich erstellen, aber unter ihrer Adresse gibt es keine Seite. Deshalb wurde nichts "
            "geändert. Das ist ein Fall für Ihre Webentwicklung."
        ),
        Failure.SERVER_RENDERED: (
            "Ihre Website braucht einen Server, und das wird hier nicht unterstützt. Deshalb wurde nichts geändert. "
            "Eine Website, deren Seiten schon beim Erstellen erzeugt werden, würde funktionieren. Das ist ein Fall für "
            "Ihre Webentwicklung."
        ),
        Failure.SITE_TOO_LARGE: "Damit würde die Website größer als erlaubt, deshalb wurde nichts geändert.",
        Failure.BUDGET_SPENT: (
            "Das hätte mehr gekostet, als ein einzelner Auftrag kosten darf. Deshalb habe ich aufgehört und nichts "
            "geändert. Bitte teilen Sie es in kleinere Schritte auf."
        ),
        Failure.MODEL_BUSY: (
            "Der KI-Dienst, mit dem ich arbeite, ist gerade überlastet, deshalb wurde nichts geändert. Bitte senden "
            "Sie Ihre Mail in etwa einer Stunde noch einmal."
        ),
        Failure.MODEL_UNAVAILABLE: (
            "Der KI-Dienst, mit dem ich arbeite, steht zurzeit nicht zur Verfügung, deshalb wurde nichts geändert. "
            "Das liegt nicht an Ihnen, und die Zuständigen sind informiert. Bitte senden Sie Ihre Mail morgen noch "
            "einmal."
        ),
        Failure.CONFLICT: (
            "Jemand anderes hat inzwischen dieselbe Stelle geändert. Ich habe diese Fassung behalten und Ihre nicht "
            "verwendet. Bitte sehen Sie sich das an und schreiben Sie mir noch einmal."
        ),
        Failure.PUBLISH_CONFLICT: (
            "Inzwischen wurde etwas veröffentlicht, das mit dieser Unterhaltung in Konflikt steht, und ich konnte "
            "beides nicht zusammenführen. An der Live-Website hat sich nichts geändert. Bitte schreiben Sie mir, wie "
            "es jetzt aussehen soll. Der Konflikt besteht hiermit:"
        ),
        Failure.NOT_A_PUBLISHER: (
            "Das geht nur mit der Berechtigung zum Veröffentlichen, deshalb wurde nichts geändert."
        ),
        Failure.APPROVAL_OUTDATED: (
            "Was Sie freigegeben haben, gehört nicht mehr zu jener Unterhaltung, deshalb wurde nichts veröffentlicht. "
            "Wer gefragt hat, kann noch einmal fragen."
        ),
        Failure.UNSUPPORTED: "„{command}“ ist per Mail noch nicht möglich.",
        Failure.TIMED_OUT: (
            "Das hat länger gedauert als erlaubt, deshalb habe ich aufgehört. Bitte versuchen Sie es noch einmal, "
            "vielleicht in kleineren Schritten."
        ),
        Failure.NO_WORKER: (
            "Dafür war lange Zeit keine Kapazität frei. Bitte senden Sie Ihre Mail später noch einmal."
        ),
        Failure.PROJECT_GONE: (
            "Diese Website wird hier nicht mehr betreut, deshalb wurde nichts geändert. Bitte wenden Sie sich an die "
            "Person, die sie eingerichtet hat."
        ),
        Failure.REPOSITORY_REFUSED: (
            "Ich konnte nicht auf die Dateien Ihrer Website zugreifen, deshalb wurde nichts geändert. Das liegt nicht "
            "an Ihnen, und die Zuständigen sind informiert. Bitte senden Sie Ihre Mail morgen noch einmal."
        ),
        Failure.STOPPED_BY_OPERATOR: (
            "Die Betreiber dieses Dienstes haben die Arbeit abgebrochen, bevor sie fertig war. Bitte fragen Sie dort "
            "nach oder senden Sie Ihre Mail später noch einmal."
        ),
        Failure.INTERNAL: (
            "Bei uns ist etwas schiefgegangen, und wir wissen Bescheid. Bitte senden Sie Ihre Mail später noch einmal."
        ),
    },
    refusals={
        RefusalReason.EMPTY: (
            "In Ihrer Mail habe ich keinen lesbaren Text gefunden, deshalb habe ich nichts geändert. Bitte schreiben "
            "Sie mir, was sich ändern soll."
        ),
        RefusalReason.TOO_LONG: (
            "Ihre Mail ist länger, als ich auf einmal verarbeiten kann. Bitte senden Sie die Änderung in kleineren "
            "Teilen."
        ),
        RefusalReason.ENCRYPTED: (
            "Ihre Mail ist verschlüsselt, deshalb kann ich sie nicht lesen. Bitte senden Sie sie noch einmal ohne "
            "Verschlüsselung."
        ),
        RefusalReason.TOO_MANY_MAILS: (
            "Sie haben mehr Mails geschickt, als ich in einer Stunde bearbeiten kann. Bitte senden Sie diese nach "
            "dem {time} noch einmal."
        ),
        RefusalReason.PROJECT_QUOTA_REACHED: (
            "Für die Website „{project}“ ist die Höchstzahl an Mails für heute erreicht, deshalb habe ich nichts "
            "geändert. Bitte senden Sie diese nach dem {time} noch einmal."
        ),
        RefusalReason.BUDGET_EXHAUSTED: (
            "Das Tageslimit für Ihre Aufträge ist erreicht, deshalb habe ich nichts geändert. Bitte senden Sie diese "
            "Mail nach dem {time} noch einmal."
        ),
        RefusalReason.MONTH_BUDGET_EXHAUSTED: (
            "Das Monatsbudget für die Website „{project}“ ist aufgebraucht, deshalb habe ich nichts geändert. Bitte "
            "senden Sie diese Mail nach dem {time} noch einmal."
        ),
        RefusalReason.NOT_ADDRESSED: (
            "Ich habe nichts geändert, weil Ihre Mail nicht an mich gerichtet war: Keine meiner Adressen steht unter "
            "An oder Cc. Wenn sich etwas ändern soll, schreiben Sie bitte an {addresses}"
        ),
        RefusalReason.AMBIGUOUS_PROJECT: (
            "Sie können mehrere Websites bearbeiten. Um welche geht es? Antworten Sie einfach mit ihrem Namen, dann "
            "lege ich los. Ihre Mail habe ich aufgehoben, Sie müssen sie nicht noch einmal senden."
        ),
        RefusalReason.UNCLEAR_COMMAND: (
            "Meinten Sie „{command}“? Ich habe noch nichts getan. Falls ja, antworten Sie bitte nur mit diesem Wort; "
            "sonst schreiben Sie mir kurz, was Sie möchten."
        ),
        RefusalReason.APPROVAL_EXPIRED: (
            "Diese Anfrage ist abgelaufen, deshalb habe ich alles so gelassen, wie es ist. Wenn das noch gewünscht "
            "ist, genügt eine neue Anfrage."
        ),
        RefusalReason.ANSWER_UNCLEAR: (
            "Das konnte ich weder als Ja noch als Nein lesen, deshalb habe ich noch nichts unternommen. Wenn Sie "
            "einverstanden sind, antworten Sie bitte nur mit „ja“. Wenn nicht, genügt „nein“. Oder schreiben Sie mir "
            "in einem ganzen Satz, was anders werden soll."
        ),
        RefusalReason.PUBLISH_DECLINED: "In Ordnung, ich lasse alles, wie es ist.",
        RefusalReason.SENDER_NOT_CHECKED: (
            "Ich habe nichts geändert, weil ich die Domain Ihrer Mail nicht überprüfen konnte. Bitte senden Sie die "
            "Mail noch einmal."
        ),
        RefusalReason.SENDER_NOT_PROVED: (
            "Ich habe nichts geändert, weil ich nicht feststellen konnte, ob die Mail wirklich von Ihrer Domain kommt. "
            "Wer die Domain verwaltet, kann DKIM und DMARC einrichten."
        ),
    },
    attachment_problems={
        AttachmentProblem.TOO_MANY: "es werden nur die ersten {limit} Anhänge einer Mail verwendet",
        AttachmentProblem.EMPTY: "ist leer",
        AttachmentProblem.TOO_LARGE: "ist größer als {limit} MB",
        AttachmentProblem.UNUSABLE_TYPE: "dieser Dateityp lässt sich auf einer Website nicht verwenden",
        AttachmentProblem.CAN_CARRY_SCRIPTS: (
            "SVG- und HTML-Dateien können Skripte enthalten; bitte senden Sie stattdessen ein Bild als PNG, JPEG oder "
            "WebP"
        ),
        AttachmentProblem.DAMAGED_ARCHIVE: "das Archiv ist beschädigt",
        AttachmentProblem.UNPACKS_TO_FAR_MORE: "wäre entpackt viel größer, als es den Anschein hat",
        AttachmentProblem.ARCHIVE: "Archive werden nicht entpackt; bitte hängen Sie die Dateien selbst an",
        AttachmentProblem.TOO_MANY_PIXELS: "das Bild hat mehr als {limit} Megapixel",
        AttachmentProblem.DAMAGED_PICTURE: "das Bild ist beschädigt und lässt sich nicht öffnen",
        AttachmentProblem.NOT_PROCESSED: "konnte nicht verarbeitet werden",
    },
    words={
        Command.PUBLISH: "veröffentlichen",
        Command.UNPUBLISH: "Veröffentlichung zurücknehmen",
        Command.UNDO: "rückgängig",
        Command.STATUS: "status",
        Command.STOP: "stopp",
    },
    preempted="Ihre neuere Mail kam, bevor ich mit dieser fertig war, deshalb habe ich mit der neueren weitergemacht.",
    went_to="Meine Antwort auf „{subject}“ gilt für beide.",
    not_handed_over=(
        "Dafür wurde nichts geändert. Wenn Sie es weiterhin möchten, senden Sie die Mail bitte noch einmal."
    ),
    tries_again=(
        "Der KI-Dienst, mit dem ich arbeite, ist gerade überlastet, deshalb ist noch nichts geändert. Ich versuche es "
        "am {time} noch einmal und schreibe Ihnen dann. Wenn Sie vorher schreiben, erledige ich beides zusammen."
    ),
    stopped="Sie haben mich gebeten aufzuhören, deshalb habe ich die Arbeit daran abgebrochen.",
    partial_work_kept=(
        "Was bis dahin fertig war, bleibt erhalten, ist aber nicht in der Vorschau. Ihre nächste Mail hier "
        "entscheidet, was damit geschieht."
    ),
    earlier_included="Daran habe ich zusammen mit Ihrer früheren Mail „{subject}“ gearbeitet.",
    earlier_separate=(
        "Was ich für Ihre frühere Mail „{subject}“ schon gemacht hatte, ist als eigene Änderung ebenfalls in der "
        "Vorschau."
    ),
    earlier_removed=(
        "Was ich für Ihre frühere Mail „{subject}“ angefangen hatte, ließ sich nicht behalten, deshalb habe ich es "
        "entfernt. Wenn Sie es weiterhin möchten, senden Sie sie bitte noch einmal."
    ),
    earlier_not_started=(
        "Für Ihre frühere Mail „{subject}“ hatte ich noch nichts geändert. Wenn Sie es weiterhin möchten, senden Sie "
        "sie bitte noch einmal."
    ),
    earlier_kept=(
        "Was Sie sich in Ihrer früheren Mail „{subject}“ gewünscht haben, ist noch nicht in der Vorschau. Mit Ihrer "
        "nächsten Mail hier komme ich darauf zurück."
    ),
    reply_to_question="Für diese Mail habe ich noch nichts geändert. Sobald Sie antworten, mache ich weiter.",
    preview="Änderung ansehen",
    not_online="Die Website ist noch nicht im Internet erreichbar, deshalb enthält diese Mail keinen Link.",
    pages="Diese Seiten haben sich geändert",
    new_page="neu",
    removed_page="entfernt",
    before="vorher:",
    after="jetzt:",
    more_pages=Plural(
        one="Eine weitere Seite hat sich ebenfalls geändert.",
        more="{number} weitere Seiten haben sich ebenfalls geändert.",
    ),
    risks="Bitte prüfen, bevor es live geht",
    risk_lines={
        RiskKind.LOADED_HOST: "lädt etwas von {detail}",
        RiskKind.LINKED_HOST: "verlinkt auf {detail}",
        RiskKind.SCRIPT: "neuer oder geänderter Programmcode: {detail}",
        RiskKind.FORM: "ein Formular, das Eingaben an {detail} sendet",
        RiskKind.FRAME: "zeigt eine Seite von {detail}",
        RiskKind.REDIRECT: "leitet an eine andere Adresse weiter: {detail}",
        RiskKind.SERVICE_WORKER: "Programmcode, der in den Browsern der Besucher bleibt: {detail}",
        RiskKind.FILE: "neue oder geänderte Datei: {detail}",
        RiskKind.NOT_COMPARED: (
            "Ich konnte die Website nicht mit dem vorherigen Stand vergleichen, bitte sehen Sie sie sich genau an"
        ),
    },
    more_risks=Plural(one="Ein weiterer Punkt dieser Art.", more="{number} weitere Punkte dieser Art."),
    reverted_files="Dateien, die ich unverändert gelassen habe, weil ich nur Inhalt und Gestaltung ändere",
    more_reverted_files=Plural(
        one="Eine weitere Datei blieb ebenfalls unverändert.",
        more="{number} weitere Dateien blieben ebenfalls unverändert.",
    ),
    not_done="Was ich nicht umsetzen konnte",
    refused_attachments="Anhänge, die ich nicht verwenden konnte",
    running="Daran arbeite ich gerade",
    waiting="Noch in der Warteschlange",
    changes_made="In dieser Unterhaltung geändert",
    is_live="live",
    taken_off="von der Live-Website genommen",
    undone_still_live="zurückgenommen, bis zur nächsten Veröffentlichung noch live",
    still_live="Auf der Live-Website ist die Änderung noch zu sehen, bis Sie wieder veröffentlichen.",
    live="Zur Live-Website",
    publish_question=(
        "{asker} möchte „{subject}“ auf „{project}“ live stellen. Bitte sehen Sie es sich an und antworten Sie mit "
        "„ja“, wenn es veröffentlicht werden darf. Wenn nicht, brauchen Sie nichts zu tun. Die Anfrage gilt bis "
        "zum {time}."
    ),
    own_questions={
        Command.PUBLISH: (
            "Soll ich „{subject}“ live stellen? Bitte sehen Sie es sich an, und wenn alles stimmt, antworten Sie "
            "einfach mit „ja“. Wenn nicht, brauchen Sie nichts zu tun. Die Frage gilt bis zum {time}."
        ),
        Command.UNPUBLISH: (
            "Soll ich „{subject}“ von der Live-Website nehmen? Sie zeigt dann wieder die vorige Version. Wenn ja, "
            "antworten Sie einfach mit „ja“. Wenn nicht, brauchen Sie nichts zu tun. Die Frage gilt bis zum {time}."
        ),
    },
    request_asked_again=(
        "„{subject}“ ist noch nicht live, denn meine Anfrage stimmte nicht mit dem überein, was live gehen würde. Ich "
        "habe zum jetzigen Stand noch einmal nachgefragt."
    ),
    request_outdated=(
        "„{subject}“ wurde nicht veröffentlicht, weil es nicht mehr zu dieser Unterhaltung gehört. Antworten Sie mit "
        "„{publish}“, dann frage ich zum jetzigen Stand noch einmal nach."
    ),
    next_steps=(
        "Antworten Sie mit „{publish}“, um es live zu stellen, oder mit „{undo}“, um es zurückzunehmen. Oder schreiben "
        "Sie einfach, was Sie noch möchten."
    ),
    unpublish_hint="Antworten Sie mit „{unpublish}“, um es wieder offline zu nehmen.",
    guide="Anleitung mit Beispielen",
    reply_hint="Antworten Sie einfach auf diese Mail, um weiterzumachen.",
    developer_informed="Die technischen Details wurden an {developer} gesendet.",
    developer_note=(
        "Eine per Mail gewünschte Änderung an „{project}“ war nicht möglich. Das haben die Werkzeuge gemeldet:"
    ),
    stale_lock=(
        "Für „{project}“ wurden andere Pakete installiert, als in {lock} stehen, weil die Datei nicht zu package.json "
        "passt. Was installiert wird, kann sich von Tag zu Tag ändern, bis jemand eine Installation ausführt und "
        "{lock} committet."
    ),
    empty_folders=(
        "In „{project}“ sind diese Ordner leer: {folders}. Es sind Submodule, die nicht abgerufen wurden; abgerufen "
        "werden nur Repositorys auf demselben Host wie das der Website. Die Website wurde ohne sie erstellt."
    ),
    small_print="{seconds} Sekunden, {dollars} $",
)

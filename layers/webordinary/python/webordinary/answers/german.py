"""The sentences in German."""

from __future__ import annotations

from webordinary.answers.language import Language, Plural
from webordinary.contract.outcomes import AttachmentProblem, Command, Failure, RefusalReason, Result

LANGUAGE = Language(
    code="de",
    results={
        Result.CHANGED: "„{subject}“ ist erledigt.",
        Result.PARTLY_CHANGED: "„{subject}“ ist zum Teil erledigt.",
        Result.ASKED: "Bevor ich etwas ändere, muss ich eines wissen.",
        Result.NOTHING_CHANGED: "Es war nichts zu ändern.",
        Result.UNDONE: "„{subject}“ wurde zurückgenommen.",
        Result.NOTHING_TO_UNDO: "In dieser Unterhaltung gibt es nichts, was zurückgenommen werden könnte.",
        Result.BUILT: "Die Website wurde neu erstellt, die Vorschau ist auf dem neuesten Stand.",
        Result.COMMITTED: "Die Änderungen wurden festgehalten.",
        Result.NOTHING_TO_COMMIT: "Es gab nichts festzuhalten.",
        Result.PUSHED: "Der Zweig dieser Unterhaltung wurde übertragen.",
        Result.STATUS: Plural(
            none="In dieser Unterhaltung wurde noch nichts geändert.",
            one="In dieser Unterhaltung gab es eine Änderung.",
            more="In dieser Unterhaltung gab es {changes} Änderungen.",
        ),
        Result.HELP: (
            "Schreiben Sie in eigenen Worten, was auf Ihrer Website anders werden soll; hängen Sie Bilder oder "
            "Dokumente an, wenn sie dazugehören. Antworten Sie in derselben Unterhaltung, um fortzufahren. Eine "
            "Mail, in der nur „rückgängig“ steht, nimmt die letzte Änderung der Unterhaltung zurück, „status“ sagt, "
            "was gerade geschieht, „stopp“ bricht es ab, „veröffentlichen“ bringt die Änderungen auf die Website, "
            "„Veröffentlichung zurücknehmen“ nimmt die letzten wieder herunter."
        ),
        Result.PUBLISHED: "„{subject}“ ist jetzt live.",
        Result.ALREADY_LIVE: "Alles aus dieser Unterhaltung ist schon live.",
        Result.NOTHING_TO_PUBLISH: "In dieser Unterhaltung gibt es nichts, was veröffentlicht werden könnte.",
        Result.PUBLISH_ASKED: (
            "Ich habe alle gefragt, die veröffentlichen dürfen, ob „{subject}“ live gehen darf. Sobald jemand "
            "Ja sagt, geschieht es."
        ),
        Result.UNPUBLISHED: "Die letzte Änderung wurde von der Website genommen; sie zeigt wieder den Stand davor.",
        Result.UNPUBLISHED_FOR_NOW: (
            "Die Website zeigt wieder den Stand davor. Spätere Änderungen bauen auf dem auf, was weggenommen "
            "wurde; es kommt also mit der nächsten Veröffentlichung zurück, wenn es vorher nicht geändert wird."
        ),
        Result.NOTHING_TO_UNPUBLISH: "Es gibt keinen früheren Stand der Website, der zurückgeholt werden könnte.",
        Result.NOTHING_TO_STOP: "Für Sie läuft gerade nichts, also gab es nichts abzubrechen.",
        Result.STOPPED: Plural(
            one="Was vorher fertig war, bleibt. Ich habe die Arbeit daran abgebrochen:",
            more="Was vorher fertig war, bleibt. Ich habe die Arbeit an diesen {changes} Aufträgen abgebrochen:",
        ),
    },
    failures={
        Failure.AGENT_FAILED: (
            "Ich habe damit begonnen, aber unterwegs ging etwas schief. An Ihrer Website wurde nichts geändert."
        ),
        Failure.AGENT_REFUSED: "Das konnte ich nicht tun, also wurde nichts geändert.",
        Failure.BUILD_FAILED: (
            "Mit dieser Änderung ließ sich Ihre Website nicht mehr zusammensetzen, und ich konnte es nicht beheben. "
            "Deshalb wurde nichts geändert. Vielleicht geht es anders formuliert oder in kleineren Schritten."
        ),
        Failure.BUILD_TIMED_OUT: (
            "Das Zusammensetzen der Website hat länger gedauert als erlaubt, deshalb wurde nichts geändert."
        ),
        Failure.NO_PACKAGE_FILES: (
            "Ihrer Website fehlen die Dateien, die sagen, woraus sie besteht; so kann ich sie nicht zusammensetzen. "
            "Darum muss sich kümmern, wer sie entwickelt."
        ),
        Failure.PACKAGES_NOT_INSTALLED: (
            "Einige Bausteine Ihrer Website ließen sich nicht holen, deshalb wurde nichts geändert. Bitte versuchen "
            "Sie es später noch einmal; bleibt es dabei, muss es sich ansehen, wer die Website entwickelt."
        ),
        Failure.GIT_DEPENDENCY: (
            "Ihre Website verwendet einen Baustein, der direkt aus einem Git-Repository kommt. Solche werden nicht "
            "geholt, einer aus einem Paketverzeichnis schon. Das ist etwas für die Entwicklung der Website."
        ),
        Failure.NETWORK_REFUSED: (
            "Um Ihre Website zusammenzusetzen, wird etwas aus dem Internet gebraucht, das hier nicht erreichbar ist; "
            "deshalb wurde nichts geändert. Was die Website zeigt, muss zu ihr gehören."
        ),
        Failure.LINK_LEAVES_SITE: (
            "Unter den Dateien Ihrer Website ist eine Verknüpfung, die aus ihr hinausführt. Solchen folge ich nicht, "
            "deshalb wurde nichts geändert. Das ist etwas für die Entwicklung der Website."
        ),
        Failure.NO_PAGES: (
            "Ihre Website wurde zusammengesetzt, aber unter ihrer Adresse gibt es keine Seite; deshalb wurde nichts "
            "geändert. Darum muss sich kümmern, wer sie entwickelt."
        ),
        Failure.SERVER_RENDERED: (
            "Ihre Website braucht einen eigenen Server, den es hier nicht gibt; deshalb wurde nichts geändert. Mit "
            "einer, deren Seiten beim Zusammensetzen fertig werden, ginge es. Darum muss sich kümmern, wer sie "
            "entwickelt."
        ),
        Failure.SITE_TOO_LARGE: "Die Website würde größer, als sie sein darf, deshalb wurde nichts geändert.",
        Failure.BUDGET_SPENT: (
            "Das hätte mehr gekostet, als ein Auftrag kosten darf, also habe ich aufgehört und nichts geändert. Bitte "
            "beauftragen Sie es in kleineren Schritten."
        ),
        Failure.CONFLICT: (
            "Jemand anderes hat inzwischen dieselbe Stelle geändert. Diese Fassung blieb, Ihre wurde nicht verwendet; "
            "bitte sehen Sie sie an und bitten Sie noch einmal darum."
        ),
        Failure.PUBLISH_CONFLICT: (
            "Inzwischen wurde etwas anderes veröffentlicht, das sich mit dieser Unterhaltung nicht verträgt, "
            "und ich konnte beides nicht vereinen. Auf der Website wurde nichts geändert; bitte schreiben Sie, "
            "wie es jetzt aussehen soll. Das verträgt sich nicht damit:"
        ),
        Failure.NOT_A_PUBLISHER: (
            "Das können nur diejenigen tun, die veröffentlichen dürfen; es wurde nichts geändert."
        ),
        Failure.APPROVAL_OUTDATED: (
            "Wozu Sie Ja gesagt haben, gehört nicht mehr zu jener Unterhaltung, deshalb wurde nichts "
            "veröffentlicht. Es kann noch einmal darum gebeten werden."
        ),
        Failure.UNSUPPORTED: "„{command}“ geht per Mail noch nicht.",
        Failure.TIMED_OUT: (
            "Das hat länger gedauert als erlaubt, also habe ich aufgehört. Bitte versuchen Sie es noch einmal, "
            "vielleicht in kleineren Schritten."
        ),
        Failure.NO_WORKER: (
            "Lange Zeit war niemand frei, der es hätte tun können. Bitte senden Sie es später noch einmal."
        ),
        Failure.PROJECT_GONE: (
            "Diese Website wird hier nicht mehr betreut, deshalb wurde nichts geändert. Bitte fragen Sie, wer sie "
            "eingerichtet hat."
        ),
        Failure.REPOSITORY_REFUSED: (
            "Ich kam nicht an den Ort, an dem Ihre Website aufbewahrt wird, deshalb wurde nichts geändert. Das "
            "liegt nicht an Ihnen; wer sich darum kümmert, weiß Bescheid. Bitte schicken Sie es morgen noch "
            "einmal."
        ),
        Failure.STOPPED_BY_OPERATOR: (
            "Die Betreiber dieses Dienstes haben es abgebrochen, bevor es fertig war. Bitte fragen Sie dort "
            "nach, oder schicken Sie es später noch einmal."
        ),
        Failure.INTERNAL: (
            "Bei uns ist etwas kaputtgegangen. Wir wissen davon. Bitte senden Sie es später noch einmal."
        ),
    },
    refusals={
        RefusalReason.EMPTY: (
            "In Ihrer Mail war kein Text, den ich lesen konnte, also habe ich nichts geändert. Bitte schreiben Sie, "
            "was anders werden soll."
        ),
        RefusalReason.TOO_LONG: (
            "Ihre Mail ist länger, als ich auf einmal aufnehmen kann. Bitte senden Sie die Änderung in kleineren "
            "Stücken."
        ),
        RefusalReason.TOO_MANY_MAILS: (
            "Sie haben mehr Mails geschickt, als ich in einer Stunde bearbeiten kann. Bitte senden Sie diese nach "
            "{moment} noch einmal."
        ),
        RefusalReason.PROJECT_QUOTA_REACHED: (
            "Für die Website „{project}“ kamen heute so viele Mails, wie an einem Tag erlaubt sind, also habe ich "
            "nichts geändert. Bitte senden Sie diese nach {moment} noch einmal."
        ),
        RefusalReason.BUDGET_EXHAUSTED: (
            "Heute wurde für Sie schon so viel getan, wie an einem Tag erlaubt ist, also habe ich nichts geändert. "
            "Bitte senden Sie diese Mail nach {moment} noch einmal."
        ),
        RefusalReason.NOT_ADDRESSED: (
            "Ich habe nichts geändert, weil Ihre Mail nicht an mich gerichtet war: Keine meiner Adressen steht in An "
            "oder Cc. Wenn sich etwas ändern soll, schreiben Sie bitte an {addresses}"
        ),
        RefusalReason.AMBIGUOUS_PROJECT: (
            "Sie können mehr als eine Website bearbeiten, und ich konnte nicht erkennen, welche Sie meinen. Bitte "
            "schreiben Sie an eine dieser Adressen: {addresses}"
        ),
        RefusalReason.APPROVAL_EXPIRED: (
            "Diese Frage ist zu lange her, deshalb wurde nichts veröffentlicht. Es kann noch einmal darum "
            "gebeten werden."
        ),
        RefusalReason.SENDER_NOT_CHECKED: (
            "Ich habe nichts geändert, weil sich die Domain Ihrer Mail nicht prüfen ließ. Bitte senden Sie sie noch "
            "einmal."
        ),
        RefusalReason.SENDER_NOT_PROVED: (
            "Ich habe nichts geändert, weil nichts beweist, dass die Mail aus Ihrer Domain kommt. Wer sie verwaltet, "
            "kann DKIM und DMARC einrichten."
        ),
    },
    attachment_problems={
        AttachmentProblem.TOO_MANY: "nur die ersten {limit} Anhänge einer Mail werden verwendet",
        AttachmentProblem.EMPTY: "ist leer",
        AttachmentProblem.TOO_LARGE: "ist größer als {limit} MB",
        AttachmentProblem.UNUSABLE_TYPE: "lässt sich auf einer Website nicht verwenden",
        AttachmentProblem.CAN_CARRY_SCRIPTS: (
            "SVG- und HTML-Dateien können Programme enthalten; senden Sie stattdessen ein Bild als PNG, JPEG oder WebP"
        ),
        AttachmentProblem.DAMAGED_ARCHIVE: "ist ein beschädigtes Archiv",
        AttachmentProblem.UNPACKS_TO_FAR_MORE: "würde ausgepackt weit mehr, als es scheint",
        AttachmentProblem.ARCHIVE: "Archive werden nicht ausgepackt; hängen Sie die Dateien selbst an",
        AttachmentProblem.TOO_MANY_PIXELS: "das Bild hat mehr als {limit} Megapixel",
        AttachmentProblem.DAMAGED_PICTURE: "das Bild ist beschädigt und lässt sich nicht öffnen",
        AttachmentProblem.NOT_PROCESSED: "ließ sich nicht verarbeiten",
    },
    words={
        Command.PUBLISH: "veröffentlichen",
        Command.UNPUBLISH: "Veröffentlichung zurücknehmen",
        Command.UNDO: "rückgängig",
        Command.STATUS: "status",
        Command.STOP: "stopp",
    },
    preempted="Ihre neuere Mail kam, bevor ich mit dieser fertig war, also habe ich mit der neueren weitergemacht.",
    went_to="Meine Antwort auf „{subject}“ sagt, was aus beiden geworden ist.",
    stopped="Sie haben mich gebeten aufzuhören, also habe ich die Arbeit daran abgebrochen.",
    partial_work_kept="Was bis dahin getan war, bleibt erhalten.",
    reply_to_question="Bisher wurde nichts geändert. Antworten Sie einfach auf diese Mail, dann mache ich weiter.",
    preview="Änderung ansehen",
    pages="Diese Seiten haben sich geändert",
    new_page="neu",
    removed_page="entfernt",
    before="vorher:",
    after="jetzt:",
    more_pages=Plural(
        one="Eine weitere Seite hat sich mit geändert.", more="{number} weitere Seiten haben sich mit geändert."
    ),
    not_done="Das konnte ich nicht tun",
    refused_attachments="Diese Anhänge konnte ich nicht verwenden",
    running="Daran arbeite ich gerade",
    waiting="Das wartet noch",
    made="In dieser Unterhaltung geändert",
    is_live="live",
    live="Zur Website",
    publish_question=(
        "{asker} möchte „{subject}“ auf „{project}“ live stellen. Bitte sehen Sie es sich an und antworten "
        "Sie „ja“, wenn es veröffentlicht werden darf. Wenn nicht, brauchen Sie nichts zu tun. Die Frage "
        "gilt bis {moment}."
    ),
    next_steps=(
        "„{publish}“ bringt es auf die Website, „{undo}“ nimmt es zurück. Oder schreiben Sie einfach, was Sie noch "
        "möchten."
    ),
    unpublish_hint="„{unpublish}“ nimmt es wieder herunter.",
    reply_hint="Antworten Sie auf diese Mail, um fortzufahren.",
    developer_informed="Die technischen Einzelheiten gingen an {developer}.",
    developer_note="Eine per Mail gewünschte Änderung an „{project}“ war nicht möglich. Das sagten die Werkzeuge:",
    stale_lock=(
        "Auf „{project}“ wurden andere Pakete installiert, als {lock} nennt, weil die Datei nicht zu "
        "package.json passt. Was installiert wird, kann sich von Tag zu Tag ändern, bis jemand einmal "
        "installiert und {lock} festschreibt."
    ),
    empty_folders=(
        "Auf „{project}“ bleiben diese Ordner leer: {folders}. Es sind Submodule, die nicht geholt wurden; das "
        "geschieht nur, wenn ihr Repository auf demselben Server liegt wie das der Website. Sie wurde ohne sie gebaut."
    ),
    small_print="{seconds} Sekunden, {dollars} $",
)

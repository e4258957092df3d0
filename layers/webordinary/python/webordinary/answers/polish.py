"""Sentences in Polish."""

from __future__ import annotations

from webordinary.answers.language import Language, Plural
from webordinary.contract.outcomes import AttachmentProblem, Command, Failure, RefusalReason, Result, RiskKind

LANGUAGE = Language(
    code="pl",
    date="{day} {month} {year}, {time} UTC",
    months="stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    results={
        Result.CHANGED: "„{subject}” – gotowe.",
        Result.PARTLY_CHANGED: "„{subject}” – częściowo gotowe.",
        Result.ASKED: "Zanim cokolwiek zmienię, mam jedno pytanie.",
        Result.NOTHING_CHANGED: "Nie było nic do zmiany.",
        Result.UNDONE: "„{subject}” – zmiana została cofnięta.",
        Result.NOTHING_TO_UNDO: "W tej rozmowie nie ma czego cofać.",
        Result.BUILT: "Strona została zbudowana, a jej podgląd jest aktualny.",
        Result.COMMITTED: "Zmiany zostały zapisane.",
        Result.NOTHING_TO_COMMIT: "Nie było nic do zapisania.",
        Result.PUSHED: "Gałąź tej rozmowy została wysłana.",
        Result.STATUS: Plural(
            none="W tej rozmowie nic jeszcze nie zmieniono.",
            one="W tej rozmowie wprowadzono jedną zmianę.",
            more="Liczba zmian wprowadzonych w tej rozmowie: {changes}.",
        ),
        Result.HELP: (
            "Proszę napisać własnymi słowami, co ma się zmienić na stronie, i dołączyć potrzebne zdjęcia lub "
            "dokumenty. Aby kontynuować, wystarczy odpowiedzieć w tej samej rozmowie. Wiadomość o treści „cofnij” cofa "
            "ostatnią zmianę w rozmowie, „status” informuje, co się dzieje, „zatrzymaj” przerywa trwającą pracę, "
            "„opublikuj” publikuje zmiany, a „cofnij publikację” wycofuje ostatnio opublikowane."
        ),
        Result.PUBLISHED: "„{subject}” – zmiana jest już opublikowana.",
        Result.ALREADY_LIVE: "Wszystko z tej rozmowy jest już opublikowane.",
        Result.NOTHING_TO_PUBLISH: "W tej rozmowie nie ma czego publikować.",
        Result.PREVIEW_CHANGED: (
            "Podgląd zmienił się, odkąd był ostatnio oglądany, więc nic jeszcze nie opublikowano. Proszę go obejrzeć "
            "i jeśli wszystko się zgadza, odpowiedzieć ponownie „opublikuj”."
        ),
        Result.PUBLISH_ASKED: (
            "Osoby uprawnione do publikacji dostały pytanie, czy można opublikować „{subject}”. Stanie się to, gdy "
            "tylko któraś z nich się zgodzi."
        ),
        Result.PUBLISH_ASKED_AGAIN: (
            "Moje pytanie nie zgadza się z tym, co zostałoby opublikowane, więc jest już nieaktualne i nic nie "
            "opublikowano. Obecnie wygląda to tak:"
        ),
        Result.UNPUBLISHED: (
            "Ostatnia zmiana została wycofana z opublikowanej strony, która znów pokazuje poprzednią wersję."
        ),
        Result.UNPUBLISHED_FOR_NOW: (
            "Opublikowana strona znów pokazuje poprzednią wersję. Późniejsze zmiany opierają się na tym, co wycofano, "
            "więc wróci to przy następnej publikacji, chyba że wcześniej zostanie zmienione."
        ),
        Result.NOTHING_TO_UNPUBLISH: "Nie ma wcześniejszej wersji opublikowanej strony, do której można by wrócić.",
        Result.NOTHING_TO_STOP: "W tej chwili nie trwa żadna praca dla Państwa, więc nie było czego zatrzymywać.",
        Result.STOPPED: Plural(
            one="To, co było już gotowe, zostaje zachowane. Przerwano pracę nad tym:",
            more="To, co było już gotowe, zostaje zachowane. Przerwano pracę nad zleceniami (liczba: {changes}):",
        ),
    },
    named_results={
        Result.UNPUBLISHED: (
            "„{subject}” nie jest już na opublikowanej stronie, która znów pokazuje poprzednią wersję."
        ),
        Result.UNPUBLISHED_FOR_NOW: (
            "„{subject}” nie jest już na opublikowanej stronie, która znów pokazuje poprzednią wersję. "
            "Późniejsze zmiany na tym się opierają, więc wróci to przy następnej publikacji, chyba że wcześniej "
            "zostanie zmienione."
        ),
    },
    failures={
        Failure.AGENT_FAILED: (
            "Praca się rozpoczęła, ale po drodze coś poszło nie tak. Na Państwa stronie nic się nie zmieniło."
        ),
        Failure.AGENT_REFUSED: "Nie udało się tego zrobić, więc nic nie zmieniono.",
        Failure.ONLY_PROTECTED_FILES: (
            "Zmieniam tylko treść i wygląd strony. Ta prośba wymagałaby zmiany innych plików, więc nic nie "
            "zmieniono. Tym powinien zająć się programista strony."
        ),
        Failure.RISK_FORBIDDEN: (
            "Ustawienia strony nie pozwalają na taką zmianę, więc nic nie zmieniono. Oto, co zostałoby dodane:"
        ),
        Failure.SECRET_PUBLISHED: (
            "Po tej zmianie strona pokazywałaby wszystkim wartość, która musi pozostać tajna, więc nic nie "
            "zmieniono. Tym powinien zająć się programista strony."
        ),
        Failure.BUILD_FAILED: (
            "Z tą zmianą nie da się już zbudować Państwa strony i nie udało się tego naprawić, więc nic nie zmieniono. "
            "Może się uda, jeśli poproszą o to Państwo inaczej albo mniejszymi krokami."
        ),
        Failure.BUILD_TIMED_OUT: "Budowanie strony trwało dłużej, niż to dozwolone, więc nic nie zmieniono.",
        Failure.NO_PACKAGE_FILES: (
            "Stronie brakuje plików z listą jej komponentów, więc nie można jej zbudować. Tym powinien zająć się "
            "programista strony."
        ),
        Failure.PACKAGES_NOT_INSTALLED: (
            "Nie udało się pobrać niektórych komponentów strony, więc nic nie zmieniono. Proszę spróbować później. "
            "Jeśli problem się powtórzy, powinien się nim zająć programista strony."
        ),
        Failure.GIT_DEPENDENCY: (
            "Strona używa komponentu pobieranego bezpośrednio z repozytorium git. Nie jest to tu obsługiwane; "
            "komponenty z rejestru pakietów – tak. Tym powinien zająć się programista strony."
        ),
        Failure.NETWORK_REFUSED: (
            "Do zbudowania strony potrzebne jest coś z internetu, co jest stąd niedostępne, więc nic nie zmieniono. "
            "Wszystko, co strona pokazuje, musi być jej częścią."
        ),
        Failure.LINK_LEAVES_SITE: (
            "Jeden z plików strony jest dowiązaniem do czegoś poza nią. Takie dowiązania są pomijane, więc nic nie "
            "zmieniono. Tym powinien zająć się programista strony."
        ),
        Failure.NO_PAGES: (
            "Stronę udało się zbudować, ale pod jej adresem nie ma żadnej podstrony, więc nic nie zmieniono. Tym "
            "powinien zająć się programista strony."
        ),
        Failure.SERVER_RENDERED: (
            "Strona wymaga serwera, co nie jest tu obsługiwane, więc nic nie zmieniono. Działałaby strona, której "
            "podstrony powstają podczas budowania. Tym powinien zająć się programista strony."
        ),
        Failure.SITE_TOO_LARGE: "Strona byłaby większa, niż to dozwolone, więc nic nie zmieniono.",
        Failure.BUDGET_SPENT: (
            "To kosztowałoby więcej, niż może kosztować jedno zlecenie, więc praca została przerwana i nic nie "
            "zmieniono. Proszę podzielić to na mniejsze kroki."
        ),
        Failure.MODEL_BUSY: (
            "Usługa AI, z której korzystam, jest w tej chwili przeciążona, więc nic nie zmieniono. Proszę wysłać "
            "wiadomość ponownie mniej więcej za godzinę."
        ),
        Failure.MODEL_UNAVAILABLE: (
            "Usługa AI, z której korzystam, jest w tej chwili niedostępna, więc nic nie zmieniono. To nie Państwa "
            "wina, a osoby prowadzące tę usługę zostały powiadomione. Proszę wysłać wiadomość ponownie jutro."
        ),
        Failure.CONFLICT: (
            "W międzyczasie ktoś inny zmienił to samo miejsce. Zachowano tamtą wersję, a Państwa zmiana nie została "
            "użyta; proszę to obejrzeć i poprosić jeszcze raz."
        ),
        Failure.PUBLISH_CONFLICT: (
            "W międzyczasie opublikowano coś, co koliduje z tą rozmową, i nie udało się pogodzić jednego z drugim. Na "
            "opublikowanej stronie nic się nie zmieniło; proszę napisać, jak ma to teraz wyglądać. Oto, z czym "
            "koliduje:"
        ),
        Failure.NOT_A_PUBLISHER: "Mogą to zrobić tylko osoby uprawnione do publikacji, więc nic nie zmieniono.",
        Failure.APPROVAL_OUTDATED: (
            "To, na co wyrazili Państwo zgodę, nie należy już do tamtej rozmowy, więc nic nie opublikowano. Osoba, "
            "która o to prosiła, może poprosić ponownie."
        ),
        Failure.UNSUPPORTED: "„{command}” – to nie jest jeszcze dostępne przez e-mail.",
        Failure.TIMED_OUT: (
            "To trwało dłużej, niż to dozwolone, więc praca została przerwana. Proszę spróbować jeszcze raz, może "
            "mniejszymi krokami."
        ),
        Failure.NO_WORKER: (
            "Przez długi czas brakowało wolnych zasobów, by się tym zająć. Proszę wysłać wiadomość ponownie później."
        ),
        Failure.PROJECT_GONE: (
            "Ta strona nie jest już tu obsługiwana, więc nic nie zmieniono. Proszę zwrócić się do osoby, która ją "
            "skonfigurowała."
        ),
        Failure.REPOSITORY_REFUSED: (
            "Nie udało się uzyskać dostępu do plików Państwa strony, więc nic nie zmieniono. To nie Państwa wina, a "
            "osoby, które się nią opiekują, zostały powiadomione. Proszę wysłać wiadomość ponownie jutro."
        ),
        Failure.STOPPED_BY_OPERATOR: (
            "Osoby prowadzące tę usługę przerwały pracę przed jej ukończeniem. Proszę się z nimi skontaktować albo "
            "wysłać wiadomość ponownie później."
        ),
        Failure.INTERNAL: (
            "Coś poszło nie tak po naszej stronie i już o tym wiemy. Proszę wysłać wiadomość ponownie później."
        ),
    },
    refusals={
        RefusalReason.EMPTY: (
            "W wiadomości nie było czytelnego tekstu, więc nic nie zmieniono. Proszę napisać, co ma się zmienić."
        ),
        RefusalReason.TOO_LONG: (
            "Wiadomość jest zbyt długa, by obsłużyć ją za jednym razem. Proszę przysłać zmianę w mniejszych częściach."
        ),
        RefusalReason.ENCRYPTED: (
            "Wiadomość jest zaszyfrowana i nie da się jej odczytać. Proszę wysłać ją ponownie bez szyfrowania."
        ),
        RefusalReason.TOO_MANY_MAILS: (
            "Przysłali Państwo więcej wiadomości, niż można obsłużyć w ciągu godziny. Proszę wysłać tę ponownie po "
            "{time}."
        ),
        RefusalReason.PROJECT_QUOTA_REACHED: (
            "Strona „{project}” osiągnęła dzisiejszy limit wiadomości, więc nic nie zmieniono. Proszę wysłać tę "
            "ponownie po {time}."
        ),
        RefusalReason.BUDGET_EXHAUSTED: (
            "Dzienny limit dla Państwa zleceń został wykorzystany, więc nic nie zmieniono. Proszę wysłać tę wiadomość "
            "ponownie po {time}."
        ),
        RefusalReason.MONTH_BUDGET_EXHAUSTED: (
            "Miesięczny budżet strony „{project}” został wykorzystany, więc nic nie zmieniono. Proszę wysłać tę "
            "wiadomość ponownie po {time}."
        ),
        RefusalReason.NOT_ADDRESSED: (
            "Nic nie zmieniono, ponieważ wiadomość nie była skierowana do mnie: żadnego z moich adresów nie ma w "
            "polach Do i DW. Jeśli coś ma się zmienić, proszę napisać na {addresses}"
        ),
        RefusalReason.AMBIGUOUS_PROJECT: (
            "Mogą Państwo edytować więcej niż jedną stronę. O którą chodzi? Wystarczy odpowiedzieć, podając jej nazwę, "
            "a praca się rozpocznie. Wiadomość została zachowana i nie trzeba jej wysyłać ponownie."
        ),
        RefusalReason.UNCLEAR_COMMAND: (
            "Czy chodziło o „{command}”? Na razie nic nie zostało zrobione. Jeśli tak, proszę odpowiedzieć tylko tym "
            "słowem; jeśli nie, proszę napisać w kilku słowach, co należy zrobić."
        ),
        RefusalReason.APPROVAL_EXPIRED: (
            "To pytanie wygasło, więc wszystko zostało bez zmian. Jeśli sprawa jest nadal aktualna, wystarczy "
            "poprosić o to ponownie."
        ),
        RefusalReason.ANSWER_UNCLEAR: (
            "Tej odpowiedzi nie da się odczytać ani jako „tak”, ani jako „nie”, więc na razie nic się nie zmieniło. "
            "Jeśli się Państwo zgadzają, proszę odpowiedzieć samym „tak”. Jeśli nie, wystarczy „nie” albo pełne "
            "zdanie o tym, co należy zmienić."
        ),
        RefusalReason.PUBLISH_DECLINED: "Dobrze, wszystko zostaje bez zmian.",
        RefusalReason.SENDER_NOT_CHECKED: (
            "Nic nie zmieniono, ponieważ nie udało się zweryfikować domeny wiadomości. Proszę wysłać ją jeszcze raz."
        ),
        RefusalReason.SENDER_NOT_PROVED: (
            "Nic nie zmieniono, ponieważ nie udało się potwierdzić, że wiadomość naprawdę pochodzi z Państwa domeny. "
            "Jej administrator może skonfigurować DKIM i DMARC."
        ),
    },
    attachment_problems={
        AttachmentProblem.TOO_MANY: "używanych jest tylko {limit} pierwszych załączników wiadomości",
        AttachmentProblem.EMPTY: "plik jest pusty",
        AttachmentProblem.TOO_LARGE: "plik jest większy niż {limit} MB",
        AttachmentProblem.UNUSABLE_TYPE: "takiego pliku nie można użyć na stronie",
        AttachmentProblem.CAN_CARRY_SCRIPTS: (
            "pliki SVG i HTML mogą zawierać skrypty; proszę przysłać zamiast nich obraz PNG, JPEG lub WebP"
        ),
        AttachmentProblem.DAMAGED_ARCHIVE: "archiwum jest uszkodzone",
        AttachmentProblem.UNPACKS_TO_FAR_MORE: "po rozpakowaniu byłby znacznie większy, niż się wydaje",
        AttachmentProblem.ARCHIVE: "archiwa nie są rozpakowywane; proszę dołączyć same pliki",
        AttachmentProblem.TOO_MANY_PIXELS: "obraz ma więcej niż {limit} megapikseli",
        AttachmentProblem.DAMAGED_PICTURE: "obraz jest uszkodzony i nie da się go otworzyć",
        AttachmentProblem.NOT_PROCESSED: "nie udało się go przetworzyć",
    },
    words={
        Command.PUBLISH: "opublikuj",
        Command.UNPUBLISH: "cofnij publikację",
        Command.UNDO: "cofnij",
        Command.STATUS: "status",
        Command.STOP: "zatrzymaj",
    },
    preempted="Państwa nowsza wiadomość przyszła, zanim zakończyła się praca nad tą, więc zajęto się nowszą.",
    went_to="Moja odpowiedź na „{subject}” obejmie obie wiadomości.",
    not_handed_over="W jej sprawie nic nie zmieniono. Jeśli nadal jest to potrzebne, proszę wysłać ją ponownie.",
    tries_again=(
        "Usługa AI, z której korzystam, jest w tej chwili przeciążona, więc na razie nic nie zmieniono. Spróbuję "
        "ponownie {time} i wtedy napiszę. Jeśli napiszą Państwo wcześniej, zajmę się wszystkim razem."
    ),
    stopped="Na Państwa życzenie praca nad tym została przerwana.",
    partial_work_kept=(
        "To, co zrobiono wcześniej, zostaje zachowane, ale nie ma tego w podglądzie. O tym, co dalej, zdecyduje "
        "następna wiadomość w tej rozmowie."
    ),
    earlier_included="Praca nad tym objęła też wcześniejszą wiadomość „{subject}”.",
    earlier_separate=(
        "To, co zrobiono już w sprawie wcześniejszej wiadomości „{subject}”, też jest w podglądzie, jako osobna zmiana."
    ),
    earlier_removed=(
        "Tego, co rozpoczęto w sprawie wcześniejszej wiadomości „{subject}”, nie udało się zachować, więc zostało "
        "usunięte. Jeśli nadal jest to potrzebne, proszę wysłać ją ponownie."
    ),
    earlier_not_started=(
        "W sprawie wcześniejszej wiadomości „{subject}” nic jeszcze nie zmieniono. Jeśli nadal jest to potrzebne, "
        "proszę wysłać ją ponownie."
    ),
    earlier_kept=(
        "Tego, o co chodziło we wcześniejszej wiadomości „{subject}”, nie ma jeszcze w podglądzie. Wrócę do tego "
        "przy następnej wiadomości w tej rozmowie."
    ),
    reply_to_question=(
        "W sprawie tej wiadomości nic jeszcze nie zmieniono. Ruszę dalej, gdy tylko Państwo odpowiedzą."
    ),
    preview="Zobacz zmianę",
    not_online="Strona nie jest jeszcze dostępna w internecie, dlatego ta wiadomość nie zawiera linku.",
    pages="Te strony się zmieniły",
    new_page="nowa",
    removed_page="usunięta",
    before="przedtem:",
    after="teraz:",
    more_pages=Plural(
        one="Zmieniła się też jedna inna strona.",
        more="Liczba innych zmienionych stron: {number}.",
    ),
    risks="Do sprawdzenia przed publikacją",
    risk_lines={
        RiskKind.LOADED_HOST: "wczytuje coś z {detail}",
        RiskKind.LINKED_HOST: "zawiera odnośnik do {detail}",
        RiskKind.SCRIPT: "nowy lub zmieniony kod programu: {detail}",
        RiskKind.FORM: "formularz, który wysyła wpisane dane do {detail}",
        RiskKind.FRAME: "pokazuje stronę z {detail}",
        RiskKind.REDIRECT: "przekierowuje odwiedzających pod inny adres: {detail}",
        RiskKind.SERVICE_WORKER: "kod programu, który zostaje w przeglądarkach odwiedzających: {detail}",
        RiskKind.FILE: "nowy lub zmieniony plik: {detail}",
        RiskKind.NOT_COMPARED: "Nie udało się porównać strony z jej poprzednią wersją; proszę obejrzeć ją uważnie",
    },
    more_risks=Plural(
        one="Jest jeszcze jeden punkt tego rodzaju.", more="Liczba innych punktów tego rodzaju: {number}."
    ),
    reverted_files="Pliki pozostawione bez zmian, bo zmieniam tylko treść i wygląd",
    more_reverted_files=Plural(
        one="Jeszcze jeden plik pozostał bez zmian.", more="Liczba innych plików pozostawionych bez zmian: {number}."
    ),
    not_done="Czego nie udało się zrobić",
    refused_attachments="Załączniki, których nie można było użyć",
    running="W trakcie realizacji",
    waiting="W kolejce",
    changes_made="Zmienione w tej rozmowie",
    is_live="opublikowane",
    taken_off="zdjęte z opublikowanej strony",
    undone_still_live="cofnięte, widoczne na stronie do następnej publikacji",
    still_live="Na opublikowanej stronie nadal to widać, aż do następnej publikacji.",
    live="Zobacz opublikowaną stronę",
    publish_question=(
        "{asker} chce opublikować „{subject}” na stronie „{project}”. Proszę to obejrzeć i odpowiedzieć „tak”, jeśli "
        "można to opublikować. Jeśli nie, nie trzeba nic robić. Pytanie jest ważne do {time}."
    ),
    own_questions={
        Command.PUBLISH: (
            "Czy mam opublikować „{subject}”? Proszę to obejrzeć i, jeśli wszystko się zgadza, odpowiedzieć tylko "
            "„tak”. Jeśli nie, nie trzeba nic robić. Pytanie jest ważne do {time}."
        ),
        Command.UNPUBLISH: (
            "Czy mam wycofać „{subject}” z opublikowanej strony? Znów będzie widoczna poprzednia wersja. Jeśli tak, "
            "proszę odpowiedzieć tylko „tak”. Jeśli nie, nie trzeba nic robić. Pytanie jest ważne do {time}."
        ),
    },
    request_asked_again=(
        "„{subject}” nie jest jeszcze opublikowane: moje pytanie nie zgadzało się z tym, co zostałoby opublikowane. "
        "Pytanie o obecną wersję zostało wysłane ponownie."
    ),
    request_outdated=(
        "„{subject}” nie zostało opublikowane, ponieważ nie należy już do tej rozmowy. Odpowiedź „{publish}” "
        "wystarczy, aby zapytać ponownie o obecną wersję."
    ),
    next_steps=(
        "Odpowiedź „{publish}” publikuje zmianę, a „{undo}” ją cofa. Można też po prostu napisać, co jeszcze zmienić."
    ),
    unpublish_hint="Odpowiedź „{unpublish}” wycofuje zmianę z opublikowanej strony.",
    guide="Instrukcja z przykładami",
    reply_hint="Aby kontynuować, wystarczy odpowiedzieć na tę wiadomość.",
    developer_informed="Szczegóły techniczne wysłano do {developer}.",
    developer_note=(
        "Na stronie „{project}” nie udało się wprowadzić zmiany, o którą poproszono e-mailem. Oto komunikaty narzędzi:"
    ),
    stale_lock=(
        "Na stronie „{project}” zainstalowano inne pakiety niż wymienione w {lock}, ponieważ plik ten nie zgadza się z "
        "package.json. To, co jest instalowane, może się zmieniać z dnia na dzień, dopóki ktoś nie wykona instalacji i "
        "nie zatwierdzi pliku {lock}."
    ),
    empty_folders=(
        "Na stronie „{project}” te foldery są puste: {folders}. To podmoduły, których nie pobrano; pobierane są tylko "
        "repozytoria z tego samego hosta co repozytorium strony. Stronę zbudowano bez nich."
    ),
    small_print="{seconds} s, {dollars} $",
)

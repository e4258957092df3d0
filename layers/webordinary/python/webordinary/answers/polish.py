"""The sentences in Polish."""

from __future__ import annotations

from webordinary.answers.language import Language, Plural
from webordinary.contract.outcomes import AttachmentProblem, Command, Failure, RefusalReason, Result

LANGUAGE = Language(
    code="pl",
    results={
        Result.CHANGED: "„{subject}” – gotowe.",
        Result.PARTLY_CHANGED: "„{subject}” – gotowe częściowo.",
        Result.ASKED: "Zanim cokolwiek zmienię, muszę wiedzieć jedną rzecz.",
        Result.NOTHING_CHANGED: "Nie było nic do zmiany.",
        Result.UNDONE: "„{subject}” – zmiana została cofnięta.",
        Result.NOTHING_TO_UNDO: "W tej rozmowie nie ma niczego, co można by cofnąć.",
        Result.BUILT: "Strona została zbudowana na nowo, a jej podgląd jest aktualny.",
        Result.COMMITTED: "Zmiany zostały zapisane.",
        Result.NOTHING_TO_COMMIT: "Nie było nic do zapisania.",
        Result.PUSHED: "Gałąź tej rozmowy została wysłana.",
        Result.STATUS: Plural(
            none="W tej rozmowie nic jeszcze nie zmieniono.",
            one="W tej rozmowie wprowadzono jedną zmianę.",
            more="Liczba zmian wprowadzonych w tej rozmowie: {changes}.",
        ),
        Result.HELP: (
            "Proszę napisać własnymi słowami, co ma się zmienić na stronie, i dołączyć zdjęcia lub dokumenty, jeśli "
            "są częścią zmiany. Odpowiedź w tej samej rozmowie pozwala kontynuować. Wiadomość z samym słowem "
            "„cofnij” cofa ostatnią zmianę rozmowy, „status” mówi, co się dzieje, „zatrzymaj” przerywa pracę, "
            "„opublikuj” wprowadza zmiany na stronę, a „cofnij publikację” zdejmuje ostatnie."
        ),
        Result.PUBLISHED: "„{subject}” jest już na stronie.",
        Result.ALREADY_LIVE: "Wszystko z tej rozmowy jest już na stronie.",
        Result.NOTHING_TO_PUBLISH: "W tej rozmowie nie ma nic, co można by opublikować.",
        Result.PUBLISH_ASKED: (
            "Osoby, które mogą publikować, dostały pytanie, czy „{subject}” może się ukazać. Gdy tylko któraś "
            "z nich powie „tak”, tak się stanie."
        ),
        Result.UNPUBLISHED: "Ostatnia zmiana została zdjęta ze strony, która znów pokazuje poprzednią wersję.",
        Result.UNPUBLISHED_FOR_NOW: (
            "Strona znów pokazuje poprzednią wersję. Późniejsze zmiany opierają się na tym, co zdjęto, więc "
            "wróci to przy następnej publikacji, chyba że wcześniej zostanie zmienione."
        ),
        Result.NOTHING_TO_UNPUBLISH: "Nie ma wcześniejszej wersji strony, którą można by przywrócić.",
        Result.NOTHING_TO_STOP: "Nic się teraz nie wykonuje, więc nie było czego zatrzymywać.",
        Result.STOPPED: Plural(
            one="To, co było już gotowe, zostaje. Praca nad tym została przerwana:",
            more="To, co było już gotowe, zostaje. Praca została przerwana, liczba zleceń: {changes}.",
        ),
    },
    failures={
        Failure.AGENT_FAILED: "Praca się zaczęła, ale po drodze coś poszło nie tak. Na stronie nic nie zmieniono.",
        Failure.AGENT_REFUSED: "Tego nie dało się zrobić, więc nic nie zmieniono.",
        Failure.BUILD_FAILED: (
            "Z tą zmianą nie dało się już złożyć strony i nie udało się tego naprawić. Dlatego nic nie zmieniono. "
            "Może uda się, jeśli poprosić inaczej albo mniejszymi krokami."
        ),
        Failure.BUILD_TIMED_OUT: "Składanie strony trwało dłużej, niż może, więc nic nie zmieniono.",
        Failure.NO_PACKAGE_FILES: (
            "Stronie brakuje plików, które mówią, z czego się składa, więc nie można jej złożyć. To sprawa dla osoby, "
            "która ją tworzy."
        ),
        Failure.PACKAGES_NOT_INSTALLED: (
            "Niektórych części strony nie udało się pobrać, więc nic nie zmieniono. Proszę spróbować później; jeśli "
            "to się powtórzy, to sprawa dla osoby, która tworzy stronę."
        ),
        Failure.GIT_DEPENDENCY: (
            "Strona używa części, która pochodzi wprost z repozytorium git. Takich się nie pobiera; z rejestru "
            "pakietów – tak. To sprawa dla osoby, która tworzy stronę."
        ),
        Failure.NETWORK_REFUSED: (
            "Do złożenia strony potrzeba czegoś z internetu, co stąd jest niedostępne, więc nic nie zmieniono. To, co "
            "strona pokazuje, musi być jej częścią."
        ),
        Failure.LINK_LEAVES_SITE: (
            "Wśród plików strony jest dowiązanie, które prowadzi poza nią. Takich się nie używa, więc nic nie "
            "zmieniono. To sprawa dla osoby, która tworzy stronę."
        ),
        Failure.NO_PAGES: (
            "Strona została zbudowana, ale pod jej adresem nie ma żadnej podstrony, więc nic nie zostało "
            "zmienione. To sprawa dla jej programisty."
        ),
        Failure.SERVER_RENDERED: (
            "Strona wymaga własnego serwera, którego tu nie ma, więc nic nie zostało zmienione. Strona, której "
            "podstrony są gotowe po zbudowaniu, działałaby. To sprawa dla jej programisty."
        ),
        Failure.SITE_TOO_LARGE: "Strona byłaby większa, niż może być, więc nic nie zmieniono.",
        Failure.BUDGET_SPENT: (
            "To kosztowałoby więcej, niż może kosztować jedno zlecenie, więc praca została przerwana i nic nie "
            "zmieniono. Proszę poprosić o to mniejszymi krokami."
        ),
        Failure.CONFLICT: (
            "W międzyczasie ktoś inny zmienił to samo miejsce. Tamta wersja została, a ta nie została użyta; proszę "
            "na nią spojrzeć i poprosić jeszcze raz."
        ),
        Failure.PUBLISH_CONFLICT: (
            "W międzyczasie opublikowano coś innego, co koliduje z tą rozmową, i nie udało mi się pogodzić "
            "jednego z drugim. Na stronie nic się nie zmieniło; proszę napisać, jak ma to teraz wyglądać. "
            "Koliduje z tym:"
        ),
        Failure.NOT_A_PUBLISHER: "Mogą to zrobić tylko osoby, które mogą publikować, więc nic nie zmieniono.",
        Failure.APPROVAL_OUTDATED: (
            "To, na co wyrażono zgodę, nie należy już do tamtej rozmowy, więc nic nie opublikowano. "
            "Można o to poprosić ponownie."
        ),
        Failure.UNSUPPORTED: "„{command}” – tego jeszcze nie można zrobić pocztą.",
        Failure.TIMED_OUT: (
            "To trwało dłużej, niż może, więc praca została przerwana. Proszę spróbować jeszcze raz, może mniejszymi "
            "krokami."
        ),
        Failure.NO_WORKER: "Przez długi czas nikt nie był wolny. Proszę wysłać to ponownie później.",
        Failure.PROJECT_GONE: (
            "Ta strona nie jest już tu obsługiwana, więc nic nie zmieniono. Proszę zapytać osobę, która ją założyła."
        ),
        Failure.REPOSITORY_REFUSED: (
            "Nie udało mi się dotrzeć do miejsca, w którym jest przechowywana Państwa strona, więc nic nie "
            "zostało zmienione. To nie Państwa wina; osoby, które się nią opiekują, już o tym wiedzą. Proszę "
            "wysłać to jeszcze raz jutro."
        ),
        Failure.STOPPED_BY_OPERATOR: (
            "Osoby, które prowadzą tę usługę, przerwały pracę przed końcem. Proszę je zapytać albo wysłać to "
            "później jeszcze raz."
        ),
        Failure.INTERNAL: "Coś zepsuło się po naszej stronie. Wiemy o tym. Proszę wysłać to ponownie później.",
    },
    refusals={
        RefusalReason.EMPTY: (
            "W wiadomości nie było tekstu, który można przeczytać, więc nic nie zmieniono. Proszę napisać, co ma się "
            "zmienić."
        ),
        RefusalReason.TOO_LONG: (
            "Wiadomość jest dłuższa, niż można przeczytać naraz. Proszę przysłać zmianę w mniejszych częściach."
        ),
        RefusalReason.TOO_MANY_MAILS: (
            "Przyszło więcej wiadomości, niż można obsłużyć w godzinę. Proszę przysłać tę ponownie po {moment}."
        ),
        RefusalReason.PROJECT_QUOTA_REACHED: (
            "Strona „{project}” dostała dziś tyle wiadomości, ile może dostać w ciągu dnia, więc nic nie zmieniono. "
            "Proszę przysłać tę ponownie po {moment}."
        ),
        RefusalReason.BUDGET_EXHAUSTED: (
            "Dziś zrobiono już dla Państwa tyle, ile można zrobić w ciągu dnia, więc nic nie zmieniono. "
            "Proszę przysłać tę wiadomość ponownie po {moment}."
        ),
        RefusalReason.NOT_ADDRESSED: (
            "Nic nie zmieniono, bo wiadomość nie była do mnie: żadnego z moich adresów nie ma w Do ani DW. Jeśli coś "
            "ma się zmienić, proszę napisać na {addresses}"
        ),
        RefusalReason.AMBIGUOUS_PROJECT: (
            "Z tego adresu można zmieniać więcej niż jedną stronę i nie wiadomo, o którą chodzi. Proszę napisać na "
            "jeden z tych adresów: {addresses}"
        ),
        RefusalReason.APPROVAL_EXPIRED: (
            "To pytanie jest zbyt dawne, więc nic nie opublikowano. Można je zadać ponownie."
        ),
        RefusalReason.SENDER_NOT_CHECKED: (
            "Nic nie zmieniono, bo nie udało się sprawdzić domeny wiadomości. Proszę wysłać ją jeszcze raz."
        ),
        RefusalReason.SENDER_NOT_PROVED: (
            "Nic nie zmieniono, bo nic nie dowodzi, że wiadomość pochodzi z tej domeny. Jej administrator może "
            "ustawić DKIM i DMARC."
        ),
    },
    attachment_problems={
        AttachmentProblem.TOO_MANY: "używa się tylko pierwszych {limit} załączników wiadomości",
        AttachmentProblem.EMPTY: "plik jest pusty",
        AttachmentProblem.TOO_LARGE: "plik jest większy niż {limit} MB",
        AttachmentProblem.UNUSABLE_TYPE: "takiego pliku nie można użyć na stronie",
        AttachmentProblem.CAN_CARRY_SCRIPTS: (
            "pliki SVG i HTML mogą zawierać programy; proszę przysłać obraz PNG, JPEG lub WebP"
        ),
        AttachmentProblem.DAMAGED_ARCHIVE: "archiwum jest uszkodzone",
        AttachmentProblem.UNPACKS_TO_FAR_MORE: "po rozpakowaniu byłby znacznie większy, niż się wydaje",
        AttachmentProblem.ARCHIVE: "archiwów się nie rozpakowuje; proszę dołączyć same pliki",
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
    preempted="Nowsza wiadomość przyszła, zanim ta była gotowa, więc praca poszła dalej z nowszą.",
    went_to="Odpowiedź na „{subject}” mówi, co stało się z obiema.",
    stopped="Na życzenie praca nad tym została przerwana.",
    partial_work_kept="To, co zrobiono do tej chwili, zostaje.",
    reply_to_question="Na razie nic nie zmieniono. Wystarczy odpowiedzieć na tę wiadomość, a praca pójdzie dalej.",
    preview="Zobacz zmianę",
    pages="Te strony się zmieniły",
    new_page="nowa",
    removed_page="usunięta",
    before="przedtem:",
    after="teraz:",
    more_pages=Plural(
        one="Wraz z nimi zmieniła się jeszcze jedna strona.",
        more="Liczba innych stron zmienionych wraz z nimi: {number}.",
    ),
    not_done="Tego nie dało się zrobić",
    refused_attachments="Tych załączników nie można było użyć",
    running="Nad tym trwa teraz praca",
    waiting="To czeka na swoją kolej",
    made="Zmienione w tej rozmowie",
    is_live="opublikowane",
    live="Strona w sieci",
    publish_question=(
        "{asker} chce opublikować „{subject}” na „{project}”. Proszę to obejrzeć i odpowiedzieć „tak”, "
        "jeśli można opublikować. Jeśli nie, nie trzeba nic robić. Pytanie jest ważne do {moment}."
    ),
    next_steps="„{publish}” wprowadza to na stronę, „{undo}” cofa. Albo proszę po prostu napisać, co jeszcze.",
    unpublish_hint="„{unpublish}” zdejmuje to ze strony.",
    reply_hint="Aby kontynuować, proszę odpowiedzieć na tę wiadomość.",
    developer_informed="Szczegóły techniczne wysłano do {developer}.",
    developer_note=(
        "Zmiana na stronie „{project}”, o którą poproszono pocztą, nie była możliwa. Oto co powiedziały narzędzia:"
    ),
    stale_lock=(
        "Na stronie „{project}” zainstalowano inne pakiety, niż wymienia {lock}, bo nie pasuje on do "
        "package.json. To, co się instaluje, może zmieniać się z dnia na dzień, dopóki ktoś nie wykona "
        "instalacji i nie zatwierdzi pliku {lock}."
    ),
    empty_folders=(
        "Na stronie „{project}” te foldery pozostają puste: {folders}. To podmoduły, których nie pobrano; "
        "pobierane są tylko te z tego samego serwera co repozytorium strony. Stronę zbudowano bez nich."
    ),
    small_print="{seconds} s, {dollars} $",
)

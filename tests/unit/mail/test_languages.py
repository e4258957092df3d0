"""Language detection."""

from __future__ import annotations

import pytest

from webordinary.mail.vocabulary.languages import language_of


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Please change the opening hours on the home page. Thanks!"),
        ("en", "stop"),
        ("de", "Bitte ändern Sie die Öffnungszeiten auf der Startseite. Danke!"),
        ("de", "rückgängig"),
        ("de", 'Bitte ändere "8 am to 2 pm" in "from 9 am to the end of the day".'),
        ("fr", "Bonjour, pouvez-vous changer les horaires sur la page d'accueil ? Merci"),
        ("es", "Hola, ¿puede cambiar el horario en la página de inicio? Gracias"),
        ("pt", "Olá, pode mudar o horário na página inicial? Obrigado"),
        ("it", "Buongiorno, può cambiare gli orari sulla pagina iniziale? Grazie"),
        ("nl", "Kunt u de openingstijden op de startpagina wijzigen? Alvast bedankt"),
        ("pl", "Dzień dobry, proszę zmienić godziny otwarcia na stronie głównej. Dziękuję"),
        ("ja", "トップページの営業時間を変更してください。"),
        ("", "12345 https://example.com"),
        ("", "status"),
        ("", ""),
        ("", "Ändra öppettiderna tack"),
    ],
)
def test_language_is_detected_by_common_words(code: str, text: str) -> None:
    assert language_of(text) == code


def test_inconclusive_text_falls_back_to_the_next() -> None:
    assert (
        language_of("status", "Re: Öffnungszeiten", "Diese Seiten haben sich geändert. Antworten Sie auf die Mail.")
        == "de"
    )

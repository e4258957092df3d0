"""Lines that phones and mail programs add, in many languages."""

from __future__ import annotations

import pytest

from webordinary.mail.closing.device_lines import is_device_line


@pytest.mark.parametrize(
    "line",
    [
        "Sent from my iPhone",
        "Sent from my Fairphone 5",
        "Sent from Yahoo Mail on Android",
        "Sent from my mobile device on the Northern network.",
        "Sent with [Proton Mail](https://example.com/) secure email.",
        "Get Outlook for iOS<https://example.com/o>",
        "Obter o Outlook para Android",
        "Holen Sie sich Outlook für iOS",
        "Скачать Outlook для iOS",
        "获取 Outlook for Android",
        "Télécharger Outlook pour Android",
        "Von meinem Samsung Galaxy Smartphone gesendet.",
        "Gesendet mit der GMX iPhone App",
        "Elküldve az iPhone-omról",
        "Đã gửi từ iPhone của tôi",
        "ส่งจาก iPhone ของฉัน",
        "تم الإرسال من الـ iPhone الخاص بي",
        "נשלח מה-iPhone שלי",
        "मेरे iPhone से भेजा गया",
        "iPhone'umdan gönderildi",
        "Enviat des del meu iPhone",
        "Dikirim dari iPhone saya",
        "나의 iPhone에서 보냄",
    ],
)
def test_device_line_is_recognised(line: str) -> None:
    assert is_device_line(line)


@pytest.mark.parametrize(
    "line",
    [
        "Sent from our kitchen to your table",
        "Sent from Berlin with love",
        "Gesendet mit Liebe",
        "Envoyé de Paris avec amour",
        "Via phone: 030 1234567",
        "We repair every iPhone and every Android",
        "Get the Android app",
        "Mit Android-App bestellen",
        "The catalogue can be sent to your phone",
        "Sent from my desk, it is much easier than from my phone.",
    ],
)
def test_sentence_is_not_a_device_line(line: str) -> None:
    assert not is_device_line(line)

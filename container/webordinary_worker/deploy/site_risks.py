"""What a built site contains that can hurt its visitors: foreign hosts, scripts, forms, frames, redirects.

The findings of two builds are compared; only what is new is reported. So a search may find too much, but it must not
miss what a browser would use. Neither site is trusted: searches take linear time, files are read up to a limit, and
addresses are compared in the form that a browser makes of them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import PurePosixPath

from webordinary.contract.messages.outcome import Risk
from webordinary.contract.outcomes import RiskKind
from webordinary.contract.values import limit
from webordinary.text.hosts import host_of_authority
from webordinary_worker.deploy.built_files import ChangedFileError, SiteFiles
from webordinary_worker.deploy.page_diff import is_page

MAX_FINDINGS = 3000
MAX_SCANNED_BYTES = 256 * 1024 * 1024
MAX_DETAIL = 200
NOT_COMPARED = Risk(kind=RiskKind.NOT_COMPARED)
MARKUP = (".html", ".htm", ".xhtml", ".xht", ".svg", ".xml", ".rss", ".atom")
CODE = (".js", ".mjs", ".cjs", ".wasm")
STYLE = (".css",)
DATA = (".json", ".webmanifest")
PICTURES_AND_FONTS = (
    *(".avif", ".bmp", ".gif", ".ico", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"),
    *(".eot", ".otf", ".ttf", ".woff", ".woff2", ".map", ".pf_fragment", ".pf_index", ".pf_meta"),
)
BUNDLES = ("_astro/", "pagefind/")
NAMESPACES = frozenset(("www.w3.org",))  # names in markup; nothing is loaded from there
PROGRAM_TYPE = re.compile(
    r"^\s*(|module|importmap|speculationrules|(text|application)/(x-)?(java|ecma|j|live)script(\s*;.*)?)\s*$",
    re.IGNORECASE,
)
_HASHED_NAME = re.compile(r"([\w@./-]{1,200}?)\.[\w-]{6,20}(\.\w{1,5})\b")
_SCRIPT = re.compile(r"<script\b([^>]{0,4000})>(.*?)(?:</script|\Z)", re.IGNORECASE | re.DOTALL)
_STYLE = re.compile(r"<style\b[^>]{0,4000}>(.*?)(?:</style|\Z)", re.IGNORECASE | re.DOTALL)
_HANDLER = re.compile(r"""[\s"'/]on[a-z]{3,30}\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)""", re.IGNORECASE)
_SCRIPT_URL = re.compile(r"(?:j\s*a\s*v\s*a|v\s*b)\s*s\s*c\s*r\s*i\s*p\s*t\s*:[^\s\"'<>]{0,500}", re.IGNORECASE)
_BROKEN_VALUE = re.compile(r"""=\s*("[^"<>]*[\t\r\n][^"<>]*"|'[^'<>]*[\t\r\n][^'<>]*')""")
_CSS_ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6})\s?")
_SCHEME = r"(?:\b(?:https?|wss?|ftp):[/\\]{0,8}|(?<=[\"'`(=\s,;])[/\\]{2,8})"
_URL = re.compile(_SCHEME + r"(?P<authority>[^\s/\\\"'<>`(){}|^?#,;]{1,253})", re.IGNORECASE)
_TAG = re.compile(
    r"<(a|area|link|meta|script|i?frame|embed|object|portal|fencedframe|form|button|input)(?=[\s/>])", re.IGNORECASE
)
_ATTRIBUTE = re.compile(r"""[\s/]*(?P<name>[^\s/>=][^\s/>=]*)(?:\s*=\s*(?P<value>"[^"]*"|'[^']*'|[^\s>]*))?""")
_TARGET = re.compile(r"^[\d.\s;,]*(?:url\s*=)?\s*[\"']?\s*([^\"'<>\s]{1,500})", re.IGNORECASE)
_PLAIN_VALUE = re.compile(r"^[^\s\"'<>]+$")
FRAMES = ("iframe", "frame", "embed", "object", "portal", "fencedframe")
HARMLESS_LINKS = ("canonical", "alternate", "me", "author", "license")
MAX_ATTRIBUTES = 200
_WORKER = re.compile(r"\bserviceWorker\b")

Findings = dict[str, str]  # identity → what it is and where


@dataclass(frozen=True)
class SiteRisks:
    """The findings of one build. `is_complete` is false if the site is too large to be searched."""

    findings: Mapping[str, str]
    is_complete: bool = True

    def lines(self) -> tuple[str, ...] | None:
        return (
            tuple(f"{identity}\t{detail}" for identity, detail in self.findings.items()) if self.is_complete else None
        )

    def new_since(self, before: SiteRisks | None) -> tuple[Risk, ...]:
        """What this build adds to an earlier one; a single NOT_COMPARED if that is unknown."""
        if before is None or not (before.is_complete and self.is_complete):
            return (NOT_COMPARED,)
        new = {
            (identity.partition(" ")[0], detail)
            for identity, detail in self.findings.items()
            if identity not in before.findings
        }
        order = list(RiskKind)
        risks = [Risk(kind=RiskKind(kind), detail=detail) for kind, detail in new]
        return tuple(sorted(risks, key=lambda risk: (order.index(risk.kind), risk.detail)))


def read_risks(lines: tuple[str, ...] | None) -> SiteRisks | None:
    """Findings as a deploy record has them; None for an unfinished search and for a record of an older version."""
    return None if lines is None else SiteRisks(dict(line.split("\t", 1) for line in lines if "\t" in line))


def as_facts(risks: tuple[Risk, ...]) -> dict[str, object]:
    """Risks as fields of an outcome."""
    most = limit("risks")
    return {"risks": risks[:most], "more_risks": max(0, len(risks) - most)}


def risks_of(site: SiteFiles, digests: Mapping[str, str], own_hosts: Iterable[str]) -> SiteRisks:
    """Searches all files of a built site."""
    own = {*map(str.lower, own_hosts), *NAMESPACES}
    findings: Findings = {}
    left = MAX_SCANNED_BYTES
    for path in sorted(digests):
        suffix = PurePosixPath(path).suffix.lower()
        if is_page(path) or suffix in (*MARKUP, *CODE, *STYLE, *DATA):
            try:
                content = site.read(path, digests[path])
            except ChangedFileError:
                return SiteRisks({}, is_complete=False)
            left -= len(content)
            for identity, detail in _search(path, suffix, content.decode("utf-8", "replace"), own):
                findings.setdefault(identity, detail[:MAX_DETAIL])
        elif suffix not in PICTURES_AND_FONTS and not path.startswith(BUNDLES):
            findings[f"{RiskKind.FILE} {path} {digests[path][:16]}"] = path[:MAX_DETAIL]
        if len(findings) > MAX_FINDINGS or left < 0:
            return SiteRisks({}, is_complete=False)
    return SiteRisks(findings)


def _search(path: str, suffix: str, text: str, own: set[str]) -> Iterator[tuple[str, str]]:
    if suffix in CODE:
        yield from _code(path, text)
        yield from _hosts(RiskKind.LOADED_HOST, text, own)
    elif suffix in STYLE:
        yield from _hosts(RiskKind.LOADED_HOST, _without_css_escapes(text), own)
    elif suffix in DATA:
        yield from _hosts(RiskKind.LINKED_HOST, text, own)
        if not path.startswith(BUNDLES):
            yield f"{RiskKind.FILE} {path} {_digest(text)}", path
    else:
        yield from _markup(path, text, own)


def _markup(path: str, text: str, own: set[str]) -> Iterator[tuple[str, str]]:
    text = unescape(unescape(text)) if "&" in text else text  # twice: a page may contain another one as an attribute
    # Browsers remove line breaks from addresses.
    text = "\n".join((text, *(re.sub(r"[\t\r\n]", "", value) for value in _BROKEN_VALUE.findall(text))))
    for attributes, body in _SCRIPT.findall(text):
        runs = PROGRAM_TYPE.match(_read_attributes(attributes, 0).get("type", ("", 0))[0])
        yield from _hosts(RiskKind.LOADED_HOST if runs or "<" in body else RiskKind.LINKED_HOST, body, own)
        if runs and body.strip():
            yield from _code(path, body)
    for body in _STYLE.findall(text):
        yield from _hosts(RiskKind.LOADED_HOST, _without_css_escapes(body), own)
    for found in (*_HANDLER.findall(text), *_SCRIPT_URL.findall(text)):
        yield from _code(path, found)
    known = []  # places of addresses whose use is known
    for kind, value, place in _tags(path, text):
        if kind is RiskKind.REDIRECT:
            yield f"{kind} {value}", value
            continue
        yield from _hosts(kind, f" {value}", own)
        if kind is not RiskKind.SCRIPT:
            known.append((place, place + len(value)))
    # All others are loaded, as far as is known here, unless they are words on the page.
    plain = _STYLE.sub(_blank, _SCRIPT.sub(_blank, text))
    pieces, position = [], 0
    for start, end in sorted(known):
        if start >= position:
            pieces += [plain[position:start], " " * (end - start)]
            position = end
    plain = "".join((*pieces, plain[position:]))
    for found in _URL.finditer(plain):
        before = plain[max(0, found.start() - 4096) : found.start()]
        in_text = before.rfind(">") > before.rfind("<") and before[-1:] not in ("\"'=(")
        kind = RiskKind.LINKED_HOST if in_text else RiskKind.LOADED_HOST
        yield from _host(kind, found["authority"], own)


def _tags(path: str, text: str) -> Iterator[tuple[RiskKind, str, int]]:
    """The addresses in tags whose use is known: what they are, their text and place."""
    for tag in _TAG.finditer(text):
        name, attributes = tag[1].lower(), _read_attributes(text, tag.end())
        if name in FRAMES:
            found = [(RiskKind.FRAME, *attributes[key]) for key in ("src", "data", "href") if key in attributes]
        elif name in ("form", "button", "input"):
            found = [(RiskKind.FORM, *attributes[key]) for key in ("action", "formaction") if key in attributes]
        elif name == "script":
            found = [(RiskKind.SCRIPT, *attributes[key]) for key in ("src", "href") if key in attributes]
        elif name == "meta":
            if attributes.get("http-equiv", ("", 0))[0].strip().lower() == "refresh":
                target = _TARGET.match(attributes.get("content", ("", 0))[0])
                yield RiskKind.REDIRECT, f"/{path} → {target[1] if target else f'/{path}'}", 0
            found = [(RiskKind.LINKED_HOST, *attributes["content"])] if "content" in attributes else []
        elif name == "link" and attributes.get("rel", ("", 0))[0].strip().lower() not in HARMLESS_LINKS:
            continue
        else:
            found = [(RiskKind.LINKED_HOST, *attributes["href"])] if "href" in attributes else []
        # A value with quotes could span the attributes of another tag.
        yield from (one for one in found if one[0] is not RiskKind.LINKED_HOST or _PLAIN_VALUE.match(one[1]))


def _read_attributes(text: str, position: int) -> dict[str, tuple[str, int]]:
    """The attributes of a tag as a browser reads them, with the place of each value. The first of a name counts."""
    attributes: dict[str, tuple[str, int]] = {}
    for _ in range(MAX_ATTRIBUTES):
        found = _ATTRIBUTE.match(text, position)
        if found is None:
            break
        value = found["value"] or ""
        quoted = value[:1] in ("'", '"') and len(value) > 1
        place = found.start("value") + quoted if value else found.end()
        attributes.setdefault(found["name"].lower(), (value[1:-1] if quoted else value, place))
        position = found.end()
    return attributes


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _code(path: str, code: str) -> Iterator[tuple[str, str]]:
    yield f"{RiskKind.SCRIPT} {_digest(code)}", _HASHED_NAME.sub(r"\1\2", path)
    if _WORKER.search(code):
        yield f"{RiskKind.SERVICE_WORKER} {_digest(code)}", _HASHED_NAME.sub(r"\1\2", path)


def _hosts(kind: RiskKind, text: str, own: set[str]) -> Iterator[tuple[str, str]]:
    for found in _URL.finditer(text):
        yield from _host(kind, found["authority"], own)


def _host(kind: RiskKind, authority: str, own: set[str]) -> Iterator[tuple[str, str]]:
    host = host_of_authority(authority)
    if host and host not in own:
        yield f"{kind} {host}", host


def _without_css_escapes(text: str) -> str:
    return _CSS_ESCAPE.sub(lambda found: chr(min(int(found[1], 16), 0x10FFFF)), text)


def _digest(text: str) -> str:
    return hashlib.sha256(_HASHED_NAME.sub(r"\1\2", text).encode("utf-8", "replace")).hexdigest()[:16]

"""Searches one file of a built site for what can hurt its visitors: foreign hosts, scripts, forms, frames, redirects.

Each finding is an identity and what a person is shown of it. Identities of two builds are compared, and only what is
new is reported. So a search may find too much, but it must not miss what a browser would use. Files are not trusted:
searches take linear time, and addresses are compared in the form that a browser makes of them.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64decode
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from html import unescape
from pathlib import PurePosixPath
from urllib.parse import unquote

from webordinary.contract.outcomes import RiskKind
from webordinary.text.hosts import host_of_authority
from webordinary_worker.deploy.page_diff import is_page
from webordinary_worker.deploy.upload_plan import content_type

MARKUP = (".html", ".htm", ".xhtml", ".xht", ".svg", ".xml", ".rss", ".atom")
CODE = (".js", ".mjs", ".cjs", ".wasm")
STYLE = (".css",)
DATA = (".json", ".webmanifest")
PICTURES_AND_FONTS = (
    *(".avif", ".bmp", ".gif", ".ico", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"),
    *(".eot", ".otf", ".ttf", ".woff", ".woff2", ".map", ".pf_fragment", ".pf_index", ".pf_meta"),
)
BUNDLES = ("_astro/", "pagefind/")
FRAMES = ("iframe", "frame", "embed", "object", "portal", "fencedframe")
HARMLESS_LINKS = ("canonical", "alternate", "me", "author", "license")
MAX_ATTRIBUTES = 200
MOST_NESTED = 3  # documents inside the addresses of others

# --- Scripts.
PROGRAM_TYPE = re.compile(
    r"^\s*(|module|importmap|speculationrules|(text|application)/(x-)?(java|ecma|j|live)script[\d.]*(\s*;.*)?)\s*$",
    re.IGNORECASE,
)
_SCRIPT = re.compile(r"<((?:[\w.-]{1,40}:)?script)(?=[\s/>])", re.IGNORECASE)  # an element of XML may have a prefix
_SCRIPT_END = re.compile(r"</script(?=[ \t\n\r\f/>])", re.IGNORECASE)
_PREFIXED_SCRIPT_END = re.compile(r"</[\w.-]{1,40}:script(?=[ \t\n\r\f/>])", re.IGNORECASE)
_COMMENTS = {re.compile("<!--"): "-->", re.compile(r"<!\[CDATA\["): "]]>"}
_HANDLER = re.compile(r"""[\s"'/]on[a-z]{3,30}\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)""", re.IGNORECASE)
_SCRIPT_URL = re.compile(r"(?:j\s*a\s*v\s*a|v\s*b)\s*s\s*c\s*r\s*i\s*p\s*t\s*:[^\s\"'<>]{0,500}", re.IGNORECASE)
_ACTIVE_VALUE = re.compile(
    r"(?:java|vb)script:|data:(?!image/|font/|audio/|video/|text/css|application/(?:x-)?font|application/json)",
    re.IGNORECASE,
)
# XML that declares entities or attributes, or transforms itself. Drawing programs declare plain addresses.
_DECLARATION = re.compile(
    r"<!ATTLIST\b|<!ENTITY\b(?!\s+[\w.-]{1,100}\s+[\"']https?://[\w.-]{1,100}/[\w./#-]{0,200}[\"']\s*>)"
)
_STYLESHEET = re.compile(r"<\?xml-stylesheet\b[^>]{0,1000}")
_TRANSFORMATION = "/1999/XSL/Transform"
_WORKER = re.compile(r"\bserviceWorker\b")
# The quoted name of a built file, which changes with the file's contents.
_HASHED_NAME = re.compile(
    r"([\w@./-]{1,200}?)\.[\w-]{6,20}(\.(?:[cm]?js|css|json|avif|gif|jpe?g|png|svg|webp|woff2?|ttf))(?=[\"'`]|\Z)"
)

# --- Addresses.
_URL = re.compile(
    r"(?:\b(?:https?|wss?|ftp):[/\\]*|(?<=[a-z0-9+.-]):[/\\]{2,}|(?<=[\"'`(=\s,;])[/\\]{2,})"
    r"(?P<authority>[^\s/\\\"'<>`(){}|^?#,;]{1,253})",
    re.IGNORECASE,
)
# What precedes the "@" of an authority may contain nearly everything.
_USER = re.compile(r"[^/\\?#\t\r\n]{1,400}")
_HOST_OF_USER = re.compile(r"@([^@\s\"'<>`(){}|^,;]{1,253})")
_MAIL_TARGET = re.compile(r"^\s*mailto:[^@?]{0,200}@([^\s?,;&]{1,253})", re.IGNORECASE)
# Data in an address that can contain a document; pictures without scripts and fonts cannot.
_DOCUMENT = r"data:(?!image/(?!svg)|font/|audio/|video/|application/)"
_HAS_DOCUMENT = re.compile(_DOCUMENT, re.IGNORECASE)
_BASE64 = re.compile(_DOCUMENT + r"[^,\"'<>]{0,200};\s{0,9}base64\s{0,9},([\w+/=\s%-]*)", re.IGNORECASE)

# --- Markup and styles.
_TAG = re.compile(
    r"<(?:[\w.-]{1,40}:)?(a|area|link|meta|script|i?frame|embed|object|portal|fencedframe|form|button|input)(?=[\s/>])",
    re.IGNORECASE,
)
_STYLE = re.compile(r"<style\b[^>]{0,4000}>(.*?)(?:</style|\Z)", re.IGNORECASE | re.DOTALL)
_SCRIPT_ELEMENT = re.compile(r"<script\b[^>]{0,4000}>(.*?)(?:</script|\Z)", re.IGNORECASE | re.DOTALL)
_SPACE = r"[ \t\n\r\f]"  # what separates attributes; Python's \s is more
_ATTRIBUTE = re.compile(
    rf"(?:{_SPACE}|/)*(?P<name>[^ \t\n\r\f/>=][^ \t\n\r\f/>=]*)"
    rf"""(?:{_SPACE}*={_SPACE}*(?P<value>"[^"]*"|'[^']*'|[^ \t\n\r\f>]*))?"""
)
# Not consumed: what looks like a value must not hide the next one.
_VALUE = re.compile(rf"""={_SPACE}*(?=("[^"]*"|'[^']*'))""")
_TARGET = re.compile(r"^[\d.\s;,]*(?:url\s*=)?\s*[\"']?\s*([^\"'<>\s]{1,500})", re.IGNORECASE)
_PLAIN_VALUE = re.compile(r"^[^\s\"'<>]+$")
_LINE_BREAKS = re.compile(r"[\t\r\n]")  # browsers remove them from addresses
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f]")  # browsers ignore them in front of addresses
_CSS_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\r\n\f])?|(?:\r\n|[\r\n\f])|(.))")

Finding = tuple[str, str]


def is_searched(path: str) -> bool:
    """Whether a file may contain more than its own words or picture."""
    suffix = PurePosixPath(path).suffix.lower()
    if is_page(path) or suffix in (*MARKUP, *CODE, *STYLE, *DATA):
        return True
    return path.startswith(BUNDLES) and suffix not in PICTURES_AND_FONTS and _is_shown_as_markup(path)


def is_reported(path: str) -> bool:
    """Whether a file that is not searched is reported itself."""
    return PurePosixPath(path).suffix.lower() not in PICTURES_AND_FONTS and not path.startswith(BUNDLES)


def search(path: str, content: bytes, own: set[str]) -> Iterator[Finding]:
    """The findings in a file. `own` are the site's hosts."""
    suffix, text = PurePosixPath(path).suffix.lower(), _decode(content)
    if suffix in CODE:
        yield from code_findings(path, text)
        yield from _hosts(RiskKind.LOADED_HOST, text, own)
    elif suffix in STYLE:
        yield from _style(path, text, own)
    elif suffix in DATA:
        yield from _hosts(RiskKind.LINKED_HOST, text, own)
        if not path.startswith(BUNDLES):
            yield f"{RiskKind.FILE} {path} {_digest(text)}", path
    else:
        yield from _markup(path, text, own)


def code_findings(path: str, code: str) -> Iterator[Finding]:
    yield f"{RiskKind.SCRIPT} {_digest(code)}", _HASHED_NAME.sub(r"\1\2", path)
    if _WORKER.search(code):
        yield f"{RiskKind.SERVICE_WORKER} {_digest(code)}", _HASHED_NAME.sub(r"\1\2", path)


def _is_shown_as_markup(path: str) -> bool:
    kind = content_type(path).partition(";")[0]
    return kind == "text/html" or kind.endswith(("/xml", "+xml"))


def _decode(content: bytes) -> str:
    """Text in the encoding that a browser assumes: a byte order mark counts more than our header."""
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return content.decode("utf-16", "replace")
    return content.replace(b"\0", b"").decode("utf-8", "replace")  # UTF-16 without a mark, as XML may be


def _markup(path: str, text: str, own: set[str], depth: int = 0) -> Iterator[Finding]:
    # Once and twice unescaped: a page may contain another one as an attribute.
    once = unescape(text) if "&" in text else text
    readings = dict.fromkeys((text, once, unescape(once) if "&" in once else once))
    for reading in readings:
        yield from _programs(path, reading, own)
    *_, last = readings
    yield from _addresses(path, _CONTROL.sub(" ", last), own)
    yield from _nested(path, last, own, depth)


def _nested(path: str, text: str, own: set[str], depth: int) -> Iterator[Finding]:
    """What documents inside `data:` addresses contain."""
    if depth >= MOST_NESTED or not _HAS_DOCUMENT.search(text):
        return
    if "%" in text and (decoded := unquote(text)) != text:
        yield from _markup(path, decoded, own, depth + 1)
    for found in _BASE64.finditer(text):
        content = re.sub(r"[^\w+/-]", "", unquote(found[1]), flags=re.ASCII).translate(str.maketrans("-_", "+/"))
        inner = _decode(b64decode(content[: len(content) // 4 * 4] + "=" * (-len(content) % 4)))
        yield from _markup(path, inner, own, depth + 1)


def _programs(path: str, text: str, own: set[str]) -> Iterator[Finding]:
    """Everything in markup that runs."""
    for attributes, body in _scripts(text):
        runs = is_program(attributes)
        yield from _hosts(RiskKind.LOADED_HOST if runs or "<" in body else RiskKind.LINKED_HOST, body, own)
        if runs and body.strip():
            yield from code_findings(path, body)
    for found in (*_HANDLER.findall(text), *_SCRIPT_URL.findall(text), *_STYLESHEET.findall(text)):
        yield from code_findings(path, found)
    for value in _VALUE.findall(text):
        if ":" in value and _ACTIVE_VALUE.search(_LINE_BREAKS.sub("", value)):
            yield from code_findings(path, value)
    if _DECLARATION.search(text) or _TRANSFORMATION in text:
        yield from code_findings(path, text)


def _scripts(text: str) -> Iterator[tuple[str, str]]:
    """The attributes and the code of scripts. Code may end later than in a browser, but never earlier."""
    ends = _EndsOfScripts(text)
    position = searched = 0
    while (start := _SCRIPT.search(text, position)) is not None:
        opened = text.find(">", start.end()) + 1
        if not opened:
            return
        attributes = text[start.end() : opened - 1]
        closed = ends.after(opened, has_prefix=":" in start[1])
        if is_program(attributes):
            yield attributes, text[opened:closed]
            position = closed
            continue
        # In XML, code that does not run may contain a script that does.
        if opened > searched:
            yield attributes, text[opened:closed]
            searched = closed
        position = opened


def is_program(attributes: str) -> bool:
    return PROGRAM_TYPE.match(_read_attributes(attributes, 0).get("type", ("", 0))[0]) is not None


class _EndsOfScripts:
    """Where the code of scripts ends in a text. Every part of the text is searched once for each pattern."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[re.Pattern[str], int] = {}
        self._last = {opening: text.rfind(closing) for opening, closing in _COMMENTS.items()}

    def after(self, start: int, *, has_prefix: bool) -> int:
        ending = _PREFIXED_SCRIPT_END if has_prefix else _SCRIPT_END
        end = self._next(ending, start)
        for opening, closing in _COMMENTS.items():
            opened = self._next(opening, start)
            if opened >= end:
                continue
            if self._last[opening] > end:
                end = self._next(ending, max(end, self._text.find(closing, opened)))
            elif self._last[opening] < opened and _SCRIPT.search(self._text, opened, end):
                return len(self._text)  # a script inside a comment: its end does not end the code
        return end

    def _next(self, pattern: re.Pattern[str], start: int) -> int:
        if self._known.get(pattern, -1) < start:
            found = pattern.search(self._text, start)
            self._known[pattern] = found.start() if found else len(self._text)
        return self._known[pattern]


def _style(path: str, text: str, own: set[str]) -> Iterator[Finding]:
    plain = _without_css_escapes(text)
    yield from _hosts(RiskKind.LOADED_HOST, plain, own)
    yield from _nested(path, plain, own, 0)


def _addresses(path: str, text: str, own: set[str]) -> Iterator[Finding]:
    """The hosts in markup, by their use."""
    values = []
    for value in _VALUE.findall(text):
        if "\\" in value:
            values.append(_without_css_escapes(value))
        if _LINE_BREAKS.search(value):
            values.append(_LINE_BREAKS.sub("", value))
    for body in (*_STYLE.findall(text), *values):
        yield from _hosts(RiskKind.LOADED_HOST, _without_css_escapes(body) if "\\" in body else body, own)
    known = []  # places of addresses whose use is known
    for kind, value, place in _tags(path, text):
        if kind is RiskKind.REDIRECT:
            yield f"{kind} {value}", value
            continue
        if kind is RiskKind.FORM and (target := _MAIL_TARGET.match(value)):
            yield from _host(kind, target[1], own)
        yield from _hosts(kind, f" {value}", own)
        if kind is not RiskKind.SCRIPT:
            known.append((place, place + len(value)))
    # All others are loaded, as far as is known here, unless they are words on the page.
    plain = _STYLE.sub(_blank, _SCRIPT_ELEMENT.sub(_blank, text))
    pieces, position = [], 0
    for start, end in sorted(known):
        if start >= position:
            pieces += [plain[position:start], " " * (end - start)]
            position = end
    plain = "".join((*pieces, plain[position:]))
    for found in _URL.finditer(plain):
        before = plain[max(0, found.start() - 4096) : found.start()]
        in_text = before.rfind(">") > before.rfind("<") and before[-1:] not in ("\"'=(")
        if in_text:
            yield from _host(RiskKind.LINKED_HOST, found["authority"], own)
        else:
            yield from _hosts_of(RiskKind.LOADED_HOST, found, own)


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


def _hosts(kind: RiskKind, text: str, own: set[str]) -> Iterator[Finding]:
    for found in _URL.finditer(text):
        yield from _hosts_of(kind, found, own)


def _hosts_of(kind: RiskKind, address: re.Match[str], own: set[str]) -> Iterator[Finding]:
    yield from _host(kind, address["authority"], own)
    written = _USER.match(address.string, address.start("authority"))
    if written and "@" in written[0]:
        for host in _HOST_OF_USER.findall(written[0]):
            yield from _host(kind, host, own)


def _host(kind: RiskKind, authority: str, own: set[str]) -> Iterator[Finding]:
    host = host_of_authority(authority)
    if host and host not in own:
        yield f"{kind} {host}", host


def _without_css_escapes(text: str) -> str:
    return _CSS_ESCAPE.sub(lambda found: chr(min(int(found[1], 16), 0x10FFFF)) if found[1] else found[2] or "", text)


def _digest(text: str) -> str:
    return hashlib.sha256(_HASHED_NAME.sub(r"\1\2", text).encode("utf-8", "replace")).hexdigest()[:16]

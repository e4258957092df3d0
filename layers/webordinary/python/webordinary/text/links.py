"""Where a link leads: without the wrappers of mail filters, which make every link look alike."""

from __future__ import annotations

import base64
import binascii
import re
from urllib.parse import parse_qs, unquote, urlsplit

MOST_WRAPPERS = 5
_IGNORED = ("javascript:", "data:", "cid:", "mid:", "about:", "blob:", "x-apple-data-detectors:", "vbscript:", "file:")
# Host, or its end with a dot, and the parameter that holds the target.
_IN_PARAMETER = (
    (".safelinks.protection.outlook.com", ("url",)),
    ("safelinks.protection.outlook.com", ("url",)),
    (".safelinks.protection.office365.us", ("url",)),
    ("linkprotect.cudasvc.com", ("a",)),
    ("www.google.com", ("q", "url")),
    ("google.com", ("q", "url")),
    ("l.facebook.com", ("u",)),
    ("lm.facebook.com", ("u",)),
    ("l.instagram.com", ("u",)),
    ("www.linkedin.com", ("url",)),
    ("slack-redir.net", ("url",)),
    ("duckduckgo.com", ("uddg",)),
    (".ctp.trendmicro.com", ("url",)),
    (".trendmicro.com", ("url",)),
    ("clicktime.symantec.com", ("u",)),
    ("clicktime.cloud.postoffice.net", ("u",)),
    (".hornetsecurity.com", ("url", "u")),
    ("link.edgepilot.com", ("u",)),
    ("protect2.fireeye.com", ("u",)),
    (".fireeye.com", ("u",)),
    (".sophos.com", ("u",)),
    ("deref-gmx.net", ("redirectUrl",)),
    ("deref-gmx.com", ("redirectUrl",)),
    ("deref-web.de", ("redirectUrl",)),
    ("deref-web-02.de", ("redirectUrl",)),
    ("deref-mail.com", ("redirectUrl",)),
    ("deref-1und1.de", ("redirectUrl",)),
    ("dereferrer.me", ("redirectUrl",)),
    ("mailtrack.io", ("url",)),
    ("outlook.live.com", ("url",)),
    (".mimecast.com", ("url",)),
    (".mimecastprotect.com", ("url",)),
    ("urldefense.proofpoint.com", ("u",)),
    ("statics.teams.cdn.office.net", ("url",)),
    ("scanmail.trustwave.com", ("u",)),
    ("urlsand.esvalabs.com", ("u",)),
    ("www.youtube.com", ("q",)),
    ("l.messenger.com", ("u",)),
    ("l.threads.com", ("u",)),
)
# The paths at which a host redirects, where it has other pages too.
_REDIRECTS: dict[str, str | tuple[str, ...]] = {
    "www.google.com": "/url",
    "google.com": "/url",
    "www.linkedin.com": ("/redir", "/safety"),
    "www.youtube.com": "/redirect",
}
_URLDEFENSE_3 = re.compile(
    r"https?://urldefense\.(?:com|us|proofpoint\.com)/v3/__(.+?)__;([A-Za-z0-9_=-]*)!", re.DOTALL
)
_AVANAN = re.compile(
    r"https?://(?:[a-z0-9.-]+\.)?(?:avanan\.click|checkpoint\.com)/v2/(?:r\d+/)?___(.+?)___", re.DOTALL
)
_CISCO = re.compile(r"https?://secure-web\.cisco\.com/.{0,2000}/(https?%3A%2F%2F[^/]+)$", re.DOTALL)
_RUNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def link_target(href: str) -> str:
    """The target of a link as text: a web address, a mail address, a number or a path; empty without a target."""
    href = "".join(href.split("\n")).strip().replace("\r", "").replace("\t", "")
    lowered = href[:60].lower()
    if not href or href.startswith("#") or lowered.startswith(_IGNORED):
        return ""
    if lowered.startswith(("mailto:", "tel:", "sms:", "callto:")):
        scheme, _, rest = href.partition(":")
        rest = unquote(rest).removeprefix("//").strip()
        return rest if scheme.lower() in ("mailto", "tel") else f"{scheme}:{rest}"
    return without_wrappers(href)


def without_wrappers(link: str) -> str:
    for _ in range(MOST_WRAPPERS):
        inner = _unwrapped(link)
        if inner is None:
            return link
        link = inner
    return link


def _unwrapped(link: str) -> str | None:
    if not link[:8].lower().startswith(("http://", "https://")):
        return None
    third = _URLDEFENSE_3.match(link)
    if third is not None:
        return _with_replaced_characters(third[1], third[2])
    found = _AVANAN.match(link) or _CISCO.match(link)
    if found is not None:
        return _web_address(unquote(found[1]))
    try:
        parts = urlsplit(link)
        host = (parts.hostname or "").lower()
    except ValueError:
        return None
    for suffix, names in _IN_PARAMETER:
        if host == suffix or (suffix[0] == "." and host.endswith(suffix)):
            return _from_parameter(parts.path, parts.query, host, names)
    return None


def _from_parameter(path: str, query: str, host: str, names: tuple[str, ...]) -> str | None:
    if not path.startswith(_REDIRECTS.get(host, "")):
        return None
    try:
        values = parse_qs(query, max_num_fields=100)
    except ValueError:
        return None
    value = next((values[name][0] for name in names if name in values), "")
    if host == "urldefense.proofpoint.com" and "/v2/" in path:
        value = unquote(value.replace("-", "%").replace("_", "/"))
    if host.endswith(".sophos.com"):
        value = _base64(value)
    return _web_address(value)


def _base64(value: str) -> str:
    try:
        return base64.urlsafe_b64decode(value + "=" * (-len(value) % 4)).decode()
    except (binascii.Error, ValueError):
        return value


def _web_address(value: str) -> str | None:
    """The value if it can be a target: only the web, a mail address or a number, and nothing that could break out."""
    value = value.strip().replace(" ", "%20")
    if value.lower().startswith(("http:/", "https:/")) and "://" not in value[:8]:
        value = value.replace(":/", "://", 1)
    plain = value.lower().startswith(("http://", "https://", "mailto:", "tel:"))
    return value if plain and value.isprintable() and not any(letter in value for letter in "<>") else None


def _with_replaced_characters(link: str, encoded: str) -> str | None:
    """Version 3 of URL Defense replaces characters by "*", and several in a row by "**" and their number."""
    characters = iter(_base64(encoded) if encoded else "")
    pieces: list[str] = []
    position = 0
    while position < len(link):
        if link[position] != "*":
            pieces.append(link[position])
            position += 1
        elif (
            link.startswith("**", position)
            and link[position + 2 : position + 3] in _RUNS[:64]
            and position + 2 < len(link)
        ):
            count = _RUNS.index(link[position + 2]) + 2
            pieces += [next(characters, "*") for _ in range(count)]
            position += 3
        else:
            pieces.append(next(characters, "*"))
            position += 1
    return _web_address("".join(pieces))


def leads_where_it_says(target: str, shown: str) -> bool:
    """Whether the text of a link already has its target."""
    if target[:1] in "+0123456789(":
        digits = re.sub(r"\D", "", target)
        if digits and digits in re.sub(r"\D", "", shown):
            return True
    bare = _bare(target)
    return bare != "" and bare in _bare(shown)


def _bare(text: str) -> str:
    plain = "".join(text.lower().split()).partition("://")
    rest = plain[2] if plain[0] in ("http", "https") else "".join(plain)
    return rest.removeprefix("www.").rstrip("/")

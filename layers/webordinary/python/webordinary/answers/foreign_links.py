"""Defangs links to foreign hosts.

An agent's text may repeat instructions from a page or a file. Mail clients turn plain URLs into links, so a URL of
another host is written in a form that none of them links: `https://evil.example/x` becomes `evil[.]example/x`.
URLs of the project's own hosts are kept.

Mail clients and browsers read more as a host than a name with dots: an encoded or an ideographic dot, a decimal number,
an IPv6 address. So a URL with a scheme is compared by the host that a browser makes of it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from urllib.parse import unquote

from webordinary.text.hosts import host_of_authority

# Full-width forms of a scheme count too; `:` may be followed by any number of slashes of either kind.
WITH_SCHEME = re.compile(
    r"(?<![a-z0-9])(?P<scheme>[a-z][a-z0-9+-]{1,15}):(?P<slashes>[/\\]{1,8})(?P<authority>[^\s/\\?#<>\"']{1,300})"
    r"(?P<rest>[^\s<>\"']{0,2000})",
    re.IGNORECASE,
)
# Characters that browsers read as the dot between two labels.
OTHER_DOTS = re.compile(
    r"(?<=[a-z0-9])[\u2024\u3002\uff0e\uff61](?=[a-z0-9])|(?<=[a-z0-9])%2e(?=[a-z0-9])", re.IGNORECASE
)
WIDE = re.compile(r"[\uff01-\uff5e]+")
LABEL = r"[^\s/\\?#@:<>\"'()\[\].,;!]{1,63}"
ADDRESS = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+-]{1,15}:(?://)?)?"
    r"(?P<user>[^\s/?#@:<>\"'()\[\]]{1,64}@)?"
    rf"(?P<host>{LABEL}(?:\.{LABEL}){{1,8}})"
    r"(?P<rest>(?::\d{1,5})?(?:[/\\?#][^\s<>\"']*)?)",
    re.IGNORECASE,
)
OTHER_SCHEME = re.compile(
    r"\b(javascript|data|vbscript|file|blob|intent|magnet|tel|sms|facetime|skype|whatsapp|ms-[a-z-]{1,30}|search-ms"
    r"|x-[a-z-]{1,30}):(?=\S)",
    re.IGNORECASE,
)
MARKDOWN = re.compile(r"!?\[(?P<text>[^\[\]]{0,500})\]\((?P<target>[^()\s]{0,1000})[^()]{0,200}\)")
# A word with a dot is a host name unless it ends with one of these file extensions.
FILES = (
    "astro avif css csv gif html ico jpeg jpg js json jsx lock md mdx mjs pdf png scss svg toml ts tsx txt webp xml "
    "yaml yml"
)
FILE_ENDINGS = frozenset(FILES.split())


def one_line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def defang_foreign_links(text: str, own_hosts: Collection[str]) -> str:
    """The text with every URL defanged whose host is not one of `own_hosts`."""
    own = {host.lower() for host in own_hosts if host}
    text = WIDE.sub(
        lambda found: unicodedata.normalize("NFKC", found[0]) if ":" in found[0] or "：" in found[0] else found[0], text
    )
    text = MARKDOWN.sub(_expand_markdown, text)
    text = WITH_SCHEME.sub(lambda found: _without_scheme(found, own), text)
    text = OTHER_DOTS.sub(".", text)
    text = ADDRESS.sub(lambda found: _defang(found, own), text)
    return OTHER_SCHEME.sub(lambda found: f"{found[1]} ", text)


def _without_scheme(found: re.Match[str], own: Collection[str]) -> str:
    """A URL of an own host, or a foreign one without its scheme and in the form that shows its host."""
    authority = found["authority"]
    name = authority.rstrip(".,;:!?)]")
    host = host_of_authority(name)
    is_plain = found["slashes"] == "//" and name.partition(":")[0].lower() == host
    if is_plain and host in own and found["scheme"].lower() in ("http", "https"):
        return found[0]
    shown = unicodedata.normalize("NFKC", unquote(authority)).replace("。", ".")
    shown = "".join(char for char in shown if char.isprintable())
    return shown.replace("@", "[at]").replace(".", "[.]") + found["rest"]


def _expand_markdown(link: re.Match[str]) -> str:
    """Shows both text and target of `[our page](https://evil.example)`."""
    text, target = link["text"], link["target"]
    return f"{text} ({target})" if target and target != text else text


def _defang(found: re.Match[str], own: Collection[str]) -> str:
    scheme, user = (found["scheme"] or "").lower(), found["user"]
    if not scheme and user is None and not _has_host_suffix(found["host"]):
        return found[0]
    is_own = user is None and scheme in ("", "http://", "https://") and found["host"].lower() in own
    if is_own and "://" not in found["rest"]:
        return found[0]
    rest = found["rest"].replace("://", "[://]")
    return (
        _bracket_dots(user or "").replace("@", "[at]")
        + _bracket_dots(found["host"])
        + (_bracket_dots(rest) if rest != found["rest"] else rest)
    )


def _bracket_dots(address: str) -> str:
    return address.replace(".", "[.]")


def _has_host_suffix(host: str) -> bool:
    ending = host.rpartition(".")[2].lower()
    return len(ending) > 1 and ending.isalpha() and ending not in FILE_ENDINGS

"""Takes the life out of links that lead to somebody else's host.

What an agent writes may have been put into its mouth by a page or a file. Mail programs turn addresses into links by
themselves, so an address of another host is written in a way that none of them does: `https://evil.example/x` becomes
`evil[.]example/x`. Addresses of the project's own hosts stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Collection

LABEL = r"[^\s/?#@:<>\"'()\[\].,;!]{1,63}"
ADDRESS = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+-]{1,15}:(?://)?)?"
    r"(?P<user>[^\s/?#@:<>\"'()\[\]]{1,64}@)?"
    rf"(?P<host>{LABEL}(?:\.{LABEL}){{1,8}})"
    r"(?P<rest>(?::\d{1,5})?(?:[/?#][^\s<>\"']*)?)",
    re.IGNORECASE,
)
OTHER_SCHEME = re.compile(r"\b(javascript|data|vbscript|file):(?=\S)", re.IGNORECASE)
MARKDOWN = re.compile(r"!?\[(?P<text>[^\[\]]{0,500})\]\((?P<target>[^()\s]{0,1000})[^()]{0,200}\)")
# A word with a dot inside is a host only if it ends as hosts do. These are files of a site.
FILES = (
    "astro avif css csv gif html ico jpeg jpg js json jsx lock md mdx mjs pdf png scss svg toml ts tsx txt webp xml "
    "yaml yml"
)
FILE_ENDINGS = frozenset(FILES.split())


def defang_foreign_links(text: str, own_hosts: Collection[str]) -> str:
    """The text, in which nothing becomes a link that leads anywhere but to these hosts."""
    own = {host.lower() for host in own_hosts if host}
    shown = MARKDOWN.sub(_written_out, text)
    shown = ADDRESS.sub(lambda found: _neutral(found, own), shown)
    return OTHER_SCHEME.sub(lambda found: f"{found[1]} ", shown)


def _written_out(link: re.Match[str]) -> str:
    """`[our page](https://evil.example)` says one thing and does another: both are shown."""
    text, target = link["text"], link["target"]
    return f"{text} ({target})" if target and target != text else text


def _neutral(found: re.Match[str], own: Collection[str]) -> str:
    scheme, user = (found["scheme"] or "").lower(), found["user"]
    if not scheme and user is None and not _ends_as_hosts_do(found["host"]):
        return found[0]
    leads_home = user is None and scheme in ("", "http://", "https://") and found["host"].lower() in own
    if leads_home and "://" not in found["rest"]:
        return found[0]
    rest = found["rest"].replace("://", "[://]")
    return (
        _dead(user or "").replace("@", "[at]") + _dead(found["host"]) + (_dead(rest) if rest != found["rest"] else rest)
    )


def _dead(address: str) -> str:
    return address.replace(".", "[.]")


def _ends_as_hosts_do(host: str) -> bool:
    ending = host.rpartition(".")[2].lower()
    return len(ending) > 1 and ending.isalpha() and ending not in FILE_ENDINGS

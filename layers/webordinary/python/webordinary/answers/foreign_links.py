"""Defangs links to foreign hosts.

An agent's text may repeat instructions from a page or a file. Mail clients turn plain URLs into links, so a URL of
another host is written in a form that none of them links: `https://evil.example/x` becomes `evil[.]example/x`.
URLs of the project's own hosts are kept.
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
# A word with a dot is a host name unless it ends with one of these file extensions.
FILES = (
    "astro avif css csv gif html ico jpeg jpg js json jsx lock md mdx mjs pdf png scss svg toml ts tsx txt webp xml "
    "yaml yml"
)
FILE_ENDINGS = frozenset(FILES.split())


def defang_foreign_links(text: str, own_hosts: Collection[str]) -> str:
    """The text with every URL defanged whose host is not one of `own_hosts`."""
    own = {host.lower() for host in own_hosts if host}
    text = MARKDOWN.sub(_expand_markdown, text)
    text = ADDRESS.sub(lambda found: _defang(found, own), text)
    return OTHER_SCHEME.sub(lambda found: f"{found[1]} ", text)


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

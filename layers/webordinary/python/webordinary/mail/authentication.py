"""Authenticates the sender of a mail by the results that SES added on receipt, and by nothing else.

SES writes its results above the headers of the mail and ends them with `X-SES-RECEIPT`. Everything below that line
came with the mail and may be forged. Only From is read from there, because it is the claim to be checked.

A mail passes if DMARC passed for exactly the domain in From, or if that domain has no DMARC policy and an aligned DKIM
signature passed. SPF alone is not enough, and a sender address must be ASCII
(docs/decisions/0007-sender-authentication.md).
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from webordinary.mail.mime.addresses import parse_addresses
from webordinary.mail.mime.headers import Headers
from webordinary.mail.models import Authentication, AuthenticationReason
from webordinary.mail.vocabulary.patterns import lazy_pattern

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

NOT_ASCII = lazy_pattern(r"[^\x00-\x7f]")
RECEIPT = "x-ses-receipt"
AUTHORITY = "amazonses.com"
LONGEST_RESULTS = 8 * 1024
_PIECES = lazy_pattern(r'[;"()]|[^;"()]+')
_COMMENT = re.compile(r'\([^()"]*\)')
_METHODS = ("spf", "dkim", "dmarc")
_UNSAFE_IN_RETURN_PATH = re.compile(r'[;"()\s]')


# The owner of the domain can fix these, or a later mail may pass.
FIXABLE = frozenset({AuthenticationReason.TEMPORARY, AuthenticationReason.NOT_ALIGNED})


class Finding(NamedTuple):
    """One result in an Authentication-Results header, like `dkim=pass header.i=@example.com`, in lower case."""

    method: str
    result: str
    words: list[str]

    @property
    def properties(self) -> dict[str, str]:
        return dict([word.split("=", 1) for word in self.words if "=" in word])


def authenticate(headers: Headers) -> Authentication:
    """Authenticates a stored mail from its headers, in order."""
    trusted = headers.above(RECEIPT)
    if trusted is None:
        return _failed(AuthenticationReason.NO_RECEIPT, Headers([]))
    reason = _rejection(headers, trusted)
    if reason is not None:
        return _failed(reason, trusted)
    domain = parse_addresses(headers.get("from"))[0].address.rpartition("@")[2]
    return _evaluate(domain, trusted)


def _rejection(headers: Headers, trusted: Headers) -> AuthenticationReason | None:
    if trusted.get("x-ses-virus-verdict").strip().upper() == "FAIL":
        return AuthenticationReason.VIRUS
    if trusted.get("x-ses-spam-verdict").strip().upper() == "FAIL":
        return AuthenticationReason.SPAM
    senders = headers.all("from")
    named = parse_addresses(senders[0]) if senders else ()
    if not named or not _is_ascii(senders[0]):
        return AuthenticationReason.NO_SENDER
    if len(senders) > 1 or len(named) > 1:
        return AuthenticationReason.SEVERAL_SENDERS
    # The sender chooses the return path; with these characters in it, it could imitate a result.
    return AuthenticationReason.AMBIGUOUS if _UNSAFE_IN_RETURN_PATH.search(trusted.get("return-path").strip()) else None


def _is_ascii(sender: str) -> bool:
    """Whether the addresses in a From header are ASCII as sent.

    Checked before lower-casing, which turns a Kelvin sign into the letter k.
    """
    if sender.isascii():
        return True
    return all("\ufffd" not in mailbox.address for mailbox in parse_addresses(NOT_ASCII().sub("\ufffd", sender)))


def _evaluate(domain: str, trusted: Headers) -> Authentication:
    found = [finding for value in trusted.all("authentication-results") for finding in read_findings(value)]
    methods = [finding.method for finding in found]
    if methods.count("dmarc") > 1 or methods.count("spf") > 1:
        return _failed(AuthenticationReason.AMBIGUOUS, trusted)
    if "dmarc" in methods:
        policy = found[methods.index("dmarc")]
        if policy.result == "pass":
            named = policy.properties.get("header.from", "").rstrip(".")
            return (
                _passed(AuthenticationReason.DMARC, trusted)
                if named == domain
                else _failed(AuthenticationReason.AMBIGUOUS, trusted)
            )
        if policy.result in ("fail", "permerror"):
            return _failed(AuthenticationReason.DMARC_FAILED, trusted)
        if policy.result == "temperror":
            return _failed(AuthenticationReason.TEMPORARY, trusted)
    for finding in found:
        if (finding.method, finding.result) == ("dkim", "pass") and is_aligned(_signer(finding), domain):
            return _passed(AuthenticationReason.DKIM, trusted)
    return _failed(AuthenticationReason.NOT_ALIGNED, trusted)


def read_findings(value: str) -> list[Finding]:
    """The results in an Authentication-Results header, if SES wrote it."""
    statements = _split(value[:LONGEST_RESULTS])
    if statements[0].split(None, 1)[:1] != [AUTHORITY]:
        return []
    found = []
    for statement in statements[1:]:
        words = statement.lower().split()
        method, equals, result = words[0].partition("=") if words else ("", "", "")
        if equals and method in _METHODS:
            found.append(Finding(method, result, words[1:]))
    return found


def _split(value: str) -> list[str]:
    """Statements between semicolons, without comments. A semicolon in quotes does not separate."""
    simple = _COMMENT.sub("", value)
    if '"' not in simple and "(" not in simple and ")" not in simple:
        return simple.split(";")
    statements: list[str] = []
    current: list[str] = []
    comments = 0
    quoted = False
    for piece in _PIECES().findall(value):
        if piece == '"' and not comments:
            quoted = not quoted
        elif piece == "(" and not quoted:
            comments += 1
        elif piece == ")" and comments and not quoted:
            comments -= 1
            continue
        if comments:
            continue
        if piece == ";" and not quoted:
            statements.append("".join(current))
            current = []
        else:
            current.append(piece)
    statements.append("".join(current))
    return statements


def _signer(finding: Finding) -> str:
    identity = finding.properties.get("header.d") or finding.properties.get("header.i", "")
    return identity.rpartition("@")[2].rstrip(".")


def is_aligned(proven: str, claimed: str) -> bool:
    """Relaxed alignment as in DMARC: the same domain, or two domains of one organisation.

    Every domain directly below a public suffix (`co.uk`, `uk.com`, `github.io`) is a separate organisation.
    """
    if proven == claimed:
        return bool(proven)
    organisation = organisational_domain(proven)
    return organisation is not None and organisation == organisational_domain(claimed)


def organisational_domain(domain: str) -> str | None:
    """The registered part of a domain; None for a public suffix itself."""
    found: str | None = _public_suffixes().privatesuffix(domain)
    return found


@cache
def _public_suffixes() -> PublicSuffixList:
    # Reading the list takes 35 ms. It is needed only if the signing domain differs from the sender domain.
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList(accept_unknown=False)


def _passed(reason: AuthenticationReason, trusted: Headers) -> Authentication:
    return _verdict(True, reason, trusted)


def _failed(reason: AuthenticationReason, trusted: Headers) -> Authentication:
    return _verdict(False, reason, trusted)


def _verdict(passed: bool, reason: AuthenticationReason, trusted: Headers) -> Authentication:
    return Authentication(
        passed=passed,
        reason=reason,
        fixable=reason in FIXABLE,
        return_path=trusted.get("return-path").strip().strip("<>")[:320],
        spam_verdict=trusted.get("x-ses-spam-verdict")[:40],
        virus_verdict=trusted.get("x-ses-virus-verdict")[:40],
    )

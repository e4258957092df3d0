"""Decides whether a mail is from whom it says, by what SES found out when it received the mail and nothing else.

SES writes its findings above the mail's own headers and ends them with `X-SES-RECEIPT`. Whatever is below that line
came with the mail and may be forged, so it is not read, with one exception: From, which is the claim to be checked.

Passed means: DMARC passed, said of the very domain in From; or the domain has no DMARC policy and a DKIM signature
passed that is aligned with it. SPF alone is not enough, and an address that is not ASCII is nobody's
(docs/decisions/0007-sender-authentication.md).
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from webordinary.mail.mime.addresses import addresses_in
from webordinary.mail.mime.containers import Headers
from webordinary.mail.models import Authentication, Reason
from webordinary.mail.vocabulary.patterns import compiled_later

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

NOT_ASCII = compiled_later(r"[^\x00-\x7f]")
RECEIPT = "x-ses-receipt"
AUTHORITY = "amazonses.com"
LONGEST_RESULTS = 8 * 1024
_PIECES = compiled_later(r'[;"()]|[^;"()]+')
_COMMENT = re.compile(r'\([^()"]*\)')
_METHODS = ("spf", "dkim", "dmarc")
_COULD_IMITATE = re.compile(r'[;"()\s]')


# The owner of the domain, or time, can put these right.
FIXABLE = frozenset({Reason.TEMPORARY, Reason.NOT_ALIGNED})


class Finding(NamedTuple):
    """One result in an Authentication-Results header, like `dkim=pass header.i=@example.com`, in lower case."""

    method: str
    result: str
    words: list[str]

    @property
    def properties(self) -> dict[str, str]:
        return dict([word.split("=", 1) for word in self.words if "=" in word])


def authenticate(headers: Headers) -> Authentication:
    """The verdict on a stored mail, from all of its headers in order."""
    trusted = headers.until(RECEIPT)
    if trusted is None:
        return _refused(Reason.NO_RECEIPT, Headers([]))
    reason = _first_refusal(headers, trusted)
    if reason is not None:
        return _refused(reason, trusted)
    domain = addresses_in(headers.get("from"))[0].address.rpartition("@")[2]
    return _weigh(domain, trusted)


def _first_refusal(headers: Headers, trusted: Headers) -> Reason | None:
    if trusted.get("x-ses-virus-verdict").strip().upper() == "FAIL":
        return Reason.VIRUS
    if trusted.get("x-ses-spam-verdict").strip().upper() == "FAIL":
        return Reason.SPAM
    senders = headers.all("from")
    named = addresses_in(senders[0]) if senders else ()
    if not named or not _is_ascii(senders[0]):
        return Reason.NO_SENDER
    if len(senders) > 1 or len(named) > 1:
        return Reason.SEVERAL_SENDERS
    # The sender chooses the return path; with these characters in it, it could imitate a finding.
    return Reason.AMBIGUOUS if _COULD_IMITATE.search(trusted.get("return-path").strip()) else None


def _is_ascii(sender: str) -> bool:
    """Whether the addresses in a From header are ASCII as they were sent.

    Asked before anything is put into lower case, which makes the letter k of a Kelvin sign.
    """
    if sender.isascii():
        return True
    return all("\ufffd" not in mailbox.address for mailbox in addresses_in(NOT_ASCII().sub("\ufffd", sender)))


def _weigh(domain: str, trusted: Headers) -> Authentication:
    found = [finding for value in trusted.all("authentication-results") for finding in findings(value)]
    methods = [finding.method for finding in found]
    if methods.count("dmarc") > 1 or methods.count("spf") > 1:
        return _refused(Reason.AMBIGUOUS, trusted)
    if "dmarc" in methods:
        policy = found[methods.index("dmarc")]
        if policy.result == "pass":
            named = policy.properties.get("header.from", "").rstrip(".")
            return _passed(Reason.DMARC, trusted) if named == domain else _refused(Reason.AMBIGUOUS, trusted)
        if policy.result in ("fail", "permerror"):
            return _refused(Reason.DMARC_FAILED, trusted)
        if policy.result == "temperror":
            return _refused(Reason.TEMPORARY, trusted)
    for finding in found:
        if (finding.method, finding.result) == ("dkim", "pass") and aligned(_signer(finding), domain):
            return _passed(Reason.DKIM, trusted)
    return _refused(Reason.NOT_ALIGNED, trusted)


def findings(value: str) -> list[Finding]:
    """The results in one Authentication-Results header, if SES wrote it."""
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
    """Statements between semicolons, without comments; what is inside quotes is kept together."""
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


def aligned(proven: str, claimed: str) -> bool:
    """Relaxed alignment, as DMARC has it: the same domain, or two of one organisation.

    Under a public suffix (`co.uk`, `uk.com`, `github.io`) everybody is an organisation of their own.
    """
    if proven == claimed:
        return bool(proven)
    organisation = organisational_domain(proven)
    return organisation is not None and organisation == organisational_domain(claimed)


def organisational_domain(domain: str) -> str | None:
    """The part of a domain that somebody registered; None for a public suffix itself."""
    found: str | None = _public_suffixes().privatesuffix(domain)
    return found


@cache
def _public_suffixes() -> PublicSuffixList:
    # Reading the list takes 35 ms, so only a mail whose signer is not simply its domain pays for it.
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList(accept_unknown=False)


def _passed(reason: Reason, trusted: Headers) -> Authentication:
    return _verdict(True, reason, trusted)


def _refused(reason: Reason, trusted: Headers) -> Authentication:
    return _verdict(False, reason, trusted)


def _verdict(passed: bool, reason: Reason, trusted: Headers) -> Authentication:
    return Authentication(
        passed=passed,
        reason=reason,
        fixable=reason in FIXABLE,
        return_path=trusted.get("return-path").strip().strip("<>")[:320],
        spam_verdict=trusted.get("x-ses-spam-verdict")[:40],
        virus_verdict=trusted.get("x-ses-virus-verdict")[:40],
    )

"""What a built site contains that can hurt its visitors: foreign hosts, scripts, forms, frames, redirects.

The findings of two builds are compared; only what is new is reported. Neither site is trusted: files are read up to a
limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from webordinary.contract.messages.outcome import Risk
from webordinary.contract.outcomes import RiskKind
from webordinary.contract.values import limit
from webordinary_worker.deploy.built_files import ChangedFileError, SiteFiles
from webordinary_worker.deploy.risk_search import is_reported, is_searched, search

MAX_FINDINGS = 3000
MAX_SCANNED_BYTES = 256 * 1024 * 1024
MAX_DETAIL = 200
NOT_COMPARED = Risk(kind=RiskKind.NOT_COMPARED)
NAMESPACES = frozenset(("www.w3.org",))  # names in markup; nothing is loaded from there
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
        if is_searched(path):
            try:
                content = site.read(path, digests[path])
            except ChangedFileError:
                return SiteRisks({}, is_complete=False)
            left -= len(content)
            for identity, detail in search(path, content, own):
                findings.setdefault(identity, detail[:MAX_DETAIL])
        elif is_reported(path):
            findings[f"{RiskKind.FILE} {path} {digests[path][:16]}"] = path[:MAX_DETAIL]
        if len(findings) > MAX_FINDINGS or left < 0:
            return SiteRisks({}, is_complete=False)
    return SiteRisks(findings)

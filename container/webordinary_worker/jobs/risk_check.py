"""Whether a change may add what it adds, by the project's entry, and what a thread adds in all its changes."""

from __future__ import annotations

from urllib.parse import urlsplit

from webordinary.contract.messages.outcome import Risk
from webordinary.contract.outcomes import RiskKind
from webordinary_worker.deploy.site_risks import NOT_COMPARED, as_facts
from webordinary_worker.jobs.job_context import JobContext


def forbidden(context: JobContext, risks: tuple[Risk, ...]) -> tuple[Risk, ...]:
    """The risks that the project forbids. If it forbids any, a site that could not be compared is forbidden too."""
    kinds = context.tools.project.forbidden_risks
    return tuple(risk for risk in risks if kinds and risk.kind in (*kinds, RiskKind.NOT_COMPARED))


def thread_risks(context: JobContext, thread_id: str) -> dict[str, object]:
    """What a thread's preview adds to the site that the thread was based on, as fields of an outcome."""
    known = context.tools.preview(thread_id).known_risks()
    return as_facts((NOT_COMPARED,) if known is None else known[0].new_since(known[1]))


def own_hosts(context: JobContext) -> tuple[str, ...]:
    project = context.tools.project
    addresses = (project.site_url, context.preview_url, f"https://{project.domain}/")
    hosts = [urlsplit(address).hostname or "" for address in addresses]
    return tuple(filter(None, (*hosts, *(f"www.{host}" for host in hosts if host))))

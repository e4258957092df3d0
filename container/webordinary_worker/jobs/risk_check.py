"""Whether a change may add what it adds, by the project's entry."""

from __future__ import annotations

from urllib.parse import urlsplit

from webordinary.contract.messages.outcome import Risk
from webordinary.contract.outcomes import RiskKind
from webordinary_worker.jobs.job_context import JobContext


def forbidden(context: JobContext, risks: tuple[Risk, ...]) -> tuple[Risk, ...]:
    """The risks that the project forbids. If it forbids any, a site that could not be compared is forbidden too."""
    kinds = context.tools.project.forbidden_risks
    return tuple(risk for risk in risks if kinds and risk.kind in (*kinds, RiskKind.NOT_COMPARED))


def own_hosts(context: JobContext, thread_id: str = "") -> tuple[str, ...]:
    """The hosts of the project and of the preview of a thread: the job's, or another."""
    project = context.tools.project
    addresses = (project.site_url, project.preview_of(thread_id or context.job.thread_id), f"https://{project.domain}/")
    hosts = [urlsplit(address).hostname or "" for address in addresses]
    return tuple(filter(None, (*hosts, *(f"www.{host}" for host in hosts if host))))

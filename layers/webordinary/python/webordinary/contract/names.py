"""Names of everything that exists on AWS, derived from the contract."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from string import Template
from typing import TYPE_CHECKING

from webordinary.contract.values import contract

if TYPE_CHECKING:
    from webordinary.contract.messages.base import Pair


@dataclass(frozen=True)
class Names:
    """All names of one deployment: `Names("webordinary", "123456789012").queue("input", pair)`."""

    prefix: str
    account: str

    def queue(self, kind: str, pair: Pair | None = None) -> str:
        return self._fill(contract()["queues"][kind], pair)

    def table(self, kind: str) -> str:
        return self._fill(contract()["tables"][kind])

    def index(self, kind: str) -> str:
        return str(contract()["indexes"][kind])

    def bucket(self, kind: str) -> str:
        return self._fill(contract()["buckets"][kind])

    def function(self, kind: str) -> str:
        return self._fill(contract()["functions"][kind])

    def live_function(self, kind: str) -> str:
        """The live version of a function, not the latest upload."""
        return f"{self.function(kind)}:{self.alias}"

    @property
    def alias(self) -> str:
        return str(contract()["alias"])

    def parameter(self, kind: str) -> str:
        return self._fill(contract()["parameters"][kind])

    def project_parameter(self, kind: str, project: str) -> str:
        return Template(contract()["parameters"][kind]).substitute(prefix=self.prefix, project=project)

    def state_machine(self) -> str:
        return self._fill(contract()["state_machine"])

    def target_group(self, slot: str) -> str:
        """The target group of a slot's worker in the live-preview load balancer."""
        return Template(contract()["live_previews"]["target_group"]).substitute(prefix=self.prefix, slot=slot)

    def object_prefix(self, kind: str, pair: Pair | None = None) -> str:
        return self._fill(contract()["prefixes"][kind], pair)

    def _fill(self, template: str, pair: Pair | None = None) -> str:
        project, user = (pair.project, pair.user) if pair is not None else (None, None)
        return _filled(template, self.prefix, self.account, project, user)


@lru_cache(maxsize=256)
def _filled(template: str, prefix: str, account: str, project: str | None, user: str | None) -> str:
    values = {"project": project, "user": user} if project is not None else {}
    return Template(template).substitute(prefix=prefix, account=account, **values)


def preview_prefix(project: str, thread_id: str) -> str:
    """The prefix of a thread's preview in the sites bucket."""
    return Template(contract()["prefixes"]["preview"]).substitute(project=project, thread=thread_id)


def preview_record(project: str, thread_id: str) -> str:
    """The key of the record of what a thread's preview shows."""
    return Template(contract()["prefixes"]["preview_release"]).substitute(project=project, thread=thread_id)


def site_prefix(kind: str, project: str) -> str:
    """The prefix of a project's live site, release records or released files in the sites bucket."""
    return Template(contract()["prefixes"][kind]).substitute(project=project)


def attachment_part_key(mail_id: str, index: int) -> str:
    """The key of a mail's original attachment in the raw-mail bucket; the same for every attempt."""
    return f"{contract()['prefixes']['attachment_parts']}{mail_id}/{index}"


def branch_of(thread_id: str) -> str:
    return f"thread-{thread_id}"


def session_name(container_id: str) -> str:
    """The name of a worker's role session: its id, in the characters and length that AWS accepts."""
    return container_id[-64:].replace("/", "-").replace(":", "-")

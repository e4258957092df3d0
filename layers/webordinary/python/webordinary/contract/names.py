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
        """What is called: the version that is live, not what was uploaded last."""
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
        """Whom the load balancer of live previews asks for what the worker of this slot shows."""
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
    """Where a thread's preview lies in the bucket of all sites."""
    return Template(contract()["prefixes"]["preview"]).substitute(project=project, thread=thread_id)


def preview_record(project: str, thread_id: str) -> str:
    """Where it is written down what a thread's preview shows."""
    return Template(contract()["prefixes"]["preview_release"]).substitute(project=project, thread=thread_id)


def site_prefix(kind: str, project: str) -> str:
    """Where a project's live site, the records of its releases or their files lie in the bucket of all sites."""
    return Template(contract()["prefixes"][kind]).substitute(project=project)


def attachment_part_key(mail_id: str, index: int) -> str:
    """Where a mail's attachment lies in the raw-mail bucket, as it came. The same for every attempt to store it."""
    return f"{contract()['prefixes']['attachment_parts']}{mail_id}/{index}"


def branch_of(thread_id: str) -> str:
    """The git branch of a thread."""
    return f"thread-{thread_id}"


def session_name(container_id: str) -> str:
    """What a worker calls the role session in which it acts for a pair: its own id, as far as AWS takes it."""
    return container_id[-64:].replace("/", "-").replace(":", "-")

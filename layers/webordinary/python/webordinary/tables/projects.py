"""Projects and who may edit them, as the functions read them. `project_entries` writes what is read here."""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from webordinary.contract.errors import UnknownProjectError
from webordinary.contract.ids import ProjectId, UserId
from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.names import Names
from webordinary.contract.values import limit
from webordinary.tables.items import from_item, to_values

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

HOST = r"^(all|(\*\.)?([a-z0-9-]+\.)+[a-z]{2,})$"
EnvironmentName = Annotated[str, StringConstraints(pattern="^[A-Z][A-Z0-9_]{0,63}$")]


def _inside(folder: str) -> str:
    if folder.startswith("/") or ".." in folder.split("/"):
        raise ValueError("a site's folder must be inside its repository")
    return folder


class ProjectConfig(Message):
    """One website, as its entry says."""

    project_id: ProjectId
    domain: str
    repository: str
    default_branch: str = "main"
    interrupts: Literal["always", "same-thread", "never"] = "same-thread"
    site_url: str = ""
    preview_url: str  # with `${thread}` in place of the conversation
    users: tuple[UserId, ...] = ()
    folder: Annotated[str, AfterValidator(_inside)] = ""  # where the site is in its repository
    build_hosts: tuple[Annotated[str, StringConstraints(pattern=HOST)], ...] = ()  # that its build may fetch from
    build_environment: dict[EnvironmentName, str] = Field(default_factory=dict)  # what its build sees
    build_secrets: bool = False  # whether there is a parameter with more of it
    editor_ids: tuple[UserId, ...] = Field(default=(), alias="editors")  # users who need a publisher's yes
    publisher_addresses: dict[UserId, str] = Field(default_factory=dict, alias="publishers")  # whom to ask for it
    developer: str = ""  # the address of whoever is told technical lines
    dollars_per_day: Annotated[int, Field(ge=1)] = limit("dollars_per_project_per_day")
    pictures: bool = True  # answers show the page that changed most, before and after
    tells_cost: bool = False  # answers say how long a request took and what it cost

    def can_publish(self, user: str) -> bool:
        return user in self.users and user not in self.editor_ids

    def preview_of(self, thread_id: str) -> str:
        """Where the preview of a thread is looked at."""
        return Template(self.preview_url).safe_substitute(thread=thread_id)


class ProjectConfigs:
    def __init__(self, client: DynamoDBClient, names: Names) -> None:
        self._client = client
        self._table = names.table("project_configs")

    def project(self, project_id: str) -> ProjectConfig:
        item = self._get(f"project#{project_id}")
        if item is None:
            raise UnknownProjectError(project_id)
        return ProjectConfig.read(item)

    def can_publish(self, pair: Pair) -> bool:
        """Nobody for a project whose entry is gone, whose jobs end with an answer."""
        item = self._get(f"project#{pair.project}")
        return item is not None and ProjectConfig.read(item).can_publish(pair.user)

    def dollars_per_day(self, project_id: str) -> int:
        """What a project may cost in a day; the usual for one whose entry is gone, whose jobs end with an answer."""
        item = self._get(f"project#{project_id}")
        return limit("dollars_per_project_per_day") if item is None else ProjectConfig.read(item).dollars_per_day

    def wants_pictures(self, project_id: str) -> bool:
        item = self._get(f"project#{project_id}")
        return item is not None and ProjectConfig.read(item).pictures

    def has(self, pair: Pair) -> bool:
        """Whether the pair is still onboarded. One that is not has no queues either."""
        item = self._get(f"project#{pair.project}")
        return item is not None and pair.user in item.get("users", ())

    def pairs_of_sender(self, address: str) -> list[Pair]:
        """The pairs that a mail address may edit; none for a stranger."""
        # Lower case turns some letters into others (a Kelvin sign into a k); no such address is anybody's.
        item = self._get(f"sender#{address.lower()}") if address.isascii() else None
        return [Pair.from_key(key) for key in sorted(item.get("pairs", ()))] if item else []

    def _get(self, key: str) -> dict[str, Any] | None:
        answer = self._client.get_item(TableName=self._table, Key=to_values({"pk": key}))
        return from_item(answer["Item"]) if "Item" in answer else None

"""Projects and who may edit them, as Terraform wrote them into the project-configs table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from webordinary.platform.dynamodb_items import from_item, to_values
from webordinary.platform.errors import UnknownProjectError
from webordinary.platform.ids import ProjectId, UserId
from webordinary.platform.messages import Message, Pair
from webordinary.platform.names import Names, preview_path

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class ProjectConfig(Message):
    """One website, as its entry in the projects map says."""

    project_id: ProjectId
    domain: str
    repository: str
    default_branch: str = "main"
    interrupts: Literal["always", "same-thread", "never"] = "same-thread"
    preview_url: str
    users: tuple[UserId, ...] = ()
    folder: str = ""  # where the site is in its repository
    build_hosts: tuple[str, ...] = ()  # that its build may fetch from; "all" for any
    build_environment: dict[str, str] = Field(default_factory=dict)  # what its build sees
    build_secrets: bool = False  # whether there is a parameter with more of it

    def preview_of(self, thread_id: str) -> str:
        """Where the preview of a thread is looked at."""
        return f"{self.preview_url.rstrip('/')}/{preview_path(thread_id)}"


class ProjectConfigs:
    def __init__(self, client: DynamoDBClient, names: Names) -> None:
        self._client = client
        self._table = names.table("project_configs")

    def project(self, project_id: str) -> ProjectConfig:
        item = self._get(f"project#{project_id}")
        if item is None:
            raise UnknownProjectError(project_id)
        return ProjectConfig.read(item)

    def has(self, pair: Pair) -> bool:
        """Whether the pair is still onboarded. One that is not has no queues either."""
        item = self._get(f"project#{pair.project}")
        return item is not None and pair.user in item.get("users", ())

    def pairs_of_sender(self, address: str) -> list[Pair]:
        """The pairs that a mail address may edit; none for a stranger."""
        # Lower case turns some letters into others (a Kelvin sign into a k); no such address is anybody's.
        item = self._get(f"sender#{address.lower()}") if address.isascii() else None
        return [Pair.from_key(key) for key in item["pairs"]] if item else []

    def _get(self, key: str) -> dict[str, Any] | None:
        answer = self._client.get_item(TableName=self._table, Key=to_values({"pk": key}))
        return from_item(answer["Item"]) if "Item" in answer else None

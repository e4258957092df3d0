"""Projects and their users, as functions read them. `project_entries` writes them."""

from collections.abc import Collection
from string import Template
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from webordinary.contract.errors import UnknownProjectError
from webordinary.contract.ids import ProjectId, UserId
from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.names import Names
from webordinary.contract.outcomes import RiskKind
from webordinary.contract.values import limit
from webordinary.tables.items import from_item, to_values

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

HOST = r"^(all|(\*\.)?([a-z0-9-]+\.)+[a-z]{2,})$"
PROFILE = r"^arn:[a-z-]+:bedrock:[a-z0-9-]+:\d{12}:application-inference-profile/[a-z0-9]+$"
ProfileArn = Annotated[str, StringConstraints(pattern=PROFILE)]
EnvironmentName = Annotated[str, StringConstraints(pattern="^[A-Z][A-Z0-9_]{0,63}$")]


def _require_inside(folder: str) -> str:
    if folder.startswith("/") or ".." in folder.split("/"):
        raise ValueError("a site's folder must be inside its repository")
    return folder


def _require_agent_path(path: str) -> str:
    parts = path.strip("/").split("/")
    if path.startswith("/") or not path.isprintable() or any(part in ("", ".", "..", ".git") for part in parts):
        raise ValueError("an agent path is a file or folder inside the repository")
    return path


AgentPath = Annotated[str, StringConstraints(max_length=200), AfterValidator(_require_agent_path)]


class ProjectConfig(Message):
    """One website."""

    project_id: ProjectId
    domain: str
    repository: str
    title: Annotated[str, StringConstraints(strip_whitespace=True, max_length=80)] = ""  # for people
    default_branch: str = "main"
    interrupts: Literal["always", "same-thread", "never"] = "same-thread"
    site_url: str = ""
    preview_url: str  # with the placeholder `${thread}`
    users: tuple[UserId, ...] = ()
    folder: Annotated[str, AfterValidator(_require_inside)] = ""  # of the site in its repository
    # Files and folders that the agent may change, in addition to the site's content and design.
    agent_paths: Annotated[tuple[AgentPath, ...], Field(max_length=50)] = ()
    forbidden_risks: tuple[RiskKind, ...] = ()  # changes of these kinds are refused
    build_hosts: tuple[Annotated[str, StringConstraints(pattern=HOST)], ...] = ()  # that its build may access
    build_environment: dict[EnvironmentName, str] = Field(default_factory=dict)  # variables of its build
    build_secrets: bool = False  # whether a parameter has further variables
    editor_ids: tuple[UserId, ...] = Field(default=(), alias="editors")  # users whose changes need approval
    publisher_addresses: dict[UserId, str] = Field(default_factory=dict, alias="publishers")  # who can approve
    developer: str = ""  # address for technical notes
    dollars_per_day: Annotated[int, Field(ge=1)] = limit("dollars_per_project_per_day")
    dollars_per_month: Annotated[int, Field(ge=1)] = limit("dollars_per_project_per_month")
    pictures: bool = True  # replies contain screenshots of the most changed page
    tells_cost: bool = False  # replies contain duration and cost
    # Empty means the deployment's default. `projects add` and `change` check them.
    model_provider: str = ""
    model: str = ""
    small_model: str = ""  # for small requests
    model_profiles: dict[str, ProfileArn] = Field(default_factory=dict)  # its own on Bedrock, by the model's name
    # What the agent has to keep to on this site.
    instructions: Annotated[str, StringConstraints(max_length=limit("project_instruction_characters"))] = ""

    @property
    def name(self) -> str:
        """The name that people know it by."""
        return self.title or self.project_id

    def can_publish(self, user: str) -> bool:
        return user in self.users and user not in self.editor_ids

    def preview_of(self, thread_id: str) -> str:
        """The preview URL of a thread."""
        return Template(self.preview_url).safe_substitute(thread=thread_id)


class ProjectConfigs:
    def __init__(self, client: "DynamoDBClient", names: Names) -> None:
        self._client = client
        self._table = names.table("project_configs")

    def project(self, project_id: str) -> ProjectConfig:
        item = self._get(f"project#{project_id}")
        if item is None:
            raise UnknownProjectError(project_id)
        return ProjectConfig.read(item)

    def title_of(self, project_id: str) -> str:
        """The name for people; empty without one, and for a removed project."""
        item = self._get(f"project#{project_id}")
        return "" if item is None else ProjectConfig.read(item).title

    def can_publish(self, pair: Pair) -> bool:
        """False for a removed project, whose jobs end with a reply."""
        item = self._get(f"project#{pair.project}")
        return item is not None and ProjectConfig.read(item).can_publish(pair.user)

    def budgets_of(self, project_id: str) -> tuple[int, int]:
        """The daily and the monthly budget; the defaults for a removed project, whose jobs end with a reply."""
        item = self._get(f"project#{project_id}")
        if item is None:
            return limit("dollars_per_project_per_day"), limit("dollars_per_project_per_month")
        config = ProjectConfig.read(item)
        return config.dollars_per_day, config.dollars_per_month

    def wants_pictures(self, project_id: str) -> bool:
        item = self._get(f"project#{project_id}")
        return item is not None and ProjectConfig.read(item).pictures

    def has(self, pair: Pair) -> bool:
        """Whether the pair is onboarded. A removed pair has no queues either."""
        return pair.user in self.users_of(pair.project)

    def users_of(self, project_id: str) -> Collection[str]:
        """The users of a project; none if it was removed."""
        item = self._get(f"project#{project_id}") or {}
        users: Collection[str] = item.get("users", ())
        return users

    def pairs_of_sender(self, address: str) -> list[Pair]:
        """The pairs of a mail address; empty for an unknown sender."""
        # Lowercasing maps some non-ASCII letters to ASCII (the Kelvin sign to k), so non-ASCII addresses are unknown.
        item = self._get(f"sender#{address.lower()}") if address.isascii() else None
        return [Pair.from_key(key) for key in sorted(item.get("pairs", ()))] if item else []

    def _get(self, key: str) -> dict[str, Any] | None:
        answer = self._client.get_item(TableName=self._table, Key=to_values({"pk": key}))
        return from_item(answer["Item"]) if "Item" in answer else None

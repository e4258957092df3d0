"""Settings of the worker. The environment is read here and nowhere else in this package."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, StringConstraints

from webordinary.contract.ids import ContainerId
from webordinary.contract.settings import NETWORK_VARIABLES, PREFIX, Settings
from webordinary_worker.confinement.limits import GivenLimits, Limits

# What reaches the model endpoint, and only the agent.
MODEL_VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")
METADATA_URI = "ECS_CONTAINER_METADATA_URI_V4"


class WorkerSettings(Settings):
    """One worker. A field `workspace` is read from WEBORDINARY_WORKSPACE."""

    container_id: ContainerId
    workspace: Path
    cache: Path
    node_folder: Path
    heartbeat: Path | None = None
    # Whether installed packages are kept for the next worker; not where workers share a cache.
    archive: bool = False
    # The fleet gives these to the task that it starts; what only builds a site has none.
    slot: str = ""
    launch_id: str = ""
    # Users of their own for the agent and for the sites' code; without them everything runs as the worker.
    agent_uid: Annotated[int, Field(gt=0)] | None = None
    site_uid: Annotated[int, Field(gt=0)] | None = None
    # One more for the site that is shown while it is edited: ending it must end nothing of a build that waits.
    live_uid: Annotated[int, Field(gt=0)] | None = None
    # Where people look at it, as `host:port`; empty where it is not shown.
    live_address: Annotated[str, StringConstraints(pattern=r"^([\d.]+:\d{1,5})?$")] = ""
    agent_model: str | None = None
    agent_max_turns: Annotated[int, Field(ge=1)] = 60
    agent_max_dollars: Annotated[float, Field(gt=0)] = 5.0
    agent_retries: Annotated[int, Field(ge=0)] = 4
    build_seconds: Annotated[float, Field(gt=0)] = 300
    limits: GivenLimits = Limits()
    committer_name: str = "webordinary"
    committer_email: str = "webordinary@example.com"
    model_environment: dict[str, str] = Field(default_factory=dict)
    network_environment: dict[str, str] = Field(default_factory=dict)

    @property
    def site_user(self) -> int | None:
        return self.agent_uid if self.site_uid is None else self.site_uid

    @property
    def shows_live(self) -> bool:
        """Where there are users, the site's own server needs one of its own."""
        return bool(self.live_address) and (self.agent_uid is None or self.live_uid is not None)

    @property
    def git_network(self) -> dict[str, str]:
        """How git reaches the network, in its own words."""
        known = {name: value for name, value in self.network_environment.items() if name.lower().endswith("_proxy")}
        certificates = self.network_environment.get("SSL_CERT_FILE")
        return {**known, "GIT_SSL_CAINFO": certificates} if certificates else known

    @classmethod
    def load(cls, environment: Mapping[str, str] = os.environ) -> Self:
        derived = {
            f"{PREFIX}CONTAINER_ID": environment.get(f"{PREFIX}CONTAINER_ID") or find_container_id(environment),
            f"{PREFIX}NODE_FOLDER": environment.get(f"{PREFIX}NODE_FOLDER") or _folder_of_node(environment),
        }
        settings = super().load({**environment, **derived})
        return settings.model_copy(
            update={
                "model_environment": _some(environment, MODEL_VARIABLES),
                "network_environment": _some(environment, NETWORK_VARIABLES),
            }
        )


def read_task_arn(metadata_uri: str) -> str:
    with urllib.request.urlopen(f"{metadata_uri}/task", timeout=5) as answer:  # noqa: S310 (ECS's own address)
        return str(json.load(answer)["TaskARN"])


def find_container_id(
    environment: Mapping[str, str],
    task_arn: Callable[[str], str] = read_task_arn,
    random_part: Callable[[], str] = lambda: secrets.token_hex(4),
) -> str:
    """The ECS task's id, or a name that no other worker of this machine has."""
    metadata_uri = environment.get(METADATA_URI)
    if metadata_uri:
        return task_arn(metadata_uri).rsplit("/", 1)[-1]
    return f"worker-{socket.gethostname()}-{random_part()}"


def _folder_of_node(environment: Mapping[str, str]) -> str:
    found = shutil.which("node", path=environment.get("PATH"))
    return str(Path(found).parent) if found else ""


def _some(environment: Mapping[str, str], names: tuple[str, ...]) -> dict[str, str]:
    return {name: environment[name] for name in names if environment.get(name)}

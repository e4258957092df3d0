"""Settings of the worker. Only this module of the package reads the environment."""

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
from webordinary.contract.models import ModelName, ModelProvider, default_model
from webordinary.contract.settings import NETWORK_VARIABLES, PREFIX, Settings
from webordinary_worker.confinement.limits import Limits, LimitsFromJson

# For the model proxy only.
MODEL_VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME")
METADATA_URI = "ECS_CONTAINER_METADATA_URI_V4"


class WorkerSettings(Settings):
    """The settings of one worker. A field `workspace` is read from WEBORDINARY_WORKSPACE."""

    container_id: ContainerId
    workspace: Path
    cache: Path
    node_folder: Path
    heartbeat: Path | None = None
    # Whether packages, objects and build caches are stored for the next worker; not if workers share a disk.
    archive: bool = False
    # Set by the fleet function for the task it starts; empty for programs that only build a site.
    slot: str = ""
    launch_id: str = ""
    # Separate users for the agent and for the sites' code; without them everything runs as the worker's user.
    agent_uid: Annotated[int, Field(gt=0)] | None = None
    site_uid: Annotated[int, Field(gt=0)] | None = None
    install_uid: Annotated[int, Field(gt=0)] | None = None  # for package managers
    # Another one for the dev server: killing its processes must not kill those of a waiting build.
    live_uid: Annotated[int, Field(gt=0)] | None = None
    # Where the preview proxy listens, as `host:port`; empty without live previews.
    live_address: Annotated[str, StringConstraints(pattern=r"^([\d.]+:\d{1,5})?$")] = ""
    # Defaults for projects that choose neither provider nor model.
    model_provider: ModelProvider = ModelProvider.ANTHROPIC
    model_geography: str = ""  # of the inference profiles on Bedrock, such as eu
    agent_model: ModelName = Field(default_factory=default_model)
    agent_small_model: ModelName | None = None  # for small requests
    agent_max_turns: Annotated[int, Field(ge=1)] = 60
    agent_max_dollars: Annotated[float, Field(gt=0)] = 5.0
    agent_retries: Annotated[int, Field(ge=0)] = 8
    build_seconds: Annotated[float, Field(gt=0)] = 300
    limits: LimitsFromJson = Limits()
    committer_name: str = "webordinary"
    committer_email: str = "webordinary@example.com"
    model_environment: dict[str, str] = Field(default_factory=dict)
    network_environment: dict[str, str] = Field(default_factory=dict)

    @property
    def site_user(self) -> int | None:
        return self.agent_uid if self.site_uid is None else self.site_uid

    @property
    def shows_live(self) -> bool:
        """With separate users, the dev server needs its own as well."""
        return bool(self.live_address) and (self.agent_uid is None or self.live_uid is not None)

    @property
    def git_network(self) -> dict[str, str]:
        """Proxy settings and certificates as environment variables of git."""
        proxies = {name: value for name, value in self.network_environment.items() if name.lower().endswith("_proxy")}
        certificates = self.network_environment.get("SSL_CERT_FILE")
        return {**proxies, "GIT_SSL_CAINFO": certificates} if certificates else proxies

    @classmethod
    def load(cls, environment: Mapping[str, str] = os.environ) -> Self:
        derived = {
            f"{PREFIX}CONTAINER_ID": environment.get(f"{PREFIX}CONTAINER_ID") or find_container_id(environment),
            f"{PREFIX}NODE_FOLDER": environment.get(f"{PREFIX}NODE_FOLDER") or _find_node_folder(environment),
        }
        settings = super().load({**environment, **derived})
        return settings.model_copy(
            update={
                "model_environment": _select(environment, MODEL_VARIABLES),
                "network_environment": _select(environment, NETWORK_VARIABLES),
            }
        )


def read_task_arn(metadata_uri: str) -> str:
    with urllib.request.urlopen(f"{metadata_uri}/task", timeout=5) as response:  # noqa: S310 (an address of ECS)
        return str(json.load(response)["TaskARN"])


def find_container_id(
    environment: Mapping[str, str],
    task_arn: Callable[[str], str] = read_task_arn,
    random_part: Callable[[], str] = lambda: secrets.token_hex(4),
) -> str:
    """The ECS task's id, or a random name on a developer's machine."""
    metadata_uri = environment.get(METADATA_URI)
    if metadata_uri:
        return task_arn(metadata_uri).rsplit("/", 1)[-1]
    return f"worker-{socket.gethostname()}-{random_part()}"


def _find_node_folder(environment: Mapping[str, str]) -> str:
    found = shutil.which("node", path=environment.get("PATH"))
    return str(Path(found).parent) if found else ""


def _select(environment: Mapping[str, str], names: tuple[str, ...]) -> dict[str, str]:
    return {name: environment[name] for name in names if environment.get(name)}

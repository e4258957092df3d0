"""The model stand-in, a copy of the example site, and the real Claude Code."""

import asyncio
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from claude_agent_sdk import AssistantMessage, ClaudeAgentOptions, ClaudeSDKClient, Message, ResultMessage, TextBlock

from local.model.server import serving
from tests.support.model_client import StandInClient

EXAMPLE_SITE = Path(__file__).parents[3] / "sites" / "example"
HOME_PAGE = Path("src/pages/index.astro")


@dataclass
class Run:
    """The messages of one run."""

    messages: list[Message]

    @property
    def result(self) -> ResultMessage:
        return next(message for message in self.messages if isinstance(message, ResultMessage))

    @property
    def text(self) -> str:
        from_assistant = (message for message in self.messages if isinstance(message, AssistantMessage))
        return " ".join(
            block.text for message in from_assistant for block in message.content if isinstance(block, TextBlock)
        )


@dataclass
class ClaudeCode:
    site: Path
    environment: dict[str, str]

    def options(self, resume: str | None) -> ClaudeAgentOptions:
        return ClaudeAgentOptions(
            cwd=self.site,
            tools=["Read", "Edit", "Write", "Glob", "Grep"],
            permission_mode="acceptEdits",
            strict_mcp_config=True,
            setting_sources=[],
            max_turns=80,
            resume=resume,
            env=self.environment,
            extra_args={"restricted": None},
        )

    def handle(self, mail: str, resume: str | None = None) -> Run:
        return asyncio.run(self._handle(mail, resume))

    async def _handle(self, mail: str, resume: str | None) -> Run:
        async with ClaudeSDKClient(self.options(resume)) as client:
            await client.query(f"A mail has come in.\n<mail>\n{mail}\n</mail>\n")
            messages = [message async for message in client.receive_response()]
        return Run(messages)

    def page(self, path: Path = HOME_PAGE) -> str:
        return (self.site / path).read_text()

    def files(self) -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in self.site.rglob("*") if path.is_file()}


@pytest.fixture
def model() -> Iterator[StandInClient]:
    with serving() as server:
        yield StandInClient(server.url)


@pytest.fixture
def claude(model: StandInClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClaudeCode:
    for name in [name for name in os.environ if name.startswith(("CLAUDE", "ANTHROPIC"))]:
        monkeypatch.delenv(name)
    for folder in ("home", "config", "temp"):
        (tmp_path / folder).mkdir()
    site = tmp_path / "site"
    shutil.copytree(EXAMPLE_SITE, site, ignore=shutil.ignore_patterns("node_modules", "dist", ".astro"))
    environment = {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "made-up",
        "HOME": str(tmp_path / "home"),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "config"),
        "TMPDIR": str(tmp_path / "temp"),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "NO_PROXY": "127.0.0.1",
    }
    return ClaudeCode(site, environment)

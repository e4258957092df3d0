"""Stubs that let Claude Code's SDK load without the MCP framework, which takes six times as long as all the rest.

The SDK imports `mcp` and `jsonschema` for MCP servers inside this process. There are none: the agent uses Claude Code's
own tools, and `strict_mcp_config` allows no servers. Every name of a stub is an empty class. `opentelemetry` is hidden
as well, so that the SDK does not import it where it is installed.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

STUBBED = ("mcp", "jsonschema")
HIDDEN = "opentelemetry"


class _Stub:
    def __init_subclass__(cls, **_: Any) -> None:
        """Accepts any class arguments."""


class _Finder:
    """Finder and loader in one. It has no base class, because importing those takes long."""

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        package = name.partition(".")[0]
        if package == HIDDEN:
            raise ModuleNotFoundError(name)
        if package not in STUBBED:
            return None
        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]  # it has a loader's methods

    def create_module(self, _: ModuleSpec) -> None:
        """Uses the default module."""

    def exec_module(self, module: ModuleType) -> None:
        def stub(name: str) -> type:
            if name.startswith("__"):
                raise AttributeError(name)
            return type(name, (_Stub,), {"__module__": module.__name__})

        module.__getattr__ = stub  # type: ignore[method-assign]


def install() -> None:
    """Call this before the SDK is imported."""
    sys.meta_path.insert(0, _Finder())

"""Lets Claude Code's SDK load without the framework for MCP servers, which takes six times as long as all the rest.

The SDK imports it, and what checks their tools' arguments, for servers that run inside this process. There are none:
the agent's tools are Claude Code's own, and `strict_mcp_config` without servers keeps it so. Whatever is asked of these
is a name that does nothing. Tracing, which it would do where that happens to be installed, is not there either.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

LEFT_OUT = ("mcp", "jsonschema")
NOT_THERE = "opentelemetry"


class _Nothing:
    def __init_subclass__(cls, **_: Any) -> None:
        """Anything may be said about a subclass."""


class _Finder:
    """Finds and loads. It derives from nothing, because those classes take long to import."""

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        package = name.partition(".")[0]
        if package == NOT_THERE:
            raise ModuleNotFoundError(name)
        if package not in LEFT_OUT:
            return None
        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]  # it has what a loader needs

    def create_module(self, _: ModuleSpec) -> None:
        """A module like any other."""

    def exec_module(self, module: ModuleType) -> None:
        def nothing(name: str) -> type:
            if name.startswith("__"):
                raise AttributeError(name)
            return type(name, (_Nothing,), {"__module__": module.__name__})

        module.__getattr__ = nothing  # type: ignore[method-assign]


def install() -> None:
    """To be called before the SDK is imported."""
    sys.meta_path.insert(0, _Finder())

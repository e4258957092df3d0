"""The report of a build process. Untrusted: the site's code runs in that process and may have written it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import AliasGenerator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from webordinary_worker.site.log_excerpt import EXCERPT_CHARACTERS, EXCERPT_LINES, plain

Short = Annotated[str, StringConstraints(max_length=1000)]
Long = Annotated[str, StringConstraints(max_length=4000)]
_STACK_LOCATION = re.compile(r"^\s*at .*?(?:file://)?(/[^\s()?]+)(?:\?[^\s():]*)?(:\d+:\d+)\)?$", re.MULTILINE)


class _Reported(BaseModel):
    model_config = ConfigDict(
        alias_generator=AliasGenerator(validation_alias=to_camel), populate_by_name=True, extra="ignore", frozen=True
    )


class BuildError(_Reported):
    """An error thrown by Astro, Vite or a plugin."""

    name: Short = ""
    message: Long = ""
    hint: Short = ""
    file: Short = ""
    line: int | None = None
    column: int | None = None
    frame: Long = ""
    stack: Long = ""
    cause: BuildError | None = None

    @property
    def first_cause(self) -> BuildError:
        return self if self.cause is None else self.cause.first_cause

    def describe(self, tree: Path) -> str:
        """A few lines: the message, its location and a hint."""
        where = self.file.partition("?")[0] or (self.cause.file if self.cause else "")
        if where and self.line is not None:
            where += f":{self.line}" + (f":{self.column}" if self.column is not None else "")
        where = where or self._thrown_at(tree)
        name = f"[{self.name}] " if self.name not in ("", "Error") else ""
        cause = self.first_cause
        because = cause.message if cause is not self and cause.message not in self.message else ""
        more = (text for text in (where, self.hint, self.frame.strip("\n")) if text not in self.message)
        lines = [f"{name}{self.message}", because, *more]
        text = plain("\n".join(filter(None, lines)), tree).replace("file://", "")
        kept = [line for line in text.splitlines() if line.strip()]
        return "\n".join(kept[:EXCERPT_LINES])[:EXCERPT_CHARACTERS]

    def _thrown_at(self, tree: Path) -> str:
        """The first stack location in the tree, in the site's code rather than in a package."""
        locations = [file + line for file, line in _STACK_LOCATION.findall(self.stack) if file.startswith(f"{tree}/")]
        own = [location for location in locations if "/node_modules/" not in location]
        return next(iter((*own, *locations)), "")


class BuildReport(_Reported):
    """The report of one build."""

    ok: bool = False
    error: BuildError | None = None
    failed: Long = ""  # the failed step of the script
    astro: Short = ""
    directory: Short = ""
    static_directory: Short = ""
    base: Short = "/"
    output: Short = ""
    site: Short = ""
    adapter: Short = ""
    locales: Annotated[tuple[Short, ...], Field(max_length=200)] = ()
    default_locale: Short = ""
    server_routes: Annotated[tuple[Short, ...], Field(max_length=2000)] = ()
    failed_setup: Annotated[tuple[Long, ...], Field(max_length=100)] = ()  # failed postinstall steps
    skipped: Annotated[tuple[Long, ...], Field(max_length=100)] = ()

"""What a build says about itself. The site's own code may have said it: it is believed only where that is harmless."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import AliasGenerator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from webordinary_worker.site.log_excerpt import EXCERPT_CHARACTERS, EXCERPT_LINES, plain

Short = Annotated[str, StringConstraints(max_length=1000)]
Long = Annotated[str, StringConstraints(max_length=4000)]
_PLACE = re.compile(r"^\s*at .*?(?:file://)?(/[^\s()?]+)(?:\?[^\s():]*)?(:\d+:\d+)\)?$", re.MULTILINE)


class _Said(BaseModel):
    model_config = ConfigDict(
        alias_generator=AliasGenerator(validation_alias=to_camel), populate_by_name=True, extra="ignore", frozen=True
    )


class BuildError(_Said):
    """What Astro, Vite or a plugin threw."""

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

    def told(self, tree: Path) -> str:
        """A few lines for whoever mends it: what, where, and a hint."""
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
        """The first place in the tree, the site's own before its packages'."""
        places = [file + line for file, line in _PLACE.findall(self.stack) if file.startswith(f"{tree}/")]
        own = [place for place in places if "/node_modules/" not in place]
        return next(iter((*own, *places)), "")


class BuildReport(_Said):
    """The answer to one build."""

    ok: bool = False
    error: BuildError | None = None
    failed: Long = ""  # the step of the script that ended with an error
    astro: Short = ""
    directory: Short = ""
    published: Short = ""
    base: Short = "/"
    output: Short = ""
    site: Short = ""
    adapter: Short = ""
    trailing_slash: Short = "ignore"
    locales: Annotated[tuple[Short, ...], Field(max_length=200)] = ()
    default_locale: Short = ""
    server_routes: Annotated[tuple[Short, ...], Field(max_length=2000)] = ()
    failed_setup: Annotated[tuple[Long, ...], Field(max_length=100)] = ()  # steps after the install that failed
    skipped: Annotated[tuple[Long, ...], Field(max_length=100)] = ()

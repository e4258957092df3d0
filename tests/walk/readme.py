"""The commands of the README's deployment section."""

from __future__ import annotations

import re
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"
SECTION = "## Deploy it"
_BLOCK = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"\s+#\s.*$")


def deploy_commands(text: str | None = None) -> list[str]:
    """In the order of the page, without comments."""
    page = README.read_text(encoding="utf-8") if text is None else text
    section = page.partition(f"\n{SECTION}\n")[2].partition("\n## ")[0]
    blocks = "".join(_BLOCK.findall(section)).replace("\\\n", " ")
    return [" ".join(_COMMENT.sub("", line).split()) for line in blocks.splitlines() if line.strip()]

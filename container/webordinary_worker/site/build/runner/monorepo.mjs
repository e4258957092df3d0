// Packages of the same repository that a site uses: their folders, and which of them must be built first.

import { existsSync, readdirSync, realpathSync } from "node:fs";
import path from "node:path";

import { manifestOf } from "./scripts.mjs";

const MAX_DEPTH = 3;
const MAX_MEMBERS = 50;
const KINDS = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
const SKIPPED = /^(node_modules|dist|\..*)$/;

/** Folders of unbuilt packages that a site depends on, in build order. */
export function unbuiltMembers(folder, top, seen = new Set()) {
  const found = [];
  const manifest = manifestOf(folder);
  for (const name of new Set(KINDS.flatMap((kind) => Object.keys(manifest[kind] ?? {})))) {
    const member = linkedMember(name, folder, top);
    if (member === undefined || seen.has(member) || seen.size >= MAX_MEMBERS) continue;
    seen.add(member);
    found.push(...unbuiltMembers(member, top, seen));
    if (lacksEntry(member)) found.push(member);
  }
  return found;
}

/** The folder of a package of this repository, by name or path. */
export function memberNamed(name, folder) {
  const plain = name.replace(/^\.{3}|\.{3}$/g, "");
  if (existsSync(path.join(folder, plain, "package.json"))) return path.join(folder, plain);
  return packagesBelow(workspaceRoot(folder), MAX_DEPTH).find((candidate) => manifestOf(candidate).name === plain);
}

function linkedMember(name, folder, top) {
  for (let candidate = folder; candidate.startsWith(top); candidate = path.dirname(candidate)) {
    const link = path.join(candidate, "node_modules", name);
    if (!existsSync(link)) continue;
    const target = realpathSync(link);
    return target.startsWith(realpathSync(top) + path.sep) && !target.split(path.sep).includes("node_modules") ? target : undefined;
  }
  return undefined;
}

function lacksEntry(member) {
  const { main, module, exports, scripts } = manifestOf(member);
  if (typeof scripts?.build !== "string") return false;
  const entries = [main, module, ...stringsIn(exports)].filter((entry) => typeof entry === "string" && !/\*|\.d\.[mc]?ts$/.test(entry));
  return entries.some((entry) => !existsSync(path.join(member, entry)));
}

function stringsIn(value) {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

function workspaceRoot(folder) {
  for (let candidate = folder; candidate !== path.dirname(candidate); candidate = path.dirname(candidate)) {
    if (existsSync(path.join(candidate, "pnpm-workspace.yaml")) || manifestOf(candidate).workspaces) return candidate;
  }
  return folder;
}

function packagesBelow(folder, depth) {
  if (depth === 0) return [];
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory() && !SKIPPED.test(entry.name));
  return folders.flatMap(({ name }) => {
    const candidate = path.join(folder, name);
    return [...(existsSync(path.join(candidate, "package.json")) ? [candidate] : []), ...packagesBelow(candidate, depth - 1)];
  });
}

// Splits a site's build script into steps and skips those that only check the source.

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

import { memberNamed, unbuiltMembers } from "./monorepo.mjs";

const MAX_DEPTH = 8;
const MANAGERS = ["npm", "pnpm", "yarn", "bun"];
const RUNNERS = ["npx", "pnpx", "bunx"];
// Skipped: a failed check must not block a customer's mail.
const CHECKS = [
  /^astro check\b/,
  /^(vue-)?tsc(\s+(-b|--build|--pretty|--skipLibCheck))*$/,
  /^(vue-)?tsc\b.*\s--noEmit\b/,
  /^(eslint|stylelint|svelte-check|knip|vitest|jest|playwright|cypress|html-validate|markdownlint(-cli2)?|cspell)\b/,
  /^prettier\b.*\s(--check|-c|--list-different|-l)\b/,
  /^biome (check|lint|ci|format)\b/,
];
// Postinstall steps that a build does not need. Patches are already applied.
const ONLY_FOR_DEVELOPERS =
  /^(husky|simple-git-hooks|lefthook|lint-staged|only-allow|is-ci|patch-package|playwright|puppeteer|cypress|astro (sync|telemetry|check))\b/;
const AFTER_INSTALL = ["postinstall", "prepare"];
const ALL_STEPS = "WEBORDINARY_ALL_STEPS"; // set for a package whose code `tsc` may generate
const DONE_BY_BUILD = /^astro (sync|telemetry)\b/;
// Commands that change the shell: the following steps must run in the same shell.
const CHANGES_SHELL = /^(cd|pushd|export|set|unset|source|\.|eval|alias|umask|ulimit|exec)(\s|$)/;
const ASTRO_IN_PACKAGES = /^(\.\/)?node_modules\/(\.bin\/astro|astro\/(bin\/)?astro\.m?js)$/;
const OPTIONS_OF_RUN = /^(-s|--silent|--if-present|--bun|-y|--yes|--no-install|--color|--no-color|-q|--quiet)$/;
// Shell syntax beyond a sequence of commands.
const NEEDS_SHELL = /[|;<>()`$\n&*?~{}]|\\/;

export function manifestOf(folder) {
  try {
    return JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8").replace(/^\uFEFF/, ""));
  } catch {
    return {};
  }
}

/** The steps of a script with its pre and post scripts, as `{ astro: [arguments] }`, `{ shell: text }` or `{ skipped: text }`; `fetched` is a program that npx would download. */
export function stepsOf(name, scripts, depth = 0) {
  if (depth > MAX_DEPTH) throw new Error(`the script "${name}" calls itself`);
  const texts = [scripts[`pre${name}`], scripts[name], scripts[`post${name}`]];
  return texts.flatMap((text) => (typeof text === "string" ? stepsOfText(text, scripts, depth) : []));
}

export function stepsOfText(text, scripts, depth = 0) {
  const parts = splitAtAnd(text);
  if (parts.length > 1 && parts.some((part) => CHANGES_SHELL.test(part))) return [{ shell: text }];
  return parts.flatMap((part) => {
    const words = wordsOf(part);
    if (words === undefined) return [{ shell: part }];
    return stepsOfWords(words, part, scripts, depth);
  });
}

/** Postinstall steps that a build may need, such as code generation. */
function postinstallSteps(scripts) {
  return AFTER_INSTALL.map((name) => stepsOf(name, scripts))
    .filter((steps) => !steps.some((step) => step.astro)) // the build follows anyway
    .flat()
    .filter((step) => step.shell !== undefined && !ONLY_FOR_DEVELOPERS.test(step.shell));
}

/** Runs the postinstall steps of the site and its workspace, and builds the workspace packages that the site uses.
 * Returns the failed steps; the build then fails itself if it needs their results. */
export async function runPostinstall(folder, top, environment) {
  const failed = [];
  for (const current of new Set([top, folder])) {
    for (const { shell } of postinstallSteps(manifestOf(current).scripts ?? {})) {
      if ((await runInShell(shell, current, environment)) !== 0) failed.push(shell);
    }
  }
  for (const member of unbuiltMembers(folder, top)) {
    // After our wrappers, which come first.
    const search = environment.PATH.replace(path.delimiter, `${path.delimiter}${programsOf(member)}${path.delimiter}`);
    if ((await runInShell("npm run build", member, { ...environment, PATH: search, [ALL_STEPS]: "1" })) !== 0) {
      failed.push(`build of ${manifestOf(member).name}`);
    }
  }
  return failed;
}

/** Variables that npm sets for a script, from its package. */
export function packageVariables(folder) {
  const { name = "", version = "" } = manifestOf(folder);
  return { npm_package_name: String(name), npm_package_version: String(version), npm_package_json: path.join(folder, "package.json") };
}

function stepsOfWords(words, text, scripts, depth) {
  const [program, ...rest] = words;
  if (!process.env[ALL_STEPS] && CHECKS.some((check) => check.test(words.join(" ")))) return [{ skipped: text }];
  if (DONE_BY_BUILD.test(words.join(" "))) return [];
  if (ASTRO_IN_PACKAGES.test(program)) return stepsOfWords(["astro", ...rest], ["astro", ...rest].map(quoted).join(" "), scripts, depth);
  if (program === "node") return stepsOfNode(rest, text, scripts, depth);
  if (program === "astro" && rest[0] === "build") return [{ astro: rest.slice(1) }];
  if (RUNNERS.includes(program)) {
    const start = rest.findIndex((word) => !OPTIONS_OF_RUN.test(word));
    if (start >= 0) {
      const called = [rest[start].replace(/(.)@[^/]*$/, "$1"), ...rest.slice(start + 1)]; // without its version
      return stepsOfWords(called, called.map(quoted).join(" "), scripts, depth).map((step) => ({ ...step, fetched: called[0] }));
    }
  }
  if (MANAGERS.includes(program)) return stepsOfManager(program, rest, text, scripts, depth);
  return [{ shell: text }];
}

/** `node --max-old-space-size=4096 node_modules/astro/astro.js build` is `astro build` with more memory. */
function stepsOfNode(rest, text, scripts, depth) {
  const start = rest.findIndex((word) => !word.startsWith("-"));
  if (!ASTRO_IN_PACKAGES.test(rest[start] ?? "")) return [{ shell: text }];
  const called = ["astro", ...rest.slice(start + 1)];
  const command = called.map(quoted).join(" ");
  if (start === 0) return stepsOfWords(called, command, scripts, depth);
  return [{ shell: `NODE_OPTIONS="$NODE_OPTIONS ${rest.slice(0, start).map(quoted).join(" ")}" ${command}` }];
}

function stepsOfManager(manager, args, text, scripts, depth) {
  const [target, rest] = splitTarget(manager, args);
  if (target) return [{ shell: `cd ${quoted(target)} && ${[manager, ...rest].map(quoted).join(" ")}` }];
  const words = rest.filter((word) => !OPTIONS_OF_RUN.test(word));
  const runs = ["run", "run-script"].includes(words[0]);
  const [name, ...more] = runs ? words.slice(1) : words;
  if (manager === "bun" && /[./]/.test(name ?? "")) return [{ shell: text }]; // a file
  if (["exec", "dlx", "x"].includes(name) && !runs) {
    const called = more[0] === "--" ? more.slice(1) : more;
    return stepsOfWords(called, called.map(quoted).join(" "), scripts, depth);
  }
  if (name === undefined || name.startsWith("-")) return [{ shell: text }];
  if (typeof scripts[name] === "string") {
    const args = more[0] === "--" ? more.slice(1) : more;
    if (args.length === 0) return stepsOf(name, scripts, depth + 1);
    return stepsOfText([scripts[name], ...args.map(quoted)].join(" "), scripts, depth + 1);
  }
  if (runs && (manager === "npm" || /[./]/.test(name))) return [{ shell: text }]; // other managers also run programs this way
  return stepsOfWords([name, ...more], [name, ...more].map(quoted).join(" "), scripts, depth); // yarn astro build
}

/** Splits the arguments of a manager into the folder of another package, if they name one, and the command. */
function splitTarget(manager, args) {
  const [flag, value] = (args[0] ?? "").split(/=(.*)/s);
  const isPath = ["--prefix", "-C", "--dir", "--cwd"].includes(flag);
  const isName = ["--filter", "-F", "-w", "--workspace"].includes(flag) || (manager === "yarn" && flag === "workspace");
  if (isPath || isName) {
    const [name, rest] = value === undefined ? [args[1] ?? "", args.slice(2)] : [value, args.slice(1)];
    const target = isPath ? path.resolve(name) : memberNamed(name, process.cwd());
    return target && rest.length > 0 ? [target, rest] : [undefined, args];
  }
  const later = args.findIndex((word) => /^(-w|--workspace|--prefix)(=|$)/.test(word));
  if (manager !== "npm" || later < 0) return [undefined, args];
  const length = args[later].includes("=") ? 1 : 2;
  return splitTarget(manager, [...args.slice(later, later + length), ...args.slice(0, later), ...args.slice(later + length)]);
}

/** Runs a step in a shell. Returns its exit code. */
export function runInShell(text, folder, environment) {
  return runProgram("/bin/sh", ["-c", text], folder, environment);
}

/** Runs a program. Returns its exit code. */
export function runProgram(program, args, folder, environment) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: folder, env: environment, stdio: ["ignore", 2, 2] });
    child.on("error", () => resolve(127));
    child.on("exit", (code, signal) => resolve(signal ? 128 : code));
  });
}

function programsOf(folder) {
  return path.join(folder, "node_modules", ".bin");
}

/** The search path: our wrappers, then the programs of the site and of its workspace. */
export function searchPath(tools, folder, top) {
  const found = [tools];
  for (let current = folder; ; current = path.dirname(current)) {
    const programs = programsOf(current);
    if (existsSync(programs)) found.push(programs);
    if (current === top || current === path.dirname(current)) break;
  }
  return [...found, process.env.PATH].join(path.delimiter);
}

function splitAtAnd(text) {
  const parts = [""];
  let quote = "";
  for (let index = 0; index < text.length; index++) {
    const letter = text[index];
    if (quote) quote = letter === quote ? "" : quote;
    else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === "&" && text[index + 1] === "&") {
      parts.push("");
      index++;
      continue;
    } else if ("|;(){}`\n".includes(letter) || (letter === "&" && !">".includes(text[index - 1]))) return [text];
    parts[parts.length - 1] += letter;
  }
  return quote ? [text] : parts.map((part) => part.trim()).filter(Boolean);
}

/** The words of a simple command; undefined if it needs a shell. */
function wordsOf(text) {
  const bare = text.replace(/'[^']*'|"[^"$`\\]*"/g, "");
  if (NEEDS_SHELL.test(bare) || /^\w+=/.test(text) || /["']/.test(bare)) return undefined;
  const words = text.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return words.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double));
}

function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

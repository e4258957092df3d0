// Builds a site whenever a line on its input asks for it, and answers with a line: node main.mjs FOLDER TOP
//
// FOLDER is the site's, TOP the tree's. What the site says goes to the error output. The process has loaded the site's
// Astro before it is asked and may be asked again, so a second build does not wait for that. The same files are the
// programs `astro`, `npm` and the like of the site's scripts: node main.mjs --as PROGRAM ARGUMENT…

import { appendFileSync, readFileSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { build, describe, load } from "./astro.mjs";
import { afterInstall, manifestOf, packageFacts, runInShell, searchPath, stepsOf, stepsOfText } from "./scripts.mjs";

const NOTES = "WEBORDINARY_BUILD_NOTES";
const NOT_FOUND = 127;
const NETWORK = fileURLToPath(new URL("egress.mjs", import.meta.url));
const TOOLS = path.join(path.dirname(fileURLToPath(import.meta.url)), "bin");

class NotInstalledError extends Error {
  constructor(program) {
    super(`${program} is not installed, and a build cannot download it`);
    this.name = "NotInstalledError";
    this.hint = `Add ${program} to devDependencies, install once, and commit the lock file.`;
  }
}

/** Runs steps one after the other. Returns what went wrong, if anything did, and what was skipped. */
async function carryOut(steps, folder, environment) {
  const skipped = [];
  let facts = {};
  for (const step of steps) {
    if (step.skipped) skipped.push(step.skipped);
    else if (step.astro) {
      facts = { ...facts, ...(await build(folder, step.astro)) };
      if (facts.code !== undefined) return { ...facts, skipped, failed: "astro build" };
    } else {
      const code = await runInShell(step.shell, folder, environment);
      if (code === NOT_FOUND && step.fetched) throw new NotInstalledError(step.fetched);
      if (code !== 0) return { ...facts, skipped, failed: step.shell, code };
    }
  }
  return { ...facts, skipped };
}

async function serve(folder, top) {
  process.chdir(folder);
  // The site's own words must not be taken for our answers.
  process.stdout.write = process.stderr.write.bind(process.stderr);
  const answer = (said) => writeSync(1, `${JSON.stringify(said)}\n`);
  const notes = path.join(process.env.HOME, "build-notes.jsonl");
  Object.assign(process.env, packageFacts(folder));
  const environment = () => ({
    ...process.env,
    PATH: searchPath(TOOLS, folder, top),
    [NOTES]: notes,
    INIT_CWD: folder,
    npm_lifecycle_event: "build",
  });
  try {
    await load(folder);
    answer({ ready: true });
  } catch (error) {
    answer({ ready: false, error: describe(error) });
  }
  // Some of Astro's own work is waited for by nobody, and its errors end the process.
  process.on("uncaughtException", (error) => {
    answer({ ok: false, ...notesOf(notes), error: describe(error) });
    process.exit(1);
  });
  for await (const line of createInterface({ input: process.stdin })) {
    const { door = "" } = JSON.parse(line);
    process.env.WEBORDINARY_EGRESS_PROXY = door;
    rmSync(notes, { force: true });
    let failedSetup = [];
    try {
      failedSetup = await afterInstall(folder, top, environment());
      const { scripts = {} } = manifestOf(folder);
      const steps = typeof scripts.build === "string" ? stepsOf("build", scripts) : [{ astro: [] }];
      const facts = await carryOut(steps, folder, environment());
      answer({ ok: facts.code === undefined, ...notesOf(notes), ...facts, failedSetup });
    } catch (error) {
      answer({ ok: false, ...notesOf(notes), error: describe(error), failedSetup });
    }
  }
}

/** What `astro` noted that a script has called by itself. */
function notesOf(file) {
  try {
    return Object.assign({}, ...readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line)));
  } catch {
    return {};
  }
}

/** Stands in for a program that a script calls. */
async function standIn(program, given) {
  const folder = process.cwd();
  const { scripts = {} } = manifestOf(folder);
  // A script that sets NODE_OPTIONS has taken the way to the network away from whatever starts from here.
  const options = process.env.NODE_OPTIONS ?? "";
  if (!options.includes(NETWORK)) process.env.NODE_OPTIONS = `${options} --import=${NETWORK}`.trim();
  const quoted = given.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const [first, ...others] = stepsOfText(`${program} ${quoted}`, scripts);
  if (first?.shell !== undefined && others.length === 0) {
    // Nothing that we know better: the program itself, wherever else it is.
    const elsewhere = (process.env.PATH ?? "").split(path.delimiter).filter((entry) => entry !== TOOLS);
    return runInShell(first.shell, folder, { ...process.env, PATH: elsewhere.join(path.delimiter) });
  }
  try {
    const facts = await carryOut([first, ...others].filter(Boolean), folder, process.env);
    if (process.env[NOTES]) appendFileSync(process.env[NOTES], `${JSON.stringify(facts)}\n`);
    return facts.code ?? 0;
  } catch (error) {
    noteError(error);
    return 1;
  }
}

/** What went wrong, for whoever has called the script. */
function noteError(error) {
  if (process.env[NOTES]) appendFileSync(process.env[NOTES], `${JSON.stringify({ error: describe(error) })}\n`);
  console.error(error);
}

const [first, second, ...rest] = process.argv.slice(2);
if (first === "--as") {
  process.on("uncaughtException", (error) => {
    noteError(error);
    process.exit(1);
  });
  process.exit(await standIn(second, rest));
}
await serve(first, second);
process.exit(0);

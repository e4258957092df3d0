// Builds a site for each request line on stdin and writes a report line to stdout: node main.mjs FOLDER TOP
//
// FOLDER is the site's folder, TOP the tree. Output of the site goes to stderr. The process loads the site's Astro before
// the first request and serves several, so later builds start faster. In scripts of the site, this file also replaces
// programs such as `astro` and `npm`: node main.mjs --as PROGRAM ARGUMENT…

import { appendFileSync, readFileSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { build, describe, load } from "./astro.mjs";
import { runPostinstall, manifestOf, packageVariables, runInShell, searchPath, stepsOf, stepsOfText } from "./scripts.mjs";

const NOTES = "WEBORDINARY_BUILD_NOTES";
const NOT_FOUND = 127;
const EGRESS = fileURLToPath(new URL("egress.mjs", import.meta.url));
const TOOLS = path.join(path.dirname(fileURLToPath(import.meta.url)), "bin");

class NotInstalledError extends Error {
  constructor(program) {
    super(`${program} is not installed, and a build cannot download it`);
    this.name = "NotInstalledError";
    this.hint = `Add ${program} to devDependencies, install once, and commit the lock file.`;
  }
}

/** Runs steps in order. Returns the report of the build, with the failed step and the skipped ones. */
async function runSteps(steps, folder, environment) {
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
  // Output of the site must not be mistaken for reports.
  process.stdout.write = process.stderr.write.bind(process.stderr);
  const respond = (report) => writeSync(1, `${JSON.stringify(report)}\n`);
  const notes = path.join(process.env.HOME, "build-notes.jsonl");
  Object.assign(process.env, packageVariables(folder));
  const environment = () => ({
    ...process.env,
    PATH: searchPath(TOOLS, folder, top),
    [NOTES]: notes,
    INIT_CWD: folder,
    npm_lifecycle_event: "build",
  });
  try {
    await load(folder);
    respond({ ready: true });
  } catch (error) {
    respond({ ready: false, error: describe(error) });
  }
  // Astro does not await some promises; their errors end the process.
  process.on("uncaughtException", (error) => {
    respond({ ok: false, ...notesOf(notes), error: describe(error) });
    process.exit(1);
  });
  for await (const line of createInterface({ input: process.stdin })) {
    const { proxy = "" } = JSON.parse(line);
    process.env.WEBORDINARY_EGRESS_PROXY = proxy;
    rmSync(notes, { force: true });
    let failedSetup = [];
    try {
      failedSetup = await runPostinstall(folder, top, environment());
      const { scripts = {} } = manifestOf(folder);
      const steps = typeof scripts.build === "string" ? stepsOf("build", scripts) : [{ astro: [] }];
      const facts = await runSteps(steps, folder, environment());
      respond({ ok: facts.code === undefined, ...notesOf(notes), ...facts, failedSetup });
    } catch (error) {
      respond({ ok: false, ...notesOf(notes), error: describe(error), failedSetup });
    }
  }
}

/** Reports of `astro` processes that a script started. */
function notesOf(file) {
  try {
    return Object.assign({}, ...readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line)));
  } catch {
    return {};
  }
}

/** Runs in place of a program that a script calls. */
async function runAs(program, args) {
  const folder = process.cwd();
  const { scripts = {} } = manifestOf(folder);
  // A script that overwrites NODE_OPTIONS has removed the egress module for child processes.
  const options = process.env.NODE_OPTIONS ?? "";
  if (!options.includes(EGRESS)) process.env.NODE_OPTIONS = `${options} --import=${EGRESS}`.trim();
  const quoted = args.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const [first, ...others] = stepsOfText(`${program} ${quoted}`, scripts);
  if (first?.shell !== undefined && others.length === 0) {
    // Not a known command: run the original program.
    const search = (process.env.PATH ?? "").split(path.delimiter).filter((entry) => entry !== TOOLS);
    return runInShell(first.shell, folder, { ...process.env, PATH: search.join(path.delimiter) });
  }
  try {
    const facts = await runSteps([first, ...others].filter(Boolean), folder, process.env);
    if (process.env[NOTES]) appendFileSync(process.env[NOTES], `${JSON.stringify(facts)}\n`);
    return facts.code ?? 0;
  } catch (error) {
    noteError(error);
    return 1;
  }
}

/** Reports an error to the process that runs the script. */
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
  process.exit(await runAs(second, rest));
}
await serve(first, second);
process.exit(0);

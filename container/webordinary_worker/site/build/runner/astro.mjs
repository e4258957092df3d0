// Builds with the site's own Astro, through its JavaScript interface, and notes what a publisher has to know.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { remembering } from "./transform_cache.mjs";
import { runProgram } from "./scripts.mjs";

const FLAGS = { "--site": "site", "--base": "base", "--outDir": "outDir", "--config": "configFile", "--root": "root", "--mode": "mode" };
const FIRST_WITH_INTERFACE = 3; // what older ones export is their command line
const CONFIGURATIONS = ["mjs", "js", "ts", "mts", "cjs", "cts"].map((ending) => `astro.config.${ending}`);
const AROUND = ".webordinary.config.mjs";
const NOTED = ".webordinary.facts.json";
const loaded = new Map();
const kept = new Map();

/** The site's Astro. Loading it takes longest, so a process that waits has done it already. */
export async function load(folder) {
  if (!loaded.has(folder)) {
    const require = createRequire(path.join(folder, "package.json"));
    const manifestFile = resolveAstro(require);
    const manifest = require(manifestFile);
    if (Number.parseInt(manifest.version, 10) < FIRST_WITH_INTERFACE) {
      loaded.set(folder, { program: path.join(path.dirname(manifestFile), "astro.js"), version: manifest.version });
      return loaded.get(folder);
    }
    const entry = manifest.exports["."];
    const file = typeof entry === "string" ? entry : (entry.import ?? entry.default);
    const astro = await import(pathToFileURL(path.join(path.dirname(manifestFile), file)).href);
    loaded.set(folder, { build: astro.build, dev: astro.dev, version: manifest.version });
  }
  return loaded.get(folder);
}

function resolveAstro(require) {
  try {
    return require.resolve("astro/package.json");
  } catch {
    const hint = "Add astro to its dependencies, or say in which folder of the repository the site is.";
    throw Object.assign(new Error("astro is not installed: package.json does not ask for it"), { hint });
  }
}

/** Runs `astro build` with the arguments of a script. Returns what was built; throws what Astro throws. */
export async function build(folder, given) {
  const { build: run, program, version } = await load(folder);
  const facts = { astro: version };
  if (program) return { ...facts, ...(await buildByCommand(program, given, folder)) };
  process.argv = [process.argv[0], "astro", "build", ...given];
  process.env.NODE_ENV = "production";
  await run({ root: folder, ...configOf(given, folder), integrations: [observer(facts), remembering(keptFor(folder, given))] });
  return facts;
}

/** Of builds with the same arguments: others may give the same module other values. */
function keptFor(folder, given) {
  const key = JSON.stringify([folder, ...given]);
  if (!kept.has(key)) kept.set(key, new Map());
  return kept.get(key);
}

/** Older ones tell what they do to an integration only, so a configuration around the site's own adds ours. */
async function buildByCommand(program, given, folder) {
  const run = (...more) => runProgram(process.execPath, [program, "build", ...given, ...more], folder, process.env);
  const own = CONFIGURATIONS.find((name) => existsSync(path.join(folder, name)));
  const [around, noted] = [path.join(folder, AROUND), path.join(folder, NOTED)];
  rmSync(noted, { force: true });
  if (!own || given.some((word) => word.startsWith("--config"))) return exitOf(await run());
  writeFileSync(around, configurationAround(own, noted));
  try {
    const code = await run("--config", AROUND);
    if (existsSync(noted)) return { ...JSON.parse(readFileSync(noted, "utf8")), ...exitOf(code) };
    return exitOf(await run()); // it was not even read: the site's own may be, and says better what is wrong
  } finally {
    rmSync(around, { force: true });
    rmSync(noted, { force: true });
  }
}

function configurationAround(own, noted) {
  return `import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import own from "./${own}";
${observer}
const facts = new Proxy({}, { set: (target, name, value) => {
  target[name] = value;
  writeFileSync(${JSON.stringify(noted)}, JSON.stringify(target));
  return true;
} });
export default { ...own, integrations: [own.integrations ?? [], observer(facts)].flat(Infinity).filter(Boolean) };
`;
}

function exitOf(code) {
  return code === 0 ? {} : { code };
}

function observer(facts) {
  return {
    name: "webordinary",
    hooks: {
      "astro:config:done": ({ config, buildOutput }) => {
        facts.directory = fileURLToPath(config.outDir);
        facts.base = config.base;
        facts.output = buildOutput ?? config.output;
        facts.site = config.site ?? "";
        facts.trailingSlash = config.trailingSlash;
        facts.adapter = config.adapter?.name ?? "";
        facts.locales = (config.i18n?.locales ?? []).map((locale) => (typeof locale === "string" ? locale : locale.path));
        facts.defaultLocale = config.i18n?.defaultLocale ?? "";
      },
      "astro:routes:resolved": ({ routes }) => {
        facts.serverRoutes = routes.filter((route) => route.origin === "project" && !route.isPrerendered).map((route) => route.pattern);
      },
      "astro:build:done": ({ dir, pages, routes }) => {
        facts.published = fileURLToPath(dir);
        facts.pages = pages.map((page) => page.pathname);
        // Before Astro 5, only sites that have a server say of a page whether it is rendered ahead.
        const rendered = facts.output === "static" ? [] : (routes ?? []).filter((route) => !route.prerender && route.type === "page");
        facts.serverRoutes ??= rendered.map((route) => route.route);
      },
    },
  };
}

function configOf(given, folder) {
  const config = {};
  for (let index = 0; index < given.length; index++) {
    const [flag, value] = given[index].split(/=(.*)/s);
    if (flag === "--verbose") config.logLevel = "debug";
    else if (flag === "--silent") config.logLevel = "silent";
    else if (flag in FLAGS) config[FLAGS[flag]] = value ?? given[++index];
  }
  if (config.root) config.root = path.resolve(folder, config.root);
  if (config.outDir) config.outDir = path.resolve(folder, config.outDir);
  return config;
}

/** An error as plain data. Astro, Vite, esbuild and MDX each put the place of it elsewhere. */
export function describe(error, depth = 0) {
  if (typeof error !== "object" || error === null) return { message: String(error) };
  const first = Array.isArray(error.errors) && error.errors.length > 0 ? error.errors[0] : undefined;
  const place = error.loc ?? error.location ?? first?.location ?? error.place?.start ?? error.place ?? {};
  const described = {
    name: text(error.name, 80),
    message: text(first?.text ?? error.reason ?? error.message ?? error, 2000),
    hint: text(error.hint, 1000),
    file: text(place.file ?? error.id ?? error.file ?? "", 500),
    line: number(place.line ?? error.line),
    column: number(place.column ?? error.column),
    frame: text(error.frame ?? error.pluginCode ?? "", 1000),
    stack: text(error.stack, 3000),
  };
  if (error.cause && depth < 3) described.cause = describe(error.cause, depth + 1);
  return described;
}

function text(value, longest) {
  return typeof value === "string" ? value.slice(0, longest) : value === undefined || value === null ? "" : String(value).slice(0, longest);
}

function number(value) {
  return Number.isInteger(value) ? value : null;
}

// Builds with the site's Astro through its JavaScript API, and records facts about the output.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { transformCache } from "./transform_cache.mjs";
import { runProgram } from "./scripts.mjs";

const FLAGS = { "--site": "site", "--base": "base", "--outDir": "outDir", "--config": "configFile", "--root": "root", "--mode": "mode" };
const FIRST_WITH_API = 3; // older versions export only their command line
const CONFIGURATIONS = ["mjs", "js", "ts", "mts", "cjs", "cts"].map((ending) => `astro.config.${ending}`);
const WRAPPER = ".webordinary.config.mjs";
const FACTS = ".webordinary.facts.json";
const loaded = new Map();
const transformCaches = new Map();

/** Loads the site's Astro. This is the slowest part of a build, so a process does it before the first request. */
export async function load(folder) {
  if (!loaded.has(folder)) {
    const require = createRequire(path.join(folder, "package.json"));
    const manifestFile = resolveAstro(require);
    const manifest = require(manifestFile);
    if (Number.parseInt(manifest.version, 10) < FIRST_WITH_API) {
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
    const hint = "Add astro to the dependencies, or set the folder of the site in the repository.";
    throw Object.assign(new Error("astro is not installed: package.json does not list it"), { hint });
  }
}

/** Runs `astro build` with the arguments of a script. Returns facts about the output; throws Astro's errors. */
export async function build(folder, args) {
  const { build: run, program, version } = await load(folder);
  const facts = { astro: version };
  if (program) return { ...facts, ...(await buildByCommand(program, args, folder)) };
  process.argv = [process.argv[0], "astro", "build", ...args];
  process.env.NODE_ENV = "production";
  await run({ root: folder, ...configOf(args, folder), integrations: [observer(facts), transformCache(cacheFor(folder, args))] });
  return facts;
}

/** One cache per set of arguments: they may change the transformed modules. */
function cacheFor(folder, args) {
  const key = JSON.stringify([folder, ...args]);
  if (!transformCaches.has(key)) transformCaches.set(key, new Map());
  return transformCaches.get(key);
}

/** Old versions have no API: a wrapper around the site's configuration adds our integration. */
async function buildByCommand(program, args, folder) {
  const run = (...more) => runProgram(process.execPath, [program, "build", ...args, ...more], folder, process.env);
  const own = CONFIGURATIONS.find((name) => existsSync(path.join(folder, name)));
  const [wrapper, factsFile] = [path.join(folder, WRAPPER), path.join(folder, FACTS)];
  rmSync(factsFile, { force: true });
  if (!own || args.some((word) => word.startsWith("--config"))) return exitOf(await run());
  writeFileSync(wrapper, wrapConfiguration(own, factsFile));
  try {
    const code = await run("--config", WRAPPER);
    if (existsSync(factsFile)) return { ...JSON.parse(readFileSync(factsFile, "utf8")), ...exitOf(code) };
    return exitOf(await run()); // the wrapper was not read; the site's configuration gives a better error
  } finally {
    rmSync(wrapper, { force: true });
    rmSync(factsFile, { force: true });
  }
}

function wrapConfiguration(own, factsFile) {
  return `import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import own from "./${own}";
${observer}
const facts = new Proxy({}, { set: (target, name, value) => {
  target[name] = value;
  writeFileSync(${JSON.stringify(factsFile)}, JSON.stringify(target));
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
        facts.adapter = config.adapter?.name ?? "";
        facts.locales = (config.i18n?.locales ?? []).map((locale) => (typeof locale === "string" ? locale : locale.path));
        facts.defaultLocale = config.i18n?.defaultLocale ?? "";
      },
      "astro:routes:resolved": ({ routes }) => {
        facts.serverRoutes = routes.filter((route) => route.origin === "project" && !route.isPrerendered).map((route) => route.pattern);
      },
      "astro:build:done": ({ dir, pages, routes }) => {
        facts.staticDirectory = fileURLToPath(dir);
        facts.pages = pages.map((page) => page.pathname);
        // Before Astro 5, `prerender` is meaningful only for sites with a server.
        const rendered = facts.output === "static" ? [] : (routes ?? []).filter((route) => !route.prerender && route.type === "page");
        facts.serverRoutes ??= rendered.map((route) => route.route);
      },
    },
  };
}

function configOf(args, folder) {
  const config = {};
  for (let index = 0; index < args.length; index++) {
    const [flag, value] = args[index].split(/=(.*)/s);
    if (flag === "--verbose") config.logLevel = "debug";
    else if (flag === "--silent") config.logLevel = "silent";
    else if (flag in FLAGS) config[FLAGS[flag]] = value ?? args[++index];
  }
  if (config.root) config.root = path.resolve(folder, config.root);
  if (config.outDir) config.outDir = path.resolve(folder, config.outDir);
  return config;
}

/** An error as plain data. Astro, Vite, esbuild and MDX use different properties for its location. */
export function describe(error, depth = 0) {
  if (typeof error !== "object" || error === null) return { message: String(error) };
  const first = Array.isArray(error.errors) && error.errors.length > 0 ? error.errors[0] : undefined;
  const location = error.loc ?? error.location ?? first?.location ?? error.place?.start ?? error.place ?? {};
  const described = {
    name: text(error.name, 80),
    message: text(first?.text ?? error.reason ?? error.message ?? error, 2000),
    hint: text(error.hint, 1000),
    file: text(location.file ?? error.id ?? error.file ?? "", 500),
    line: number(location.line ?? error.line),
    column: number(location.column ?? error.column),
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

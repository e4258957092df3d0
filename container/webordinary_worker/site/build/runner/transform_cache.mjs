// What Vite has made of Astro's own modules, kept from build to build of a process.
//
// To read a site's content configuration, Astro starts a Vite server for each build, which transforms a hundred modules
// of Astro, one after the other. That is more than half of a next build. While a process lives these modules cannot
// change, and neither can the configuration by which they are transformed.

const OWN = /\/node_modules\/astro\/dist\/[^?]*$/;
const FOR_BROWSERS = "client";

/** An integration that takes from `kept` what is there, and adds to it what is not. */
export function remembering(kept) {
  const plugin = {
    name: "webordinary:remembering",
    configureServer(server) {
      for (const environment of Object.values(server.environments ?? {})) { // none before Vite 6
        if (environment.name !== FOR_BROWSERS) remember(environment, kept);
      }
    },
  };
  return {
    name: "webordinary-remembering",
    hooks: { "astro:config:setup": ({ updateConfig }) => updateConfig({ vite: { plugins: [plugin] } }) },
  };
}

function remember(environment, kept) {
  const graph = environment.moduleGraph;
  if (typeof graph?.updateModuleTransformResult !== "function") return; // another Vite: it does as it always did
  const transform = environment.transformRequest.bind(environment);
  environment.transformRequest = async (url, ...more) => {
    if (!OWN.test(url)) return transform(url, ...more);
    const key = `${environment.name} ${url}`;
    if (kept.has(key)) {
      // The graph has to know that it is there, or whoever imports it next would have it evaluated once more.
      graph.updateModuleTransformResult(await graph.ensureEntryFromUrl(url), kept.get(key));
    } else {
      kept.set(key, await transform(url, ...more));
    }
    return kept.get(key);
  };
}

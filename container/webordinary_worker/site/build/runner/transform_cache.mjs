// Caches Vite's transforms of Astro's modules between builds of a process.
//
// To read a site's content configuration, Astro starts a Vite server for each build. It transforms a hundred modules of
// Astro in sequence, which takes more than half of a repeated build. During the life of a process, neither these modules
// nor the configuration of their transforms can change.

const ASTRO_MODULE = /\/node_modules\/astro\/dist\/[^?]*$/;
const BROWSER_ENVIRONMENT = "client";

/** An Astro integration that stores transforms in `cache`, a Map. */
export function transformCache(cache) {
  const plugin = {
    name: "webordinary:transform-cache",
    configureServer(server) {
      for (const environment of Object.values(server.environments ?? {})) { // none before Vite 6
        if (environment.name !== BROWSER_ENVIRONMENT) useCache(environment, cache);
      }
    },
  };
  return {
    name: "webordinary-transform-cache",
    hooks: { "astro:config:setup": ({ updateConfig }) => updateConfig({ vite: { plugins: [plugin] } }) },
  };
}

function useCache(environment, cache) {
  const graph = environment.moduleGraph;
  if (typeof graph?.updateModuleTransformResult !== "function") return; // unknown version of Vite: no caching
  const transform = environment.transformRequest.bind(environment);
  environment.transformRequest = async (url, ...more) => {
    if (!ASTRO_MODULE.test(url)) return transform(url, ...more);
    const key = `${environment.name} ${url}`;
    if (cache.has(key)) {
      // Without an entry in the module graph, the next import would evaluate the module again.
      graph.updateModuleTransformResult(await graph.ensureEntryFromUrl(url), cache.get(key));
    } else {
      cache.set(key, await transform(url, ...more));
    }
    return cache.get(key);
  };
}

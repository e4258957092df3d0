// The `astro` of an attacked live preview. Like Vite, it serves every file; the guard of the runner is real.

import { readFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";

const PAGE = `<!DOCTYPE html><html><script type="module" src="/src/menu.ts"></script>
<img src="/_image?href=%2Fsrc%2Floaf.svg&amp;w=9"></html>`;

export async function dev({ root, vite }) {
  const stack = [];
  const use = (handle, route = "") => stack.push({ route, handle });
  const middlewares = {
    stack,
    handle(request, response) {
      let index = 0;
      const next = () => {
        const { route, handle } = stack[index++];
        if (request.url.startsWith(route)) handle(request, response, next);
        else next();
      };
      next();
    },
  };
  const server = http.createServer((request, response) => middlewares.handle(request, response));
  const listeners = [];
  const ws = { on: (_event, listener) => listeners.push(listener) };
  const finish = vite.plugins.flatMap((plugin) => plugin.configureServer({ middlewares, ws, config: { base: "/" } }));
  use(function viteTransformMiddleware(request, response, next) {
    if (request.headers["sec-fetch-dest"] === "document" || !/\.ts|raw|import/.test(request.url)) return next();
    send(response, () => `export default ${JSON.stringify(read(root, request.url))};\n//# sourceMappingURL=data:,source`, "text/javascript");
  });
  use(function viteServeRawFsMiddleware(request, response, next) {
    if (!request.url.startsWith("/@fs/")) return next();
    send(response, () => read("/", request.url.slice(4)), "text/plain");
  });
  use(function viteServeStaticMiddleware(request, response, next) {
    if (request.url === "/" || request.url.startsWith("/_image")) return next();
    send(response, () => read(root, request.url), "text/plain");
  });
  use((request, response) => send(response, () => read(root, decodeURIComponent(request.url.split("file=")[1])), "text/plain"), "/__open-in-editor");
  finish.forEach((hook) => hook());
  use((request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://site");
    if (pathname === "/") return send(response, () => PAGE, "text/html");
    if (pathname === "/_image" && searchParams.has("href")) return send(response, () => read(root, searchParams.get("href")), "image/svg+xml");
    response.writeHead(404, { "Content-Type": "text/html" });
    response.end(`<a href="${pathname}">${pathname}</a>`);
  });
  server.listen(0, () => {});
}

function read(folder, target) {
  return readFileSync(path.join(folder, decodeURIComponent(target.split("?")[0])), "utf8");
}

function send(response, text, type) {
  try {
    const body = text();
    response.writeHead(200, { "Content-Type": type, "Content-Length": Buffer.byteLength(body) });
    response.end(body);
  } catch {
    response.writeHead(404);
    response.end();
  }
}

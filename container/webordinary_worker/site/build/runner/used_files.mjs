// Limits a dev server to what the site's pages use. Vite serves every file of the repository, also as source.
//
// Astro's routes and the files of `public` are always served. Vite serves another address only if it was handed out
// before: a page, script or stylesheet that was served refers to it. Everything else goes to Astro's routes, which
// usually have no such page. As on a static host, pages get no query, and hidden files are not served.
//
// Connections for page updates go one way: all that a browser may send is that it cannot apply an update.

const OF_VITE = new Set(["Transform", "CachedTransform", "ServeRawFs", "ServeStatic", "TriggerLazyBundling", "MemoryFiles"].map((name) => `vite${name}Middleware`));
const REQUIRED = ["viteTransformMiddleware", "viteServeRawFsMiddleware", "viteServeStaticMiddleware"];
const OPEN_IN_EDITOR = "/__open-in-editor";
const READ_FOR_ADDRESSES = /html|javascript|css|json/;
const SOURCE_MAP = /^\/\/[#@] sourceMappingURL=data:.*$/gm;
const ORIGIN = "http://site.invalid";
const LAST_CHARACTER = 0x10ffff;
const ENTITIES = { amp: "&", quot: '"', apos: "'", lt: "<", gt: ">" };

/** An address without the parts that Vite adds to load a module again, as browsers write it; undefined if it is elsewhere. */
function normalized(address, base = ORIGIN) {
  if (!URL.canParse(address, base)) return undefined;
  const url = new URL(address, base);
  if (url.origin !== ORIGIN) return undefined;
  const query = url.search.slice(1).split("&").filter((part) => part && !/^(t=\d+|import=?)$/.test(part)).join("&");
  return url.pathname + (query && `?${query}`);
}

/** Strings that begin like a path. They may overlap, because a quote may also end a string. */
function* addressesOfCode(text) {
  for (const [, , word] of text.matchAll(/(["'`])(?=(\.{0,2}\/(?:(?!\1)[^\\\n]|\\.){0,2000})\1)/g)) yield word.replace(/\\(.)/g, "$1");
}

function* addressesOfStyles(text) {
  yield* addressesOfCode(text);
  for (const [, word] of text.matchAll(/url\(\s*\\?["']?([^"'\\)]+)/g)) yield word.trim();
}

function* addressesOfPage(html) {
  for (const [, text] of html.matchAll(/<script\b[^>]*>(.*?)<\/script/gis)) yield* addressesOfCode(text);
  for (const [, text] of html.matchAll(/<style\b[^>]*>(.*?)<\/style/gis)) yield* addressesOfStyles(text);
  for (const [tag] of html.matchAll(/<[a-z](?:[^>"']|"[^"]*"|'[^']*')*>/gi)) {
    for (const [, double, single, bare] of tag.matchAll(/=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g)) {
      const value = (double ?? single ?? bare).replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, unescaped);
      yield* addressesOfStyles(value); // the properties of an island, and styles
      for (const word of [value, ...value.split(/,?\s+/)]) if (/^\.{0,2}\//.test(word)) yield word; // also of a srcset
    }
  }
}

function unescaped(entity, decimal, hexadecimal, name) {
  if (name) return ENTITIES[name] ?? entity;
  const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16);
  return code <= LAST_CHARACTER ? String.fromCodePoint(code) : entity;
}

/** The addresses of this server to which a served text refers. */
export function* addressesIn(text, type, address) {
  const found = type.includes("html") ? addressesOfPage(text) : type.includes("json") ? addressesOfCode(text) : addressesOfStyles(text);
  for (const word of found) {
    const one = normalized(word, ORIGIN + address);
    if (one !== undefined) yield one;
  }
}

/** A Vite plugin. What was handed out outlives a restart of the server, as open pages do. */
export function onlyUsedFiles() {
  const handedOut = new Set();
  return {
    name: "webordinary:only-used-files",
    configureServer(server) {
      const handle = server.middlewares.handle;
      handedOut.add(`${server.config.base}@vite/client`); // pages that show an error are not read, but also use it
      server.middlewares.handle = function (request, response, ...more) {
        const address = normalized(ORIGIN + request.url);
        request.isHandedOut = handedOut.has(address);
        if (!request.isHandedOut) {
          request.url = request.url.replace(/[?#].*$/s, "");
          if (address === undefined || isHidden(request.url)) return refuse(response);
        }
        // Neither an unchanged nor a compressed response could be read, and a document would be a module's source.
        for (const name of ["if-none-match", "if-modified-since", "accept-encoding"]) delete request.headers[name];
        if (request.headers["sec-fetch-dest"] !== "script") delete request.headers["sec-fetch-dest"];
        read(response, (text, type) => {
          for (const one of addressesIn(text, type, address)) if (one !== address) handedOut.add(one);
        });
        return handle.call(this, request, response, ...more);
      };
      server.ws.on("connection", listenOnlyForInvalidModules);
      return () => limitVite(server.middlewares.stack);
    },
  };
}

/** Vite's own handlers see only what was handed out. */
function limitVite(stack) {
  const missing = REQUIRED.filter((name) => !stack.some(({ handle }) => handle.name === name));
  if (missing.length > 0) throw new Error(`this version of Vite is not known: it has no ${missing.join(", ")}`);
  for (const layer of stack) {
    const { handle, route } = layer;
    if (!OF_VITE.has(handle.name) && route !== OPEN_IN_EDITOR) continue;
    layer.handle = (request, response, next) => (request.isHandedOut && route !== OPEN_IN_EDITOR ? handle(request, response, next) : next());
  }
}

function isHidden(target) {
  try {
    return decodeURIComponent(target).split(/[/\\]/).some((part) => part.startsWith(".") && part !== ".well-known");
  } catch {
    return true;
  }
}

function refuse(response) {
  response.statusCode = 404;
  response.end();
}

/** Calls `use` with the text of a successful response before it is sent, and sends scripts without their source. */
function read(response, use) {
  const chunks = [];
  const isRead = () => response.statusCode === 200 && READ_FOR_ADDRESSES.test(typeOf(response));
  const passOn = () => ["writeHead", "flushHeaders", "write", "end"].forEach((name) => delete response[name]);
  response.writeHead = (status, ...more) => {
    response.statusCode = status;
    setHeaders(response, more.find((one) => typeof one === "object"));
    return response;
  };
  response.flushHeaders = () => {};
  response.write = (chunk, ...more) => {
    if (!isRead()) return passOn(), response.write(chunk, ...more);
    chunks.push(Buffer.from(chunk, typeof more[0] === "string" ? more[0] : "utf8"));
    return true;
  };
  response.end = (...last) => {
    if (!isRead()) return passOn(), response.end(...last);
    if (last.length > 0 && last[0] && typeof last[0] !== "function") response.write(...last);
    passOn();
    let text = Buffer.concat(chunks).toString();
    if (typeOf(response).includes("javascript")) text = text.replace(SOURCE_MAP, "");
    use(text, typeOf(response));
    if (response.hasHeader("content-length")) response.setHeader("content-length", Buffer.byteLength(text));
    return response.end(text);
  };
}

function typeOf(response) {
  return String(response.getHeader("content-type") ?? "").toLowerCase();
}

function setHeaders(response, headers) {
  if (Array.isArray(headers)) {
    const flat = headers.flat();
    for (let index = 0; index < flat.length; index += 2) response.appendHeader(flat[index], flat[index + 1]);
  } else {
    for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  }
}

function listenOnlyForInvalidModules(socket) {
  const listeners = socket.listeners("message");
  socket.removeAllListeners("message");
  socket.on("message", (data, ...more) => {
    if (isInvalidModule(data)) for (const listener of listeners) listener.call(socket, data, ...more);
  });
}

function isInvalidModule(data) {
  try {
    const { type, event } = JSON.parse(String(data));
    return type === "custom" && event === "vite:invalidate";
  } catch {
    return false;
  }
}

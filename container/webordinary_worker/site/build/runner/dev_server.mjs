// Development server for the live preview of a site: node dev_server.mjs FOLDER TOP CHANGES DESCRIPTOR HOST
//
// The site's Astro serves FOLDER. It listens on a Unix socket that the worker opened and passed as DESCRIPTOR, because
// this process cannot open network sockets. It writes `{"ready":true}` to stdout once it serves. Each line on stdin is a
// changed file below TOP: `{"path", "content"}`, with the content in base64, or null for a deleted file. This process
// writes the file itself, so that the worker never writes where the site's code can write. It ends at the end of stdin.
// Vite's WebSocket has the path CHANGES, because the edge routes it differently.

import { mkdirSync, rmSync, writeFileSync, writeSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";

import { load } from "./astro.mjs";
import { runPostinstall, packageVariables, searchPath } from "./scripts.mjs";
import { onlyUsedFiles } from "./used_files.mjs";

const [folder, top, changes, descriptor, host] = process.argv.slice(2);
const PORT = 4321; // required by Vite; no program listens on it

// Output of the site must not be mistaken for our messages.
process.stdout.write = process.stderr.write.bind(process.stderr);

/** Passes connections to the last server that called `listen`: Vite's, also after a restart. */
function listenOn(descriptor) {
  let server;
  const { address } = http.Server.prototype;
  http.Server.prototype.listen = function (...args) {
    const listener = args.findLast((value) => typeof value === "function");
    if (listener) this.once("listening", listener);
    server = this;
    process.nextTick(() => this.emit("listening"));
    return this;
  };
  http.Server.prototype.address = function () {
    return this === server ? { address: "127.0.0.1", family: "IPv4", port: PORT } : address.call(this);
  };
  net.createServer((connection) => server.emit("connection", connection)).listen({ fd: descriptor });
}

function writeChange(line) {
  const { path: name, content } = JSON.parse(line);
  const file = path.join(top, name);
  if (content === null) return rmSync(file, { recursive: true, force: true });
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, Buffer.from(content, "base64"));
}

process.chdir(folder);
process.argv = [process.argv[0], "astro", "dev"];
Object.assign(process.env, packageVariables(folder));
await runPostinstall(folder, top, { ...process.env, PATH: searchPath(path.join(import.meta.dirname, "bin"), folder, top) });
const { dev } = await load(folder);
listenOn(Number(descriptor));
await dev({
  root: folder,
  logLevel: "error",
  devToolbar: { enabled: false },
  server: { host: "127.0.0.1", port: PORT, open: false, allowedHosts: [host] },
  vite: {
    clearScreen: false,
    plugins: [onlyUsedFiles()],
    server: { allowedHosts: [host], fs: { strict: true, allow: [top] }, hmr: { path: changes } },
  },
});
writeSync(1, `${JSON.stringify({ ready: true })}\n`);
for await (const line of createInterface({ input: process.stdin })) writeChange(line);
process.exit(0);

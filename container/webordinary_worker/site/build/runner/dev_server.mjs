// Shows a site while it is being edited: node dev_server.mjs FOLDER TOP CHANGES DESCRIPTOR HOST
//
// The site's own Astro serves FOLDER, in development. It listens at a socket of this machine that the worker has opened
// and handed on, because this process can open none for a network. It answers `{"ready":true}` once it serves. Lines on
// its input are changes of files below TOP, which it makes itself, so that nobody else ever writes where the site's code
// may write: `{"path", "content"}` with the content in base64, or null where the file is gone. It ends with its input. A
// page hears of changes at CHANGES, a path of its own, because the edge passes on what is said there in another way.

import { mkdirSync, rmSync, writeFileSync, writeSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";

import { load } from "./astro.mjs";
import { afterInstall, packageFacts, searchPath } from "./scripts.mjs";

const [folder, top, changes, descriptor, host] = process.argv.slice(2);
const PORT = 4321; // that nobody listens on; Vite wants to know one

// The site's own words must not be taken for our answers.
process.stdout.write = process.stderr.write.bind(process.stderr);

/** Whoever wanted to listen last, which is Vite, also after a restart, gets the connections. */
function listenAt(descriptor) {
  let server;
  const { address } = http.Server.prototype;
  http.Server.prototype.listen = function (...given) {
    const listener = given.findLast((value) => typeof value === "function");
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

function change(line) {
  const { path: name, content } = JSON.parse(line);
  const file = path.join(top, name);
  if (content === null) return rmSync(file, { recursive: true, force: true });
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, Buffer.from(content, "base64"));
}

process.chdir(folder);
process.argv = [process.argv[0], "astro", "dev"];
Object.assign(process.env, packageFacts(folder));
await afterInstall(folder, top, { ...process.env, PATH: searchPath(path.join(import.meta.dirname, "bin"), folder, top) });
const { dev } = await load(folder);
listenAt(Number(descriptor));
await dev({
  root: folder,
  logLevel: "error",
  devToolbar: { enabled: false },
  server: { host: "127.0.0.1", port: PORT, open: false, allowedHosts: [host] },
  vite: {
    clearScreen: false,
    server: { allowedHosts: [host], fs: { strict: true, allow: [top] }, hmr: { path: changes } },
  },
});
writeSync(1, `${JSON.stringify({ ready: true })}\n`);
for await (const line of createInterface({ input: process.stdin })) change(line);
process.exit(0);

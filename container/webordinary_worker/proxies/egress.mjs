// Preloaded into every Node.js process of a build, and into package managers. These processes cannot open network
// connections: connections go through the worker's egress proxy, a Unix socket, which allows some hosts and records
// all others. A package manager's registry may be local; a build has nothing to connect to on its machine.
//
// The first line of a connection is `host port`; the rest is passed to the host. The proxy closes the connection if it
// blocks the host.

import http from "node:http";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import tls from "node:tls";

const connect = net.connect;
const secure = tls.connect;
const LOCAL = process.env.WEBORDINARY_EGRESS_LOCAL ? new Set() : new Set(["localhost", "127.0.0.1", "::1", "[::1]"]);

/** Normalizes the arguments of `net.connect` to an options object and a listener. */
function optionsOf(args) {
  const [first, second] = args;
  const listener = args.findLast((value) => typeof value === "function");
  if (typeof first === "object" && first !== null) return [first, listener];
  const rest = typeof second === "object" && second !== null ? second : args[2];
  const more = typeof rest === "object" && rest !== null ? rest : {};
  if (typeof first === "string" && !/^\d+$/.test(first)) return [{ ...more, path: first }, listener];
  return [{ ...more, port: Number(first), host: typeof second === "string" ? second : (more.host ?? "localhost") }, listener];
}

function throughProxy(options, listener) {
  const host = options.host ?? options.hostname ?? "localhost";
  if (options.path || options.socketPath || LOCAL.has(host)) return connect(options, listener);
  const socket = connect({ path: process.env.WEBORDINARY_EGRESS_PROXY });
  socket.write(`${host} ${options.port}\n`);
  if (listener) socket.once("connect", listener);
  return socket;
}

net.connect = net.createConnection = (...args) => throughProxy(...optionsOf(args));
http.Agent.prototype.createConnection = net.createConnection;
tls.connect = (...args) => {
  const [options, listener] = optionsOf(args);
  if (options.socket || options.path) return secure(options, listener);
  const servername = options.servername ?? (net.isIP(options.host ?? "") ? "" : options.host);
  return secure({ ...options, servername, socket: throughProxy(options) }, listener);
};
syncBuiltinESMExports();

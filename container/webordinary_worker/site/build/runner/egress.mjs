// Loaded before everything else of a build, whose process can open no connection itself: connections go through the
// worker's door, a socket of this machine, which says yes to the hosts that the project names and notes all others.
//
// The first line that a connection says is `host port`; what follows belongs to the host. A host that is refused is
// answered by the end of the connection.

import http from "node:http";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import tls from "node:tls";

const connect = net.connect;
const secure = tls.connect;
const LOCAL = new Set(["localhost", "127.0.0.1", "::1", "[::1]"]);

/** Arguments of a connection as one object, the way Node.js understands them. */
function optionsOf(given) {
  const [first, second] = given;
  const listener = given.findLast((value) => typeof value === "function");
  if (typeof first === "object" && first !== null) return [first, listener];
  const rest = typeof second === "object" && second !== null ? second : given[2];
  const more = typeof rest === "object" && rest !== null ? rest : {};
  if (typeof first === "string" && !/^\d+$/.test(first)) return [{ ...more, path: first }, listener];
  return [{ ...more, port: Number(first), host: typeof second === "string" ? second : (more.host ?? "localhost") }, listener];
}

function throughDoor(options, listener) {
  const host = options.host ?? options.hostname ?? "localhost";
  if (options.path || options.socketPath || LOCAL.has(host)) return connect(options, listener);
  const socket = connect({ path: process.env.WEBORDINARY_EGRESS_PROXY });
  socket.write(`${host} ${options.port}\n`);
  if (listener) socket.once("connect", listener);
  return socket;
}

net.connect = net.createConnection = (...given) => throughDoor(...optionsOf(given));
http.Agent.prototype.createConnection = net.createConnection;
tls.connect = (...given) => {
  const [options, listener] = optionsOf(given);
  if (options.socket || options.path) return secure(options, listener);
  const servername = options.servername ?? (net.isIP(options.host ?? "") ? "" : options.host);
  return secure({ ...options, servername, socket: throughDoor(options) }, listener);
};
syncBuiltinESMExports();

// Preloaded into package managers: prevents them from starting any program.
"use strict";

const programs = require("node:child_process");

for (const name of ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"]) {
  programs[name] = (program) => {
    const refused = new Error(`EALLOWPROGRAM ${program} is not allowed during an install`);
    throw Object.assign(refused, { code: "EALLOWPROGRAM" });
  };
}
require("node:module").syncBuiltinESMExports();

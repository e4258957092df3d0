// Loaded before a package manager: whatever a manifest or a package asks for, no program is started.
"use strict";

const programs = require("node:child_process");

for (const name of ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"]) {
  programs[name] = (program) => {
    const refused = new Error(`EALLOWPROGRAM ${program} is not started while packages are installed`);
    throw Object.assign(refused, { code: "EALLOWPROGRAM" });
  };
}
require("node:module").syncBuiltinESMExports();

// Serves dynalite on a free port; prints the port.

import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const [packages] = process.argv.slice(2);
const dynalite = createRequire(`${resolve(packages)}/`)('dynalite');
const server = dynalite({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));

// Evaluates each request of the input against its policy with iam-simulate. Prints one verdict per line.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [packages] = process.argv.slice(2);
const entry = `${resolve(packages)}/@cloud-copilot/iam-simulate/dist/esm/index.js`;
const { runSimulation } = await import(pathToFileURL(entry));
const account = '123456789012';

for (const line of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const { policy, principal, action, resource, context } = JSON.parse(line);
  const simulation = {
    request: { principal, action, resource: { resource, accountId: account }, contextVariables: context },
    identityPolicies: [{ name: 'function', policy }],
    serviceControlPolicies: [],
    resourceControlPolicies: [],
  };
  const { resultType, errors, overallResult } = await runSimulation(simulation, {});
  process.stdout.write(JSON.stringify(errors ? { errors } : { verdict: overallResult ?? resultType }) + '\n');
}

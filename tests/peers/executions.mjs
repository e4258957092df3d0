// Runs each case of the input through aws-local-stepfunctions. Prints the calls, the output and the error of each.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [packages] = process.argv.slice(2);
const { StateMachine } = await import(pathToFileURL(`${resolve(packages)}/aws-local-stepfunctions/build/main.node.esm.js`));
const { definition, cases } = JSON.parse(readFileSync(0, 'utf8'));

class Failed extends Error {
  constructor({ error, cause }) {
    super(cause);
    this.name = error;
  }
}

async function run({ input, answers }) {
  const calls = [];
  const left = structuredClone(answers);
  const handler = (state) => async (given) => {
    calls.push([state, given]);
    const answer = left[state] && (left[state].length > 1 ? left[state].shift() : left[state][0]);
    if (answer === undefined) throw new Failed({ error: 'NoAnswer', cause: state });
    if (answer.error) throw new Failed(answer);
    return answer.output;
  };
  const states = definition.states;
  const machine = new StateMachine(definition.machine, { validationOptions: { checkPaths: true, checkArn: false } });
  const execution = machine.run(input, {
    context: { Task: { Token: 'the-token' }, Execution: { Input: input } },
    overrides: {
      taskResourceLocalHandlers: Object.fromEntries(states.map((state) => [state, handler(state)])),
      retryIntervalOverrides: Object.fromEntries(states.map((state) => [state, 1])),
    },
  });
  try {
    return { calls, output: await execution.result, error: null };
  } catch (error) {
    return { calls, output: null, error: (error.cause || error).name };
  }
}

for (const one of cases) {
  process.stdout.write(JSON.stringify(await run(one)) + '\n');
}

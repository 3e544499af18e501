// Our own client, as the example program that agents' authors read first: it uses a tool of a real server through every
// strategy, over stdio and HTTP, and before a server that knows nothing of any of this.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { Checks } from './checks.mjs';
import { EVERYTHING, gateway, httpGateway } from './programs.mjs';

const CLIENT = process.env.INTEROP_CLIENT;
const SETUPS = [
  ['full', []],
  ['resource', []],
  ['describe', []],
  ['info', []],
  ['info', ['--set', 'info.tools=entry-only']],
  ['concerns+info', []],
];
const RESULT = { content: [{ type: 'text', text: 'Echo: hi' }] };

const checks = new Checks('our client');
for (const [strategy, flags] of SETUPS) {
  const named = [strategy, ...flags].join(' ');
  await checks.group(`${named}, stdio`, () => use(strategy, gateway(strategy, EVERYTHING, ...flags)));
  await checks.group(`${named}, http`, async (atEnd) => {
    const origin = await httpGateway(strategy, EVERYTHING, atEnd, ...flags);
    await use(strategy, [`${origin}/mcp`]);
  });
}
await checks.group('no gateway, stdio', () => use('none', EVERYTHING));
process.exit(checks.close());

// Runs the program to its end and reads what it tells: a line for each thing, with its name before it.
async function use(strategy, server) {
  const asked = ['echo', '{"message": "hi"}', ...server];
  const { stdout } = await promisify(execFile)(CLIENT, asked, { timeout: 30_000, maxBuffer: 1 << 24 });
  const printed = (name) => stdout.split('\n').find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  checks.equal('it knows what serves it', printed('strategy'), strategy);
  // `info` explains a tool; the others define it.
  const { name, tool } = JSON.parse(printed('definition'));
  checks.equal('it learned the definition', name ?? tool, 'echo');
  const { content } = JSON.parse(printed('result'));
  checks.equal('and called it', { content }, RESULT);
}

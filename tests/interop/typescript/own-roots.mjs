// Two official TypeScript clients of 2026-07-28, which have no sessions and are known by nothing, with different roots:
// through `--upstream-scope session` each sees its own, whatever the upstream remembers of whom it asked.

import { Checks } from './checks.mjs';
import { EVERYTHING, httpGateway } from './programs.mjs';
import { NAME, answer, connect } from './sdk2.mjs';

const PINNED = { mode: { pin: '2026-07-28' }, capabilities: { roots: {} } };

// What keeps the roots of its connection, and what asks for them with each call. Every call starts a server.
const UPSTREAMS = {
  'server-everything': { command: EVERYTHING, tool: 'get-roots-list', calls: 20 },
  'stateless server': { command: [...here('server-2.mjs'), 'modern'], tool: 'roots', calls: 10 },
  'server of both eras': { command: [...here('server-2.mjs'), 'dual'], tool: 'roots', calls: 10 },
};

function here(file) {
  return ['node', `${process.env.INTEROP_CACHE}/node/typescript/${file}`];
}

const checks = new Checks(`${NAME}, own roots`);
for (const [name, upstream] of Object.entries(UPSTREAMS))
  await checks.group(name, (atEnd) => interleaved(upstream, atEnd), 400);
process.exit(checks.close());

async function interleaved({ command, tool, calls }, atEnd) {
  const origin = await httpGateway('full', command, atEnd, '--upstream-scope', 'session');
  const people = ['ada', 'eve'];
  const clients = await Promise.all(people.map((person) => withRoots(`${origin}/mcp`, person, atEnd)));
  const seen = { ada: [], eve: [] };
  const call = async (at) => seen[people[at]].push(await rootsSeen(clients[at], tool));
  for (let round = 0; round < calls; round += 1) {
    // In turn at first, so that each finds what the other left behind; then at once.
    if (round < calls / 2) for (const at of [0, 1]) await call(at);
    else await Promise.all([0, 1].map(call));
  }
  for (const person of people) {
    const others = seen[person].filter((roots) => roots !== `file:///home/${person}`);
    checks.equal(`${person}: ${calls} calls see its own roots only`, [seen[person].length, others], [calls, []]);
  }
}

async function withRoots(address, person, atEnd) {
  const connection = await connect(address, atEnd, PINNED);
  answer(connection, 'roots/list', () => ({ roots: [{ uri: `file:///home/${person}`, name: person }] }));
  checks.true(`${person} speaks 2026-07-28`, connection.modern);
  await connection.tools();
  return connection;
}

// The roots that a tool names, or all that came instead.
async function rootsSeen(connection, tool) {
  const answer = await connection.call(tool, {});
  const text = answer.result?.content?.[0]?.text;
  return text?.match(/file:\/\/\/\S+/g)?.join(' ') ?? JSON.stringify(answer);
}

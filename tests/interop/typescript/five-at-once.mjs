// One gateway, five official clients at once, of both eras: each is served by another strategy, two by stacks.

import { Checks } from './checks.mjs';
import { listener } from './programs.mjs';
import * as sdk1 from './sdk1.mjs';
import * as sdk2 from './sdk2.mjs';
import { DESCRIPTIONS } from './suites.mjs';

const EXTENSION = 'io.github.mcp-disclosure/progressive-disclosure';
const SOLVE = ['symbolic_solve', { equations: 'x**2 - 4' }];
const EXACT = ['symbolic_solve', 'symbolic_diff', 'symbolic_integrate', 'symbolic_simplify'];
const ROUNDS = 5;

const checks = new Checks('five at once');
await checks.group('http', atOnce);
process.exit(checks.close());

async function atOnce(atEnd) {
  const serve = (port) => [process.env.MCP_DISCLOSURE_BIN, 'serve', '--transport', 'http', '--listen', `127.0.0.1:${port}`];
  const origin = await listener(serve, atEnd);
  const offering = (settings) => ({ experimental: { [EXTENSION]: settings } });
  const session = (path, settings) => sdk1.connect(`${origin}${path}`, atEnd, settings ? offering(settings) : {});
  const stateless = (path, settings) =>
    sdk2.connect(`${origin}${path}`, atEnd, { mode: { pin: '2026-07-28' }, capabilities: settings ? offering(settings) : {} });
  const clients = {
    full: await session('/mcp'),
    resource: await session('/mcp', { strategies: ['unheard-of', 'resource'] }),
    describe: await stateless('/mcp/describe'),
    'concerns+info': await session('/mcp/concerns+info', { concerns: { precision: 'approximate' } }),
    'concerns+resource': await stateless('/mcp', {
      strategies: ['concerns+resource'],
      concerns: { precision: 'exact' },
    }),
  };
  const names = Object.keys(clients);
  // All of them list and call at the same time, and views are not mixed up.
  const seen = await Promise.all(names.map((name) => view(clients[name])));
  names.forEach((name, at) => checks.equal(`${name}: its own list`, seen[at], expected(name)));
  for (let round = 1; round <= ROUNDS; round += 1) {
    const solved = await Promise.all(names.map((name) => solve(name, clients[name])));
    names.forEach((name, at) => checks.equal(`${name}: its own call, round ${round}`, solved[at], [-2, 2]));
  }
  const inSession = names.filter((name) => !clients[name].modern);
  const again = await Promise.all(inSession.map((name) => view(clients[name])));
  inSession.forEach((name, at) => checks.equal(`${name}: the same list at the end`, again[at], expected(name)));
}

// What a client's list looks like: how many tools of the server's, which of ours, and whether schemas are shown.
async function view(connection) {
  const { tools } = (await connection.tools()).result;
  const ours = ({ name }) => ['info', 'describe_tools', 'choose_concerns'].includes(name);
  const theirs = tools.filter((tool) => !ours(tool));
  return {
    theirs: theirs.length,
    exact: theirs.filter(({ name }) => EXACT.includes(name)).length,
    ours: tools.filter(ours).map(({ name }) => name),
    schemas: theirs.every(({ inputSchema }) => 'required' in inputSchema),
  };
}

function expected(name) {
  return {
    full: { theirs: 11, exact: 4, ours: [], schemas: true },
    resource: { theirs: 11, exact: 4, ours: [], schemas: false },
    describe: { theirs: 11, exact: 4, ours: ['describe_tools'], schemas: false },
    'concerns+info': { theirs: 7, exact: 0, ours: ['info'], schemas: false },
    'concerns+resource': { theirs: 4, exact: 4, ours: [], schemas: false },
  }[name];
}

// Calls a tool as its strategy has it. Where it was filtered out it is called by its exact name all the same.
async function solve(name, connection) {
  const [tool, args] = SOLVE;
  let receipt = {};
  if (name.endsWith('resource')) {
    const { result } = await connection.read(`${DESCRIPTIONS}?tools=${tool}`);
    const { inputSchema } = JSON.parse(result.contents[0].text)[tool];
    const demanded = inputSchema.properties.disclosure_receipt;
    if (demanded) receipt = { disclosure_receipt: demanded.const };
  }
  const { result } = await connection.call(tool, { ...args, ...receipt });
  return result?.structuredContent?.solutions ?? result;
}

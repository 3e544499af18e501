// Groups (docs/strategies/groups.md) by the official TypeScript clients, before and after they declare the extension: over
// both transports, with sessions and without.

import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';

import { Checks } from './checks.mjs';
import { withoutTasks } from './eras.mjs';
import { EVERYTHING, gateway, httpGateway } from './programs.mjs';
import * as sdk1 from './sdk1.mjs';
import * as sdk2 from './sdk2.mjs';
import { asJson, textOf } from './suites.mjs';

const GROUPS = 'io.modelcontextprotocol/groups';
const DECLARED = { [GROUPS]: {} };
const OFFERED = ['--offer', 'full,groups'];
// Neither SDK knows the methods, so any result is one.
const ANY = { '~standard': { version: 1, vendor: 'interop', validate: (value) => ({ value }) } };

const CLIENTS = [
  {
    name: sdk1.NAME,
    any: ResultSchema,
    unknown: -32002,
    // This SDK strips `extensions`, which it does not know; `experimental` survives.
    connect: (target, atEnd, declares) => sdk1.connect(target, atEnd, declares ? { experimental: DECLARED } : {}),
  },
  { ...client2('legacy', -32002), name: `${sdk2.NAME}, sessions` },
  { ...client2({ pin: '2026-07-28' }, -32602), modern: true, name: `${sdk2.NAME}, 2026-07-28` },
];

const checks = new Checks('groups, TypeScript');
for (const client of CLIENTS) await checks.group(client.name, (atEnd) => converse(client, atEnd));
process.exit(checks.close());

function client2(mode, unknown) {
  const connect = (target, atEnd, declares) =>
    sdk2.connect(target, atEnd, { mode, capabilities: declares ? { extensions: DECLARED } : {} });
  return { any: ANY, unknown, connect };
}

async function converse(client, atEnd) {
  // server-everything has no stateless era; the list is the same.
  const listed = await (await sdk1.connect(EVERYTHING, atEnd)).tools();
  const { result } = client.modern ? withoutTasks(listed) : listed;
  const direct = new Map(result.tools.map((tool) => [tool.name, tool]));
  const addresses = {
    stdio: { offered: gateway('auto', EVERYTHING, ...OFFERED), pinned: gateway('groups', EVERYTHING) },
    http: {
      offered: `${await httpGateway('auto', EVERYTHING, atEnd, ...OFFERED)}/mcp`,
      pinned: `${await httpGateway('groups', EVERYTHING, atEnd)}/mcp`,
    },
  };
  for (const [transport, { offered, pinned }] of Object.entries(addresses)) {
    const suites = { undeclared: flat, declared: native };
    for (const [how, suite] of Object.entries(suites)) {
      await checks.group(`${client.name}, ${transport}, offered, ${how}`, async (atEnd) => {
        await suite(client, await client.connect(offered, atEnd, how === 'declared'), direct);
      });
    }
    await checks.group(`${client.name}, ${transport}, pinned, undeclared`, async (atEnd) => {
      await bridged(await client.connect(pinned, atEnd, false), direct);
    });
    await checks.group(`${client.name}, ${transport}, pinned, declared`, async (atEnd) => {
      await native(client, await client.connect(pinned, atEnd, true), direct);
    });
  }
}

function namesOf({ result }) {
  return result.tools.map(({ name }) => name).sort();
}

function all(direct) {
  return [...direct.keys()].sort();
}

function ask(client, connection, method, params = {}) {
  return connection.ask(() => connection.client.request({ method, params }, client.any));
}

// To a client that declares nothing, groups do not exist.
async function flat(client, connection, direct) {
  checks.equal('everything is listed', namesOf(await connection.tools()), all(direct));
  // Without sessions it is answered with a status by itself, which client 2.x throws as its own error.
  const refused = await ask(client, connection, 'groups/list').catch((error) => ({ error }));
  checks.true('there are no groups', JSON.stringify([refused.error, refused.error?.message]).includes('-32601'), refused);
  await echoes(connection, 'echo', {});
}

// Every tool is in the list or in groups, defined as the server defines it, and is called by its name.
async function native(client, connection, direct) {
  const listed = namesOf(await connection.tools());
  const { result } = await ask(client, connection, 'groups/list');
  checks.true('there are groups', result.groups.length > 0, result);
  const [found, next] = [new Map(), result.groups.map(({ name }) => name)];
  const seen = new Set(next);
  while (next.length > 0) {
    const { contents = {} } = (await ask(client, connection, 'groups/get', { name: next.pop() })).result;
    for (const tool of contents.tools ?? []) found.set(tool.name, tool);
    for (const { name } of contents.groups ?? []) if (!seen.has(name)) seen.add(name) && next.push(name);
  }
  checks.true('what is in groups is not listed', listed.every((name) => !found.has(name)), listed);
  checks.equal('nothing is lost', [...listed, ...found.keys()].sort(), all(direct));
  for (const [name, tool] of found) checks.equal(`the definition of ${name}`, tool, direct.get(name));
  const missing = await ask(client, connection, 'groups/get', { name: 'no-such-group' });
  checks.equal('an unknown group', missing.error?.code, client.unknown);
  await echoes(connection, 'echo', {});
}

// A host that knows no groups has a tool that shows them, and one that calls.
async function bridged(connection, direct) {
  const listed = namesOf(await connection.tools());
  checks.true('the bridge is listed', ['call_tool', 'get_group'].every((name) => listed.includes(name)), listed);
  checks.true('and little else', listed.length < direct.size, listed);
  const overview = asJson(textOf((await connection.call('get_group', {})).result));
  checks.true('it names the groups', overview?.groups?.length > 0, overview);
  const group = asJson(textOf((await connection.call('get_group', { name: 'echo' })).result));
  const echo = group?.tools?.find(({ name }) => name === 'echo');
  checks.equal('a group has definitions', Object.keys(echo?.inputSchema?.properties ?? {}), ['message']);
  await echoes(connection, 'call_tool', { tool: 'echo' });
}

async function echoes(connection, name, through) {
  const message = { message: 'hello' };
  const { result } = await connection.call(name, name === 'echo' ? message : { ...through, arguments: message });
  checks.true('a call', !result.isError && textOf(result).includes('hello'), result);
}

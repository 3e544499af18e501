// The official TypeScript SDK 1.x against server-everything, directly and through the gateway.

import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

import { Checks } from './checks.mjs';
import { EVERYTHING, gateway, httpGateway } from './programs.mjs';
import { askEverything } from './questions.mjs';
import { NAME, connect } from './sdk1.mjs';
import { OFFER, byBridge, cancelled, negotiated, transparent, withSessions } from './suites.mjs';

const checks = new Checks(NAME);
let direct = {};

await checks.group('direct', async (atEnd) => {
  direct = await askEverything(await connect(EVERYTHING, atEnd));
  checks.true('the server answers', direct['tools/list'].result, direct);
});
await checks.group('stdio, full', async (atEnd) => {
  const connection = await connect(gateway('full', EVERYTHING), atEnd);
  await transparent(checks, connection, direct);
  await cancelled(checks, connection);
});
await checks.group('stdio, full, a client that can be asked', async (atEnd) => {
  const expected = await askedBack(await connect(EVERYTHING, atEnd, { elicitation: {} }));
  const got = await askedBack(await connect(gateway('full', EVERYTHING), atEnd, { elicitation: {} }));
  for (const name of Object.keys(expected)) checks.equal(name, got[name], expected[name]);
});
await checks.group('stdio, resource', async (atEnd) => {
  await withSessions(checks, await connect(gateway('resource', EVERYTHING), atEnd), direct);
});
await checks.group('stdio, resource by its bridge', async (atEnd) => {
  await byBridge(checks, await connect(gateway('resource', EVERYTHING), atEnd), direct);
});
await checks.group('stdio, resource by negotiation', async (atEnd) => {
  // This SDK strips `extensions`, which it does not know; `experimental` survives.
  const connection = await connect(gateway('auto', EVERYTHING), atEnd, { experimental: OFFER });
  await negotiated(checks, connection, direct, 'experimental');
});
await checks.group('http', overHttp);
process.exit(checks.close());

// F3: server-everything has a tool that asks the user, for clients that say they can be asked.
async function askedBack(connection) {
  const questions = [];
  connection.client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params);
    return { action: 'accept', content: { name: 'Ada', check: true } };
  });
  const tools = await connection.tools();
  return { 'tools/list': tools, answer: await connection.call('trigger-elicitation-request', {}), questions };
}

async function overHttp(atEnd) {
  const origin = await httpGateway('resource', EVERYTHING, atEnd);
  await checks.group('http, full by its address', async (atEnd) => {
    const connection = await connect(`${origin}/mcp/full`, atEnd);
    await transparent(checks, connection, direct);
    await cancelled(checks, connection);
  });
  await checks.group('http, resource', async (atEnd) => {
    await withSessions(checks, await connect(`${origin}/mcp`, atEnd), direct);
  });
  await checks.group('http, resource by its address and bridge', async (atEnd) => {
    await byBridge(checks, await connect(`${origin}/mcp/resource`, atEnd), direct);
  });
}

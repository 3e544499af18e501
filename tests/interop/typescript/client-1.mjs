// The official TypeScript SDK 1.x against server-everything, directly and through the gateway.

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
await checks.group('http', overHttp, 120);
process.exit(checks.close());

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

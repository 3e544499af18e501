// The official TypeScript client 2.x: sessions, and the stateless protocol 2026-07-28, over both transports.

import { Checks } from './checks.mjs';
import { withoutTasks } from './eras.mjs';
import { EVERYTHING, gateway, httpGateway } from './programs.mjs';
import { askEverything } from './questions.mjs';
import { NAME, connect } from './sdk2.mjs';
import { OFFER, cancelled, negotiated, onAnotherConnection, stateless, transparent, withSessions } from './suites.mjs';

const PINNED = { mode: { pin: '2026-07-28' } };
const PROBING = { mode: 'auto' };

const checks = new Checks(NAME);
let direct = {};
let ofStateless = {};


await checks.group('direct', async (atEnd) => {
  // server-everything speaks up to 2025-11-25 only, so the direct answers are of that era.
  direct = await askEverything(await connect(EVERYTHING, atEnd));
  checks.true('the server answers', direct['tools/list'].result, direct);
  ofStateless = { ...direct, 'tools/list': withoutTasks(direct['tools/list']) };
});
await checks.group('stdio, sessions, full', async (atEnd) => {
  await transparent(checks, await connect(gateway('full', EVERYTHING), atEnd), direct);
});
await checks.group('stdio, sessions, resource', async (atEnd) => {
  await withSessions(checks, await connect(gateway('resource', EVERYTHING), atEnd), direct);
});
await checks.group('stdio, 2026-07-28 by probing, full', async (atEnd) => {
  const connection = await connect(gateway('full', EVERYTHING), atEnd, PROBING);
  checks.true('speaks 2026-07-28', connection.modern);
  await transparent(checks, connection, ofStateless);
  await cancelled(checks, connection);
});
await checks.group('stdio, 2026-07-28 pinned, resource', async (atEnd) => {
  await stateless(checks, await connect(gateway('resource', EVERYTHING), atEnd, PINNED), ofStateless);
});
await checks.group('stdio, 2026-07-28 pinned, resource by negotiation', async (atEnd) => {
  const options = { ...PINNED, capabilities: { extensions: OFFER } };
  await negotiated(checks, await connect(gateway('auto', EVERYTHING), atEnd, options), ofStateless, 'extensions');
});
await checks.group('http', overHttp);
process.exit(checks.close());

async function overHttp(atEnd) {
  const origin = await httpGateway('resource', EVERYTHING, atEnd);
  await checks.group('http, sessions, resource', async (atEnd) => {
    await withSessions(checks, await connect(`${origin}/mcp`, atEnd), direct);
  });
  await checks.group('http, 2026-07-28 by probing, full by its address', async (atEnd) => {
    const connection = await connect(`${origin}/mcp/full`, atEnd, PROBING);
    checks.true('speaks 2026-07-28', connection.modern);
    await transparent(checks, connection, ofStateless);
    await cancelled(checks, connection);
  });
  await checks.group('http, 2026-07-28 pinned, resource', async (atEnd) => {
    const receipt = await stateless(checks, await connect(`${origin}/mcp`, atEnd, PINNED), ofStateless);
    await onAnotherConnection(checks, await connect(`${origin}/mcp`, atEnd, PINNED), receipt, ofStateless);
  });
}

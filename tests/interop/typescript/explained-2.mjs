// `describe` and `info` with the official TypeScript client 2.x, in both eras.

import { Checks } from './checks.mjs';
import { OFFER, run } from './explained.mjs';
import { NAME, connect } from './sdk2.mjs';

// This SDK wants a schema for the result of a method it does not know. Any will do: answers are read off the wire.
const ANY = { '~standard': { version: 1, vendor: 'interop', validate: (value) => ({ value }) } };

const checks = new Checks(NAME);
// By probing, where a server that speaks sessions only is met with a handshake.
for (const [era, mode] of [['sessions', 'legacy'], ['2026-07-28', 'auto']]) {
  await run(checks, era, {
    connect: (target, atEnd) => connect(target, atEnd, { mode }),
    connectOffering: (target, atEnd) => connect(target, atEnd, { mode, capabilities: { extensions: OFFER } }),
    describe: (connection, params) =>
      connection.ask(() => connection.client.request({ method: 'tools/describe', params }, ANY)),
  });
}
process.exit(checks.close());

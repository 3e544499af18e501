// `describe` and `info` with the official TypeScript SDK 1.x.

import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';

import { Checks } from './checks.mjs';
import { OFFER, run } from './explained.mjs';
import { NAME, connect } from './sdk1.mjs';

const checks = new Checks(NAME);
await run(checks, 'sessions', {
  connect,
  // This SDK strips `extensions`, which it does not know; `experimental` survives.
  connectOffering: (target, atEnd) => connect(target, atEnd, { experimental: OFFER }),
  describe: (connection, params) =>
    connection.ask(() => connection.client.request({ method: 'tools/describe', params }, ResultSchema)),
});
process.exit(checks.close());

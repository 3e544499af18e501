// An MCP server with the tools in a file, which announces when the file is replaced.
//
//   upstream.mjs FILE

import { readFileSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { createInterface } from 'node:readline';

const [file] = process.argv.slice(2);
const read = () => JSON.parse(readFileSync(file, 'utf8'));
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
let tools = read();

const METHODS = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'fixture', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name }) => ({ content: [{ type: 'text', text: `called ${name}` }] }),
};

// The folder, since a file that is replaced is another one.
watch(dirname(file), (_, name) => {
  if (name !== basename(file)) return;
  tools = read();
  send({ method: 'notifications/tools/list_changed' });
});

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = METHODS[method];
  if (answer) send({ id, result: answer(params) });
  else send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
});
lines.on('close', () => process.exit(0));
// The gateway ends while an answer is on its way.
process.stdout.on('error', () => process.exit(0));

// Forty Streamable HTTP sessions at once, by the official TypeScript SDK 1.x: receipts are valid for their own session only.

import { Checks, within } from './checks.mjs';
import { EVERYTHING, httpGateway } from './programs.mjs';
import { connect } from './sdk1.mjs';
import { DESCRIPTIONS } from './suites.mjs';

const SESSIONS = 40;
const TOOLS = {
  echo: (n) => [{ message: `session ${n}` }, `Echo: session ${n}`],
  'get-sum': (n) => [{ a: n, b: 0.5 }, `The sum of ${n} and 0.5 is ${n + 0.5}.`],
};

const checks = new Checks('forty sessions');
await checks.group('http, resource', atOnce);
process.exit(checks.close());

async function atOnce(atEnd) {
  const origin = await httpGateway('resource', EVERYTHING, atEnd);
  const numbers = Array.from({ length: SESSIONS }, (_, n) => n);
  const all = (step) => Promise.all(numbers.map((n) => step(n)));
  const clients = await within(60, all(() => connect(`${origin}/mcp`, atEnd)));
  checks.equal('each has a session of its own', new Set(clients.map((c) => c.transport.sessionId)).size, SESSIONS);

  const lists = await all((n) => clients[n].tools());
  const [first] = lists.map((list) => JSON.stringify(list));
  checks.true('the lists are byte for byte the same', lists.every((list) => JSON.stringify(list) === first));

  const everyOther = (n) => Object.keys(TOOLS)[n % 2];
  const outcomes = async (tool) => (await all((n) => outcome(clients[n], tool(n), n))).join(' ');
  checks.equal('every call before reading is refused', await outcomes(everyOther), repeated('refused'));
  await all((n) => clients[n].read(`${DESCRIPTIONS}?tools=${everyOther(n)}`));
  checks.equal('every session runs what it read', await outcomes(everyOther), repeated('ran'));
  // By now every tool has been read, and by twenty others at that.
  checks.equal('and not what others read', await outcomes((n) => everyOther(n + 1)), repeated('refused'));
  const late = await connect(`${origin}/mcp`, atEnd);
  checks.equal('a late session that read nothing', await outcome(late, 'echo', SESSIONS), 'refused');
}

// 'ran' only with this session's own result: an answer that went astray is neither.
async function outcome(connection, tool, n) {
  const [args, text] = TOOLS[tool](n);
  const answer = await connection.call(tool, args);
  if (answer.result?.structuredContent?.error?.code === 'TOOL_DESCRIPTION_REQUIRED') return 'refused';
  return answer.result?.content?.[0]?.text === text ? 'ran' : JSON.stringify(answer);
}

function repeated(word) {
  return Array(SESSIONS).fill(word).join(' ');
}

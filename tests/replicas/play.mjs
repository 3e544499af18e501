// Conversations of the official TypeScript clients through the proxy, of both eras, one after the other: `play.mjs URL SECONDS`.
//
// Each line says what a client did, and play.py judges it: `begin CLIENT`, `asked CLIENT REQUESTS`, `failed CLIENT WHY`, or
// that a call wrongly `passed` or was `refused`.

import { setTimeout as sleep } from 'node:timers/promises';

import * as sdk1 from './sdk1.mjs';
import * as sdk2 from './sdk2.mjs';

const [url, seconds] = process.argv.slice(2);
const until = Date.now() + 1000 * Number(seconds);

// A conversation that takes longer hangs.
const LONGEST_SECONDS = 30;

const CLIENTS = {
  sdk1: (atEnd) => sdk1.connect(url, atEnd),
  sdk2: (atEnd) => sdk2.connect(url, atEnd),
  stateless: (atEnd) => sdk2.connect(url, atEnd, { mode: { pin: '2026-07-28' } }),
};

await Promise.all(Object.entries(CLIENTS).map(([name, connect]) => play(name, connect)));
process.exit(0);

async function play(name, connect) {
  while (Date.now() < until) {
    const ends = [];
    say('begin', name);
    try {
      const connection = await within(connect((end) => ends.push(end)));
      await within(converse(name, connection));
    } catch (error) {
      say('failed', name, error?.stack ?? error);
    }
    await Promise.allSettled(ends.map((end) => within(end())));
    await sleep(50);
  }
}

async function converse(name, connection) {
  await refused(name, connection, { text: 'hello' });
  for (let round = 0; round < 5; round += 1) {
    await connection.client.listTools();
    const { result, error } = await connection.read('resource:///tool_descriptions?tools=echo');
    if (error) return say('refused', name, `a fetch: ${JSON.stringify(error)}`);
    const { properties } = JSON.parse(result.contents[0].text).echo.inputSchema;
    const receipt = properties.disclosure_receipt?.const;
    for (let call = 0; call < 3; call += 1) {
      const answer = await connection.call('echo', { text: 'hello', ...(receipt && { disclosure_receipt: receipt }) });
      if (answer.error || answer.result.isError) say('refused', name, `echo was fetched: ${JSON.stringify(answer)}`);
    }
    // Another request's receipt is not this one's. In a session, what was delivered there suffices.
    if (receipt && name === 'stateless') await refused(name, connection, { text: 'hello' });
    say('asked', name, 5);
  }
}

// A call whose definition the client does not have.
async function refused(name, connection, args) {
  const { result, error } = await connection.call('echo', args);
  if (error) say('refused', name, `for another reason: ${JSON.stringify(error)}`);
  else if (!JSON.stringify(result).includes('DESCRIPTION_REQUIRED')) say('passed', name, 'echo was not fetched');
}

function within(promise) {
  const late = sleep(1000 * LONGEST_SECONDS, undefined, { ref: false }).then(() => {
    throw new Error(`no end within ${LONGEST_SECONDS} seconds`);
  });
  return Promise.race([promise, late]);
}

function say(event, client, what = '') {
  console.log(`${event} ${client} ${String(what).replaceAll('\n', ' | ')}`.trimEnd());
}

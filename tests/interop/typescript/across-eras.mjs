// What an upstream asks, logs and reports reaches the client, of whichever era either is: the official TypeScript SDKs.
//
// `across-eras.mjs direct [UPSTREAM..]` tries servers and clients alone, `across-eras.mjs gateway [UPSTREAM..]` with
// the gateway between them too. Upstreams, arrangements and cases stand in asking.json.

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { Checks } from './checks.mjs';
import { withoutEra } from './eras.mjs';
import { gateway, httpGateway, listener } from './programs.mjs';
import * as sdk1 from './sdk1.mjs';
import * as sdk2 from './sdk2.mjs';

const TABLE = JSON.parse(readFileSync(new URL('../asking.json', import.meta.url)));
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
// A limit against hangs: what is waited for must come.
const LATE_SECONDS = 20;
// Of one client in one arrangement, which may start a server for each of its requests.
const CLIENT_SECONDS = 300;
const CAN_BE_ASKED = { elicitation: {}, sampling: {}, roots: {} };

// How each client connects, answers, and which era it speaks.
const CLIENTS = {
  'sessions, 1.x': { ...sdk1, era: 'sessions' },
  sessions: { ...second('legacy'), era: 'sessions' },
  stateless: { ...second({ pin: '2026-07-28' }), era: 'stateless' },
};

function second(mode) {
  return { ...sdk2, connect: (target, atEnd, capabilities) => sdk2.connect(target, atEnd, { mode, capabilities }) };
}

const [through, ...names] = process.argv.slice(2);
const checks = new Checks(`${sdk2.NAME}, across eras`, 1800);
for (const upstream of TABLE.upstreams) {
  if (names.length && !names.includes(upstream.name)) continue;
  const places = { '{cache}': process.env.INTEROP_CACHE, '{here}': process.env.INTEROP_HERE };
  const command = upstream.command.map((part) => part.replace(/^\{\w+\}/, (place) => places[place]));
  await checks.group(upstream.name, async (atEnd) => {
    const origin = await listener((port) => [...command, String(port)], atEnd);
    for (const [reached, source] of [['stdio', command], ['http', `${origin}/mcp`]]) {
      const direct = await directly(upstream, reached, source);
      if (through === 'gateway') await byGateway(`${upstream.name}, ${reached}`, source, direct);
    }
  }, 900);
}
process.exit(checks.close());

// Gives the outcomes of each era that the upstream speaks.
async function directly(upstream, reached, source) {
  const outcomes = {};
  for (const [name, client] of Object.entries(CLIENTS).filter(([, { era }]) => upstream.eras.includes(era))) {
    await checks.group(`${upstream.name}, ${reached}, ${name}`, async (atEnd) => {
      outcomes[client.era] = await askAll(client, source, atEnd);
      const mirrored = reached === 'http' && client.era === 'stateless';
      for (const [name, outcome] of Object.entries(outcomes[client.era]))
        checks.equal(name, summary(outcome), expected(name, mirrored));
      await notForEveryone(client, source, atEnd);
    }, CLIENT_SECONDS);
  }
  return outcomes;
}

// By either transport and in either era, clients meet what they would directly.
async function byGateway(place, source, direct) {
  const flags = TABLE.gateway;
  await checks.group(`${place} | http`, async (atEnd) => {
    const origin = await httpGateway('full', source, atEnd, ...flags.http);
    const targets = { stdio: gateway('full', source, ...flags.stdio), http: `${origin}/mcp` };
    for (const [transport, target] of Object.entries(targets))
      for (const [name, client] of Object.entries(CLIENTS))
        await checks.group(`${place} | ${transport}, ${name}`, async (atEnd) => {
          // In the client's own era, where the upstream speaks it.
          const reference = direct[client.era] ?? Object.values(direct)[0];
          for (const [name, outcome] of Object.entries(await askAll(client, target, atEnd)))
            if (name in reference) checks.equal(name, outcome, reference[name]);
            else checks.equal(name, summary(outcome), expected(name));
          await notForEveryone(client, target, atEnd);
        }, CLIENT_SECONDS);
  }, 900);
}

async function askAll(client, target, atEnd) {
  const connection = await connected(client, target, atEnd, 'Ada');
  // Of those who log, some do not know this request and log everything.
  if (client.era === 'sessions') await connection.client.setLoggingLevel('debug').catch(() => {});
  // From here the SDK knows which arguments are headers.
  await connection.tools();
  const outcomes = {};
  for (const each of TABLE.cases)
    if ((each.era ?? client.era) === client.era) outcomes[each.name] = await outcome(connection, each);
  return outcomes;
}

async function outcome(connection, { logged = [], ...each }) {
  connection.forget();
  const answer = withoutEra(await asked(connection, each));
  // In sessions these need not come on the stream of the answer.
  const latest = Date.now() + LATE_SECONDS * 1000;
  while (connection.logs.length < logged.length && Date.now() < latest) await sleep(10);
  const { questions, logs, progress } = connection;
  return { answer, asked: questions.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)), logs, progress };
}

function asked(connection, { prompt, resource, tool, level, arguments: given = {} }) {
  if (prompt) return connection.prompt(prompt, {});
  if (resource) return connection.read(resource);
  const params = { name: tool, arguments: given, ...(connection.modern && level && { _meta: { [LOG_LEVEL]: level } }) };
  return connection.ask(() => connection.sdk.call(connection.client, params, { onprogress: () => {} }));
}

// The texts of an outcome, which are the same in every combination.
function summary({ answer, asked, logs, progress }) {
  return {
    text: text(answer),
    asked: asked.map(({ method, params }) => params.message ?? method),
    logged: logs.map(({ data }) => data),
    progress: progress.map(({ message }) => message),
  };
}

// What a tool, a prompt or a resource says; of an error, all of it.
function text(answer) {
  const { messages, contents, content } = answer.result ?? {};
  const [part] = messages ?? contents ?? content ?? [];
  return part ? (part.content ?? part).text : answer;
}

function expected(name, mirrored = false) {
  const found = TABLE.cases.find((each) => each.name === name);
  const { asked = [], logged = [], progress = [] } = found;
  return { text: (mirrored && found.mirrored) || found.text, asked, logged, progress };
}

// Who asks gets the answer of who was asked, and who cannot be asked is not.
async function notForEveryone(client, target, atEnd) {
  const answer = await (await client.connect(target, atEnd, {})).call('ask', {});
  checks.true('who cannot be asked gets an error', answer.error ?? answer.result.isError, answer);
  if (typeof target !== 'string') return;
  const greeted = async (name) => text(await (await connected(client, target, atEnd, name)).call('ask', {}));
  const people = ['Ada', 'Eve', 'Sam'];
  const greetings = people.map((name) => `Hello ${name}`);
  checks.equal('everyone is greeted by their own name', await Promise.all(people.map(greeted)), greetings);
}

// A client that says its name, knows its friend and keeps its secret.
async function connected(client, target, atEnd, name) {
  const connection = await client.connect(target, atEnd, CAN_BE_ASKED);
  const { answers, said, roots } = TABLE.client;
  client.answer(connection, 'elicitation/create', ({ message }) => {
    const content = { 'Who are you?': { name }, ...answers }[message];
    return content ? { action: 'accept', content } : { action: 'decline' };
  });
  client.answer(connection, 'sampling/createMessage', () => said);
  client.answer(connection, 'roots/list', () => ({ roots }));
  return connection;
}

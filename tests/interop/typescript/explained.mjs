// The suites of `describe` and `info`, before server-everything and @playwright/mcp, over both transports.

import { withoutTasks } from './eras.mjs';
import { EVERYTHING, PLAYWRIGHT, gateway, httpGateway } from './programs.mjs';
import { BAD_ARGUMENTS, CALLS } from './questions.mjs';
import { BRIDGE, asJson, completeDefinitions, minimalList, same, textOf } from './suites.mjs';

const ENTRY_ONLY = ['--set', 'info.tools=entry-only'];
// D1: what `describe` lists at most.
const SHORT_BRIEF = 60;
// Without a browser it fails, with words of its own; through the gateway it has to fail alike.
const PLAYWRIGHT_CALLS = { 'call: browser_close': ['browser_close', {}] };
export const OFFER = { 'io.github.mcp-disclosure/progressive-disclosure': { strategies: ['describe'] } };

const SERVERS = [['everything', EVERYTHING, CALLS], ['playwright', PLAYWRIGHT, PLAYWRIGHT_CALLS]];
// B12: the tool is listed with its schema, so its arguments go unchecked.
const WRONG = 'call: wrong arguments';
const SUITES = [['describe', [], described], ['info', [], informed], ['info', ENTRY_ONLY, entered]];

// `connect(target, atEnd)` gives a connection of this era, to a command line or an address; `connectOffering`
// likewise, of a client that offers `describe`, and `describe(connection, params)` is its `tools/describe`.
export async function run(checks, era, { connect, connectOffering, describe }) {
  const modern = era === '2026-07-28';
  for (const [name, upstream, calls] of SERVERS) {
    const direct = {};
    await checks.group(`${name}, ${era}`, async (atEnd) => {
      const connection = await connect(upstream, atEnd);
      const listed = await connection.tools();
      direct['tools/list'] = modern ? withoutTasks(listed) : listed;
      for (const [call, asked] of Object.entries(calls)) direct[call] = await connection.call(...asked);
      direct[WRONG] = await connection.call(...BAD_ARGUMENTS);
    });
    for (const [strategy, flags, suite] of SUITES) {
      await checks.group(`${name}, ${era}, stdio, ${suite.name}`, async (atEnd) => {
        const connection = await connect(gateway(strategy, upstream, ...flags), atEnd);
        checks.equal('the era', connection.modern, modern);
        await suite(checks, connection, direct, calls);
      });
      await checks.group(`${name}, ${era}, http, ${suite.name}`, async (atEnd) => {
        const connection = await connect(`${await httpGateway(strategy, upstream, atEnd, ...flags)}/mcp`, atEnd);
        checks.equal('the era', connection.modern, modern);
        await suite(checks, connection, direct, calls);
      });
    }
    await checks.group(`${name}, ${era}, stdio, negotiated`, async (atEnd) => {
      const connection = await connectOffering(gateway('auto', upstream), atEnd);
      await negotiated(checks, connection, direct, calls, describe);
    });
  }
}

// D2, D3: a client that offers `describe` is listed names and briefs, and asks for definitions by the method.
async function negotiated(checks, connection, direct, calls, describe) {
  const complete = direct['tools/list'].result.tools;
  const { tools } = (await connection.tools()).result;
  checks.equal('every tool, in order', tools.map(({ name }) => name), complete.map(({ name }) => name));
  const members = new Set(tools.flatMap((tool) => Object.keys(tool)));
  const needed = ['annotations', 'description', 'inputSchema', 'name', 'title'];
  checks.equal('nothing but what it takes to choose', needed.filter((it) => members.has(it)), [...members].sort());
  for (const tool of complete) {
    const { result } = await describe(connection, { name: tool.name });
    const { resultType, ttlMs, cacheScope, ...definition } = result;
    if (connection.modern && definition._meta) delete definition._meta['io.modelcontextprotocol/serverInfo'];
    if (definition._meta && Object.keys(definition._meta).length === 0) delete definition._meta;
    checks.equal(`${tool.name}: the complete definition`, definition, tool);
  }
  const names = complete.map(({ name }) => name).reverse();
  const several = (await describe(connection, { names })).result.tools;
  checks.equal('several, in the order asked', several, [...complete].reverse());
  checks.equal('an unknown tool', (await describe(connection, { name: 'no-such-tool' })).error, {
    code: -32602,
    message: 'Unknown tool: no-such-tool',
  });
  for (const [call, asked] of Object.entries(calls)) {
    same(checks, call, await connection.call(...asked), direct[call], connection);
  }
}

// D7: short briefs, and a tool that describes; nothing has to be described before a call.
async function described(checks, connection, direct, calls) {
  minimalList(checks, await connection.tools(), direct, { briefLength: SHORT_BRIEF, inlines: true, kept: ['title'] });
  for (const [call, asked] of Object.entries(calls)) {
    same(checks, `${call}, undescribed`, await connection.call(...asked), direct[call], connection);
  }
  const names = Object.values(calls).map(([tool]) => tool);
  const { result } = await connection.call(BRIDGE, { names });
  checks.equal('text and structured content agree', asJson(textOf(result)), result.structuredContent);
  completeDefinitions(checks, result.structuredContent ?? {}, direct, names, { bridged: true });
  const unknown = (await connection.call(BRIDGE, { names: ['no-such-tool'] })).result.structuredContent;
  checks.equal('an unknown name', unknown['no-such-tool'].error, "Tool 'no-such-tool' not found");
  if (calls === CALLS) same(checks, WRONG, await connection.call(...BAD_ARGUMENTS), direct[WRONG], connection);
}

// I1 to I7 with stubs: every tool in a line, and one that explains.
async function informed(checks, connection, direct, calls) {
  const listed = await connection.tools();
  minimalList(checks, listed, direct, { ours: ['info'], inlines: true });
  await threeLevels(checks, connection, listed.result.tools.at(-1), direct);
  for (const [call, asked] of Object.entries(calls)) {
    same(checks, call, await connection.call(...asked), direct[call], connection);
  }
  if (calls === CALLS) same(checks, WRONG, await connection.call(...BAD_ARGUMENTS), direct[WRONG], connection);
}

// I7 without them: the tool that explains, and one that runs.
async function entered(checks, connection, direct, calls) {
  const invoke = (tool, args) => connection.call('invoke', { tool, arguments: args });
  const { tools } = (await connection.tools()).result;
  checks.equal('two tools', tools.map(({ name }) => name), ['info', 'invoke']);
  await threeLevels(checks, connection, tools[0], direct);
  for (const [call, asked] of Object.entries(calls)) {
    same(checks, call, await invoke(...asked), direct[call], connection);
  }
  if (calls === CALLS) refusedArguments(checks, await invoke(...BAD_ARGUMENTS));
}

// I1 to I5: the overview leads to categories, those to tools, and those say what they take.
async function threeLevels(checks, connection, info, direct) {
  const ask = async (topic) => {
    const { result } = await connection.call('info', topic === undefined ? {} : { topic });
    checks.equal(`${topic}: text and structured content agree`, asJson(textOf(result)), result.structuredContent);
    return result.structuredContent;
  };
  const complete = direct['tools/list'].result.tools;
  const overview = await ask();
  checks.equal('all tools are counted', overview.total_tools, complete.length);
  const names = [];
  for (const [category, { count }] of Object.entries(overview.categories)) {
    const named = info.description.includes(`${category} (${count})`);
    checks.true(`${category} is named where a model looks first`, named, info.description);
    const lines = (await ask(category)).tools;
    checks.equal(`${category}: its count`, lines.length, count);
    names.push(...lines.map(({ name }) => name));
  }
  checks.equal('every tool is in a category', names.sort(), complete.map(({ name }) => name).sort());
  for (const { name, inputSchema } of complete) {
    const { parameters } = await ask(`tool:${name}`);
    const given = Object.keys(parameters).filter((key) => parameters[key].required);
    const { properties = {}, required = [] } = inputSchema;
    checks.equal(`${name}: its parameters`, Object.keys(parameters).sort(), Object.keys(properties).sort());
    checks.equal(`${name}: what must be given`, given.sort(), [...required].sort());
  }
  const unknown = (await connection.call('info', { topic: 'no-such-topic' })).result;
  const received = [unknown.isError, unknown.structuredContent.error];
  checks.equal('an unknown topic', received, [true, 'Unknown topic: no-such-topic']);
}

// F5: wrong arguments are named, and the tool does not run.
function refusedArguments(checks, { result }) {
  checks.equal('wrong arguments', [result?.isError, result?.structuredContent?.error?.code], [true, 'INVALID_ARGUMENTS']);
}

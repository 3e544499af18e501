// Tasks of server-everything's tool that runs in no other way: by the official SDKs of 2025-11-25, and by the official package of the
// extension in 2026-07-28, each over stdio and HTTP; with a question, where the client has the server to itself.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createTaskSessionFromClient } from '@modelcontextprotocol/ext-tasks/client';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

import { Checks } from './checks.mjs';
import { EVERYTHING, gateway, httpGateway, installed } from './programs.mjs';
import * as sdk1 from './sdk1.mjs';
import * as sdk2 from './sdk2.mjs';

const TOOL = 'simulate-research-query';
const EXTENSION = 'io.modelcontextprotocol/tasks';
const ANSWER = { action: 'accept', content: { interpretation: 'snake' } };
const ELICITATION = { elicitation: { form: {} } };
const OWN = ['--upstream-scope', 'session'];

const checks = new Checks(`tasks, ext-tasks ${installed('@modelcontextprotocol/ext-tasks')}`);
await checks.group('a session, directly', (atEnd) => withSession(EVERYTHING, atEnd, true));
await checks.group('a session, stdio', (atEnd) => withSession(gateway('full', EVERYTHING), atEnd, true));
await checks.group('a session, HTTP', async (atEnd) => withSession(`${await httpGateway('full', EVERYTHING, atEnd, ...OWN)}/mcp`, atEnd, true));
await checks.group('a session, shared', async (atEnd) => withSession(`${await httpGateway('full', EVERYTHING, atEnd)}/mcp`, atEnd, false));
for (const [strategy, ...lesson] of [['resource', 'describe_tools', { names: [TOOL] }], ['describe'], ['info']])
  await checks.group(strategy, async (atEnd) => withSession(gateway(strategy, EVERYTHING), atEnd, true, lesson));
for (const strategy of ['search', 'groups'])
  await checks.group(strategy, async (atEnd) => waitedFor(gateway(strategy, EVERYTHING), atEnd));
await checks.group('cancelled', cancelled);
await checks.group('its server is killed', killed);
await checks.group('without session', async (atEnd) => withoutSession(`${await httpGateway('full', EVERYTHING, atEnd)}/mcp`, atEnd, false));
await checks.group('without session, asked', async (atEnd) => withoutSession(`${await httpGateway('full', EVERYTHING, atEnd, ...OWN)}/mcp`, atEnd, true));
process.exit(checks.close());

// The stream of the SDK: a task is created, its states are told, and its result comes last.
async function withSession(target, atEnd, isAsked, [lesson, about] = []) {
  const { client } = await sdk1.connect(target, atEnd, ELICITATION);
  client.setRequestHandler(ElicitRequestSchema, () => ANSWER);
  const { tools } = await client.listTools();
  checks.equal('it is listed', tools.find(({ name }) => name === TOOL)?.execution, { taskSupport: 'required' });
  if (lesson) await client.callTool({ name: lesson, arguments: about });
  const seen = [];
  const call = { name: TOOL, arguments: { topic: 'python', ambiguous: true } };
  for await (const message of client.experimental.tasks.callToolStream(call)) seen.push(message);
  const kinds = seen.map(({ type }) => type);
  checks.equal('the first', kinds[0], 'taskCreated');
  checks.true('states between', kinds.includes('taskStatus'), kinds);
  const { type, result, error } = seen.at(-1);
  checks.equal('the last', type, 'result', error);
  const text = result?.content?.[0]?.text ?? String(error);
  checks.true('the result', text.includes('Research Report: python'), text);
  if (isAsked) checks.true('the answer reached it', text.includes('snake'), text);
  const listed = await client.experimental.tasks.listTasks();
  checks.equal('the list', listed.tasks.map(({ taskId, status }) => [taskId, status]), [[seen[0].task.taskId, 'completed']]);
}

// Called by another tool, which is no task, it runs as one all the same.
async function waitedFor(target, atEnd) {
  const { client } = await sdk1.connect(target, atEnd, ELICITATION);
  client.setRequestHandler(ElicitRequestSchema, () => ANSWER);
  const inner = { tool: TOOL, arguments: { topic: 'python', ambiguous: true } };
  const { content } = await client.callTool({ name: 'call_tool', arguments: inner });
  checks.true('the result', content[0].text.includes('Research Report: python'), content[0].text);
  checks.true('the answer reached it', content[0].text.includes('snake'), content[0].text);
}

async function cancelled(atEnd) {
  const { client } = await sdk1.connect(gateway('full', EVERYTHING), atEnd, {});
  await client.listTools();
  const call = { name: TOOL, arguments: { topic: 'rust' } };
  const stream = client.experimental.tasks.callToolStream(call);
  const { task } = (await stream.next()).value;
  const { status } = await client.experimental.tasks.cancelTask(task.taskId);
  checks.equal('its state', status, 'cancelled');
  const again = await client.experimental.tasks.cancelTask(task.taskId).catch(({ code }) => code);
  checks.equal('cancelled again', again, -32602);
}

// The task is lost, and the server, which is started again, runs another.
async function killed(atEnd) {
  const folder = mkdtempSync(join(tmpdir(), 'interop-'));
  atEnd(async () => rmSync(folder, { recursive: true }));
  const file = join(folder, 'process');
  const { client } = await sdk1.connect(gateway('full', ['sh', '-c', 'echo $$ > "$0"; exec "$@"', file, ...EVERYTHING]), atEnd, {});
  await client.listTools();
  const { task } = (await begun(client, 'rust').next()).value;
  process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
  let lost;
  do lost = await client.experimental.tasks.getTask(task.taskId); while (lost.status === 'working');
  checks.equal('its state', lost.status, 'failed');
  checks.true('the reason', lost.statusMessage?.includes('upstream'), lost);
  const seen = [];
  for await (const message of begun(client, 'python')) seen.push(message);
  checks.equal('another', seen.at(-1).type, 'result', seen.at(-1).error);
  const listed = await client.experimental.tasks.listTasks();
  checks.equal('both', listed.tasks.map(({ status }) => status), ['failed', 'completed']);
}

function begun(client, topic) {
  return client.experimental.tasks.callToolStream({ name: TOOL, arguments: { topic } });
}

// The package of the extension sends its requests by itself, since the client reads no tasks.
async function withoutSession(address, atEnd, isAsked) {
  const clientCapabilities = { ...(isAsked ? ELICITATION : {}), extensions: { [EXTENSION]: {} } };
  const { client } = await sdk2.connect(address, atEnd, { mode: { pin: '2026-07-28' }, capabilities: clientCapabilities });
  const { tools } = await client.listTools();
  checks.true('it is listed', tools.some(({ name }) => name === TOOL), tools);
  const session = createTaskSessionFromClient(client, {
    endpointId: 'interop',
    rawDispatch: (request) => post(address, request),
    v2RequestFraming: { protocolVersion: '2026-07-28', clientInfo: { name: 'interop', version: '1' }, clientCapabilities },
    onInputRequest: async () => ANSWER,
  });
  atEnd(() => session.close());
  const execution = await session.callTool(TOOL, { topic: 'python', ambiguous: isAsked });
  const { outcome } = await execution.settle();
  const text = JSON.stringify(outcome);
  checks.true('the result', text.includes('Research Report: python'), text);
  if (isAsked) checks.true('the answer reached it', text.includes('snake'), text);
  const { client: other } = await sdk2.connect(address, atEnd, { mode: { pin: '2026-07-28' } });
  const listed = (await other.listTools()).tools;
  checks.true('to a client without the extension it is not', !listed.some(({ name }) => name === TOOL), listed);
}

async function post(address, request) {
  const { method, params } = request;
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const named = params.name ?? params.taskId;
  const standard = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...(named && { 'mcp-name': named }) };
  const message = { jsonrpc: '2.0', id: request.id ?? 1, ...request };
  const response = await fetch(address, { method: 'POST', headers: { ...headers, ...standard }, body: JSON.stringify(message) });
  const text = await response.text();
  const data = text.startsWith('{') ? text : text.split('\n').filter((line) => line.startsWith('data: ')).at(-1).slice(6);
  return JSON.parse(data);
}

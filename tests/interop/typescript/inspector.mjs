// The official MCP Inspector's command line, in both eras: every question is a program and a connection of its own.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { Checks } from './checks.mjs';
import { withoutEra } from './eras.mjs';
import { EVERYTHING, gateway, httpGateway, installed } from './programs.mjs';
import { CALLS, LISTS, UNTOUCHED } from './questions.mjs';
import { completeDefinitions, described, minimalList, receiptFor, refused, resourcesBeside } from './suites.mjs';

const VERSIONS = { legacy: '2025-11-25', modern: '2026-07-28' };
const ANSWER_SECONDS = 60;
/** Each run of the Inspector is a client, and leaves a session with an upstream of its own. */
const UNENDED = ['--limit', 'upstreams_per_peer=200'];
const ASKED = ['prompts/list', 'prompt with arguments', 'resource'];
const CALLED = ['call: text', 'call: structured content'];
const QUESTIONS = {
  ...LISTS,
  ...Object.fromEntries(ASKED.map((name) => [name, UNTOUCHED[name]])),
  ...Object.fromEntries(CALLED.map((name) => [name, (connection) => connection.call(...CALLS[name])])),
};

// It keeps files in the home of whoever starts it.
const home = mkdtempSync(join(tmpdir(), 'inspector-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));
const env = { ...process.env, HOME: home, MCP_INSPECTOR_SECRET_STORE: 'memory' };
const installedProgram = (name) => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));

// The same questions as to an SDK's connection.
class Inspector {
  constructor(target, era = 'legacy') {
    this.target = typeof target === 'string' ? ['--transport', 'http', '--server-url', target] : ['--', ...target];
    Object.assign(this, { era, modern: era === 'modern' });
  }

  async ask(method, ...options) {
    // Its own time for the connection is for a machine that does nothing else.
    const patient = ['--connect-timeout', String(ANSWER_SECONDS * 1000)];
    const flags = ['--cli', '--quiet', '--format', 'json', ...patient, '--protocol-era', this.era, '--method', method];
    const command = [installedProgram('mcp-inspector'), ...flags, ...options, ...this.target];
    const ended = promisify(execFile)(installedProgram('node'), command, { env, timeout: ANSWER_SECONDS * 1000 });
    // A tool's result that is an error ends it with a status, and is printed like any other.
    const { stdout, stderr } = await ended.catch((failure) => failure);
    if (!stdout) throw new Error(stderr || `no answer to ${method}`);
    return withoutEra(JSON.parse(stdout));
  }

  handshake = () => this.ask('initialize');
  tools = () => this.ask('tools/list');
  call = (name, args) => this.ask('tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args));
  prompts = () => this.ask('prompts/list');
  prompt = (name, args) => {
    const pairs = Object.entries(args).map((pair) => pair.join('='));
    return this.ask('prompts/get', '--prompt-name', name, '--prompt-args', ...pairs);
  };
  resources = () => this.ask('resources/list');
  read = (uri) => this.ask('resources/read', '--uri', uri);
  templates = () => this.ask('resources/templates/list');
}

const checks = new Checks(`inspector ${installed('@modelcontextprotocol/inspector')}`);
let direct = {};
await checks.group('direct', async () => {
  direct = await answers(new Inspector(EVERYTHING));
  checks.true('the server answers', direct['tools/list'].result, direct);
});
// Receipts are to be good for the next process too.
const key = join(home, 'key');
writeFileSync(key, randomBytes(32));
await suites('stdio', gateway('full', EVERYTHING), gateway('resource', EVERYTHING, '--receipt-key-file', key));
await checks.group('http', async (atEnd) => {
  // With upstreams of its own: server-everything lists one tool to those alone whom it can ask for their roots.
  const origin = await httpGateway('resource', EVERYTHING, atEnd, '--upstream-scope', 'session', ...UNENDED);
  await suites('http', `${origin}/mcp/full`, `${origin}/mcp/resource`);
});
process.exit(checks.close());

async function suites(transport, full, resource) {
  for (const [era, version] of Object.entries(VERSIONS)) {
    const known = era === 'modern' ? withoutExecution(direct) : direct;
    await checks.group(`${transport}, ${version}, full`, () => transparent(new Inspector(full, era), known, version));
    await checks.group(`${transport}, ${version}, resource`, () => disclosed(new Inspector(resource, era), known));
  }
}

// The Inspector prints of a tool what the revision has, and 2026-07-28 has no `execution`.
function withoutExecution({ 'tools/list': { result }, ...others }) {
  const tools = result.tools.map(({ execution, ...tool }) => tool);
  return { ...others, 'tools/list': { result: { ...result, tools } } };
}

async function answers(inspector) {
  const pairs = Object.entries(QUESTIONS).map(async ([name, ask]) => [name, await ask(inspector)]);
  return Object.fromEntries(await Promise.all(pairs));
}

async function transparent(inspector, direct, version) {
  checks.equal('the revision', (await inspector.handshake()).result.protocolVersion, version);
  for (const [name, answer] of Object.entries(await answers(inspector))) checks.equal(name, answer, direct[name]);
}

// A session ends with its question, so what was read authorizes nothing; a receipt does.
async function disclosed(inspector, direct) {
  minimalList(checks, await inspector.tools(), direct);
  await resourcesBeside(checks, inspector, direct);
  const [tool, args] = CALLS['call: text'];
  const reason = inspector.modern ? 'MISSING' : undefined;
  refused(checks, 'a call before reading', await inspector.call(tool, args), tool, reason);
  const definitions = await described(checks, inspector, tool);
  completeDefinitions(checks, definitions, direct, [tool], { receipts: inspector.modern });
  const { result } = await inspector.call('describe_tools', { names: [tool] });
  completeDefinitions(checks, result.structuredContent ?? {}, direct, [tool], { receipts: inspector.modern, bridged: true });
  const receipt = { disclosure_receipt: receiptFor(definitions, tool) };
  const answer = await inspector.call(tool, { ...args, ...(inspector.modern && receipt) });
  if (inspector.modern) checks.equal('a call with the receipt', answer, direct['call: text']);
  else refused(checks, 'a call in another session', answer, tool);
}

// Prints how the lists of real servers differ between published versions, as the table of docs/drafts.md.
//
//   node tests/recordings/revisions.mjs
//
//   RECORDINGS_CACHE  where the servers are installed, once; else target/recordings

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const target = fileURLToPath(new URL('../../target/recordings', import.meta.url));
const CACHE = join(resolve(process.env.RECORDINGS_CACHE ?? target), 'revisions');
const LIST_SECONDS = 60;

// Each package with its command, and versions: about half a year ago, the last but one, and the newest.
const SERVERS = [
  ['@modelcontextprotocol/server-everything', 'mcp-server-everything', [], ['2026.1.14', '2026.8.18', '2026.8.31']],
  ['@modelcontextprotocol/server-filesystem', 'mcp-server-filesystem', [CACHE], ['2026.1.14', '2026.7.10', '2026.8.31']],
  ['@playwright/mcp', 'playwright-mcp', [], ['0.0.68', '0.0.82', '0.0.83']],
  ['chrome-devtools-mcp', 'chrome-devtools-mcp', [], ['0.20.0', '1.10.1', '1.11.0']],
];

mkdirSync(CACHE, { recursive: true });
console.log('| server | from | to | tools | added | removed | changed | bytes of the list | bytes to fetch |');
console.log('|---|---|---|---:|---:|---:|---:|---:|---:|');
for (const [name, command, args, versions] of SERVERS) {
  const lists = [];
  for (const version of versions) lists.push(await tools(install(name, version, command), args));
  const [, , now] = lists;
  for (const [at, before] of lists.slice(0, 2).entries()) {
    const added = now.filter((tool) => !named(before, tool));
    const removed = before.filter((tool) => !named(now, tool));
    const changed = now.filter((tool) => named(before, tool) && text(named(before, tool)) !== text(tool));
    const counts = [now.length, added.length, removed.length, changed.length, bytes(now), bytes([...added, ...changed])];
    console.log(`| ${[name, versions[at], versions[2], ...counts].join(' | ')} |`);
  }
}

// Installs a version in a folder of its own; gives the path of its command.
function install(name, version, command) {
  const folder = join(CACHE, `${command}-${version}`);
  const program = join(folder, 'node_modules', '.bin', command);
  if (!existsSync(program)) {
    const flags = ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder];
    execFileSync('npm', [...flags, `${name}@${version}`], { stdio: ['ignore', 'inherit', 'inherit'] });
  }
  return program;
}

// What a server lists, on all pages.
async function tools(program, args) {
  const server = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const late = setTimeout(() => server.kill(), LIST_SECONDS * 1000);
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const ask = async (id, method, params) => {
    send({ id, method, params });
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${program} ended without an answer to ${method}`);
      const message = JSON.parse(value);
      if (message.id === id && !message.method) return message.result;
    }
  };
  const clientInfo = { name: 'revisions', version: '1' };
  await ask(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  send({ method: 'notifications/initialized' });
  const all = [];
  for (let [id, cursor] = [1, undefined]; ; id += 1) {
    const page = await ask(id, 'tools/list', { cursor });
    all.push(...page.tools);
    cursor = page.nextCursor;
    if (!cursor) break;
  }
  clearTimeout(late);
  server.kill();
  return all;
}

function named(list, { name }) {
  return list.find((tool) => tool.name === name);
}

function bytes(list) {
  return list.reduce((sum, tool) => sum + Buffer.byteLength(text(tool)), 0);
}

// With keys in order, as a digest is of.
function text(value) {
  const ordered = (_, value) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value;
  return JSON.stringify(value, ordered);
}

// Gateways that reach each other through npm `mcp-remote`: one that leads back to itself is found, and not tried again; stacks
// work, and the one behind is asked for complete lists.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Checks } from './checks.mjs';
import { EVERYTHING, gateway, httpGateway, installed, listener } from './programs.mjs';
import * as sdk1 from './sdk1.mjs';

const REMOTE = `${process.env.INTEROP_CACHE}/node/node_modules/mcp-remote/dist/proxy.js`;
const SECONDS = 60;

const checks = new Checks(`mcp-remote ${installed('mcp-remote')}, circles`);
await checks.group('a circle', circle);
await checks.group('a circle without environment', (atEnd) => circle(atEnd, 'env -i'));
await checks.group('a stack', stack);
process.exit(checks.close());

// A gateway over HTTP, one of whose upstreams leads back to it.
async function circle(atEnd, wrapper = 'env') {
  const folder = temporary(atEnd);
  const before = readFileSync(process.env.INTEROP_LOG, 'utf8').length;
  const origin = await listener((port) => {
    const back = remote(`http://127.0.0.1:${port}/mcp`, folder).map(quoted).join(' ');
    const script = `echo started >> ${quoted(join(folder, 'starts'))}; exec ${wrapper} ${back}`;
    const servers = { back: { command: 'sh', args: ['-c', script] }, there: { command: EVERYTHING[0], args: ['stdio'] } };
    const file = join(folder, 'servers.json');
    writeFileSync(file, JSON.stringify({ mcpServers: servers }));
    const http = ['--transport', 'http', '--listen', `127.0.0.1:${port}`];
    return [process.env.MCP_DISCLOSURE_BIN, 'serve', '--strategy', 'full', '--mcp-config', file, ...http];
  }, atEnd);
  const logged = () => readFileSync(process.env.INTEROP_LOG, 'utf8').slice(before);
  const last = /upstream failed, .*$/m;
  for (let waited = 0; waited < SECONDS * 10 && !last.test(logged()); waited += 1) await sleep(100);
  const line = logged().match(last)?.[0] ?? 'nothing';
  checks.true('it is found', line.includes('the upstreams lead in a circle'), line);
  checks.true('it is not tried again', line.includes('is not restarted'), line);
  const { tools } = (await (await sdk1.connect(`${origin}/mcp`, atEnd, {})).tools()).result;
  checks.true('the other upstream is served', tools.some(({ name }) => name === 'echo'), tools);
  checks.equal('starts', readFileSync(join(folder, 'starts'), 'utf8').trim().split('\n').length, 1);
}

// One gateway before another, of which each discloses by itself to other clients.
async function stack(atEnd) {
  const behind = await httpGateway('resource', EVERYTHING, atEnd);
  const front = gateway('full', remote(`${behind}/mcp`, temporary(atEnd)));
  const { tools } = (await (await sdk1.connect(front, atEnd, {})).tools()).result;
  const echo = tools.find(({ name }) => name === 'echo');
  checks.true('definitions are complete', 'message' in (echo?.inputSchema?.properties ?? {}), echo);
  checks.true('the bridge of the one behind is not listed', !tools.some(({ name }) => name === 'describe_tools'));
}

function remote(url, home) {
  return ['env', `HOME=${home}`, process.execPath, REMOTE, url, '--allow-http'];
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function temporary(atEnd) {
  const folder = mkdtempSync(join(tmpdir(), 'circles-'));
  atEnd(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

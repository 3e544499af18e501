// A6: upstreams behind OAuth. The program signs in to a real authorization server, in front of a real MCP server.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Checks, within } from './checks.mjs';
import { listener } from './programs.mjs';
import * as sdk1 from './sdk1.mjs';
import { SERVICE, browse, servers } from './sign-in-servers.mjs';

const PROGRAM = process.env.MCP_DISCLOSURE_BIN;
const OURS = 'Bearer a-token-of-the-client';

const checks = new Checks('sign in');
const home = mkdtempSync(join(tmpdir(), 'sign-in-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));
await checks.group('a person', aPerson);
await checks.group('two processes', twoProcesses);
await checks.group('another machine', anotherMachine);
await checks.group('a service', aService);
process.exit(checks.close());

async function aPerson(atEnd) {
  const scene = await sceneOf('person', atEnd, 3600);
  const origin = await serving(scene, atEnd);
  const waiting = await sdk1.connect(`${origin}/mcp`, atEnd);
  checks.equal('before: no tools', await names(waiting), []);
  const before = await run(scene, 'check', '--config', scene.config);
  checks.true('check names the command', before.out.includes(`login --config ${scene.config} notes`), before.out);

  const login = await signIn(scene);
  checks.equal('login succeeds', login.code, 0);
  checks.true('login says for how long, and what was granted', /valid for 59 minutes.*read/s.test(login.out), login.out);
  checks.equal('files are private', modes(scene), ['600', '600', '700']);
  await until('tools come without a restart', async () => (await names(waiting)).includes('whoami'));
  checks.equal('a call', await whoami(waiting), 'ann: read');

  // One tool needs more than was granted.
  const scopes = (await waiting.call('add', {})).error.message;
  checks.true('a tool that needs more says so', / notes --scope read --scope write'/.test(scopes), scopes);
  checks.equal('the others still work', await whoami(waiting), 'ann: read');
  checks.equal('login for more', (await signIn(scene, undefined, '--scope', 'write')).code, 0);
  checks.equal('the tool works', (await waiting.call('add', {})).result?.content[0].text, 'added');

  // Another client, with a token of its own: it is served by the same sign-in, and its token stays here.
  const answer = await raw(origin, OURS);
  checks.true('another client is served by the same sign-in', answer.includes('ann: read write'), answer);
  checks.true('its own token goes nowhere', !scene.seen.some(({ authorization }) => authorization === OURS));
  const second = await serving(scene, atEnd);
  checks.equal('another process', await whoami(await sdk1.connect(`${second}/mcp`, atEnd)), 'ann: read write');
  const check = await run(scene, 'check', '--config', scene.config);
  checks.true('check says who is signed in', /notes.*valid for .*scopes: read/s.test(check.out), check.out);

  // The person withdraws the grant.
  const { tokens, client } = kept(scene);
  await fetch(`${scene.origin}/token/revocation`, {
    method: 'POST',
    body: new URLSearchParams({ token: tokens.refresh_token, client_id: client }),
  });
  const refused = await refusal(waiting);
  checks.true('a call says which command to run', refused.includes(`mcp-disclosure login --config ${scene.config} notes`), refused);
  checks.equal('login again', (await signIn(scene)).code, 0);
  await until('calls work again without a restart', async () => (await refusal(waiting)) === undefined);

  const secrets = [tokens.access_token, tokens.refresh_token, kept(scene).tokens.access_token];
  const said = [login.out, login.error, check.out, readFileSync(process.env.INTEROP_LOG ?? '/dev/null', 'utf8'), refused].join('');
  checks.true('no token is shown', !secrets.some((secret) => said.includes(secret)));
  checks.equal('logout', (await run(scene, 'logout', '--config', scene.config, 'notes')).code, 0);
  checks.equal('nothing is kept', readdirSync(scene.folder).filter((name) => name.endsWith('.json')), []);
}

// Access tokens live 4 s, and a refresh token that is used twice ends the grant.
async function twoProcesses(atEnd) {
  const scene = await sceneOf('two', atEnd, 4);
  checks.equal('login', (await signIn(scene)).code, 0);
  const [one, other] = await Promise.all([serving(scene, atEnd), serving(scene, atEnd)]);
  const clients = await Promise.all([one, one, other, other].map((origin) => sdk1.connect(`${origin}/mcp`, atEnd)));
  const refreshed = () => scene.granted.filter(({ type }) => type === 'refresh_token').map(({ at }) => at);
  await until('the tools are there', async () => (await Promise.all(clients.map(names))).every((all) => all.includes('whoami')));
  const from = refreshed().length;
  let calls = 0;
  await until('three generations of tokens', async () => {
    const answers = await Promise.all(clients.map(whoami));
    calls += answers.length;
    const others = answers.filter((answer) => answer !== 'ann: read');
    if (others.length) throw new Error(`a call got ${others[0]}`);
    return refreshed().length >= from + 3;
  });
  checks.true('every call was answered', calls >= 6, `${calls}`);
  // Both processes need a new token at once, so a second refresh would follow at once; a token in use is fresh for 2 s.
  const apart = refreshed().map((at, index, all) => at - (all[index - 1] ?? -Infinity));
  checks.true('each generation is got by one process', apart.every((time) => time > 1000), `${apart}`);
}

async function anotherMachine(atEnd) {
  const scene = await sceneOf('remote', atEnd, 3600);
  const login = await signIn(scene, async (child, address) => {
    const strange = new URL(address);
    strange.searchParams.set('state', 'of-another-attempt');
    const turned = await fetch(strange);
    checks.equal('a callback with another state is turned away', turned.status, 400);
    child.stdin.write(`${strange}\n`);
    child.stdin.write(`${address}\n`);
  });
  checks.equal('the address can be pasted', login.code, 0);
  checks.true('one of another attempt cannot', login.out.includes('is not of this attempt'), login.out);
  const denied = await signIn(scene, async (_, address) => {
    const refusing = new URL(address);
    refusing.searchParams.delete('code');
    refusing.searchParams.set('error', 'access_denied');
    refusing.searchParams.set('error_description', 'no \u001b[31mluck');
    await fetch(refusing);
  });
  checks.equal('a refusal is a failure', denied.code, 1);
  checks.true('it is shown, escaped', /access_denied: no \S*\[31mluck/.test(denied.error) && !denied.error.includes('\u001b'), denied.error);
}

async function aService(atEnd) {
  const oauth = `grant = "client_credentials"\nclient_id = "${SERVICE.id}"\nclient_secret = "\${SERVICE_SECRET}"\nscopes = ["read"]`;
  const scene = await sceneOf('service', atEnd, 4, oauth);
  process.env.SERVICE_SECRET = SERVICE.secret;
  const client = await sdk1.connect(`${await serving(scene, atEnd)}/mcp`, atEnd);
  await until('it signs in by itself', async () => (await names(client)).includes('whoami'));
  checks.equal('a call', await whoami(client), `${SERVICE.id}: read`);
  const grants = () => scene.granted.filter(({ type }) => type === 'client_credentials').length;
  await until('and again when a token ends', async () => (await whoami(client)) === `${SERVICE.id}: read` && grants() >= 3);
  process.env.SERVICE_SECRET = 'another';
  const refused = await run({ ...scene, env: { XDG_CONFIG_HOME: join(home, 'nowhere') } }, 'login', '--config', scene.config, 'notes');
  checks.true('a wrong secret is refused', refused.code === 1 && /invalid_client/.test(refused.error), refused.error);
}

// Servers, a configuration that names them, and folders of its own.
async function sceneOf(name, atEnd, seconds, oauth) {
  const scene = await servers(atEnd, seconds);
  const config = join(home, `${name}.toml`);
  writeFileSync(config, `[upstreams.notes]\nurl = "${scene.url}"\n${oauth ? `[upstreams.notes.oauth]\n${oauth}\n` : ''}`);
  const env = { XDG_CONFIG_HOME: join(home, name, 'config'), XDG_CACHE_HOME: join(home, name, 'cache') };
  return { ...scene, config, env, folder: join(env.XDG_CONFIG_HOME, 'mcp-disclosure', 'sign-in') };
}

async function serving(scene, atEnd) {
  Object.assign(process.env, scene.env);
  const command = (port) => [PROGRAM, '--log', 'trace', 'serve', '--config', scene.config, '--transport', 'http', '--listen', `127.0.0.1:${port}`];
  return listener(command, atEnd);
}

// `login`, with a browser of ours; `coming` gets the address that the browser is sent back to.
async function signIn(scene, coming = (_, address) => fetch(address), ...more) {
  return run(scene, '--log', 'trace', 'login', '--config', scene.config, '--no-browser', ...more, 'notes', async (child, out) => {
    const [url] = out.match(/http:\S+/);
    await coming(child, await browse(url));
  });
}

function run(scene, ...words) {
  const shown = typeof words.at(-1) === 'function' ? words.pop() : undefined;
  const child = spawn(PROGRAM, words, { env: { ...process.env, ...scene.env } });
  let [out, error, browsing] = ['', '', undefined];
  child.stdout.on('data', (data) => {
    out += data;
    if (shown && !browsing && /http:\S+\n/.test(out)) {
      browsing = shown(child, out);
      // It is awaited when the program has ended; a failure before that would end this program as unhandled.
      browsing.catch(() => {});
    }
  });
  child.stderr.on('data', (data) => (error += data));
  const ended = new Promise((resolve) => child.on('close', (code) => resolve(code)));
  return within(60, ended.then(async (code) => (await browsing, { code, out, error })));
}

async function names(connection) {
  return (await connection.tools()).result.tools.map(({ name }) => name);
}

async function whoami(connection) {
  const { result, error } = await connection.call('whoami', {});
  return result ? result.content[0].text : error.message;
}

// Why a call is refused; nothing if it is not.
async function refusal(connection) {
  const text = await whoami(connection);
  return text.startsWith('ann:') ? undefined : text;
}

// A stateless call with a header of the client's own.
async function raw(origin, authorization) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: {
      authorization,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'whoami',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami', arguments: {}, _meta: meta } }),
  });
  return response.text();
}

function kept({ folder }) {
  const file = readdirSync(folder).find((name) => name.endsWith('.json'));
  const { credentials } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  return { tokens: credentials.token_response, client: credentials.client_id };
}

function modes({ folder }) {
  const mode = (path) => (statSync(path).mode & 0o777).toString(8);
  return [...readdirSync(folder).map((name) => mode(join(folder, name))), mode(folder)];
}

async function until(name, holds, seconds = 40) {
  const latest = Date.now() + seconds * 1000;
  while (!(await holds())) {
    if (Date.now() > latest) return checks.fail(name, `not within ${seconds} s`);
    await sleep(1000);
  }
  checks.true(name, true);
}

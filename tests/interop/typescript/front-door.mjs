// From 401 to a call: the official TypeScript SDK's OAuth client, against a gateway whose callers an authorization server
// signs in (docs/access.md). Two users, each with tools of its own under every strategy.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Checks } from './checks.mjs';
import { authorize, issuer } from './issuer.mjs';

const CALLBACK = 'http://127.0.0.1:1/callback';
const STRATEGIES = ['full', 'resource', 'describe', 'info', 'search'];
const USERS = { ann: { own: 'echo', others: 'get-sum' }, bob: { own: 'get-sum', others: 'echo' } };
const ARGUMENTS = { echo: { message: 'hello' }, 'get-sum': { a: 1, b: 2 } };

const checks = new Checks('front door, TypeScript SDK 1.x');

async function run(defer) {
  const port = await freePort();
  const resource = `http://127.0.0.1:${port}/mcp`;
  const server = await issuer(() => resource);
  defer(server.close);
  const folder = mkdtempSync(join(tmpdir(), 'sign-in-'));
  defer(async () => rmSync(folder, { recursive: true }));
  const config = join(folder, 'disclosure.toml');
  writeFileSync(config, settings(server.origin, resource));
  const flags = ['serve', '--config', config, '--transport', 'http', '--listen', `127.0.0.1:${port}`];
  const gateway = spawn(process.env.MCP_DISCLOSURE_BIN, flags, { stdio: ['ignore', 'ignore', 'inherit'] });
  defer(async () => gateway.kill());
  await reachable(resource);

  const metadata = await (await fetch(`http://127.0.0.1:${port}/.well-known/oauth-protected-resource/mcp`)).json();
  checks.equal('the metadata names the issuer', metadata.authorization_servers, [server.origin]);
  checks.equal('and the resource', metadata.resource, resource);

  for (const [user, { own, others }] of Object.entries(USERS)) {
    const provider = new User(user);
    await checks.group(`${user}, from 401`, async () => {
      const first = new StreamableHTTPClientTransport(new URL(resource), { authProvider: provider });
      const refused = await client().connect(first).then(() => 'came in', (error) => error);
      checks.true('is sent to sign in', refused instanceof UnauthorizedError, refused);
      await first.finishAuth(await provider.code);
      checks.true('registered by itself', Boolean(provider.client?.client_id));
    });
    for (const strategy of STRATEGIES) {
      await checks.group(`${user}, ${strategy}`, async (deferred) => {
        const transport = new StreamableHTTPClientTransport(new URL(`${resource}/${strategy}`), { authProvider: provider });
        const connection = client();
        await connection.connect(transport);
        deferred(() => connection.close());
        const { tools } = await connection.listTools();
        checks.true('sees nothing of the other', !JSON.stringify(tools).includes(others), JSON.stringify(tools));
        if (strategy === 'full') {
          checks.equal('has its own tools', tools.map((tool) => tool.name), [own]);
          const result = await connection.callTool({ name: own, arguments: ARGUMENTS[own] });
          checks.true('calls one', !result.isError, result);
        }
        const call = await connection.callTool({ name: others, arguments: ARGUMENTS[others] }).then(
          (result) => result,
          (error) => error,
        );
        checks.true("cannot call the other's", call.isError || call.message?.includes('Unknown tool'), call);
      });
    }
  }
  await checks.group('what is no token', async () => {
    const response = await fetch(resource, { method: 'POST', headers: { authorization: 'Bearer a.b.c' } });
    checks.equal('is refused', response.status, 401);
    checks.true('with a challenge', response.headers.get('www-authenticate')?.includes('invalid_token'));
  });
}

function client() {
  return new Client({ name: 'sign-in', version: '1.0.0' });
}

function settings(origin, resource) {
  const principals = Object.entries(USERS).map(
    ([user, { own }]) => `[[principals]]\nname = "${user}"\nclaims = { groups = "${user}" }\ntools = ["everything/${own}"]\n`,
  );
  return `[auth.jwt]
issuer = "${origin}"
audience = "${resource}"
jwks_url = "${origin}/jwks"
required_scopes = ["tools"]

[upstreams.everything]
command = ${JSON.stringify(process.env.INTEROP_EVERYTHING)}
args = ["stdio"]
inherit_env = true

${principals.join('\n')}`;
}

// A user at a browser, for the SDK.
class User {
  constructor(name) {
    this.name = name;
    this.redirectUrl = CALLBACK;
  }

  get clientMetadata() {
    return {
      client_name: 'sign-in',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  clientInformation() {
    return this.client;
  }

  saveClientInformation(client) {
    this.client = client;
  }

  tokens() {
    return this.saved;
  }

  saveTokens(tokens) {
    this.saved = tokens;
  }

  redirectToAuthorization(url) {
    this.code = authorize(url, this.name, CALLBACK);
  }

  saveCodeVerifier(verifier) {
    this.verifier = verifier;
  }

  codeVerifier() {
    return this.verifier;
  }
}

async function freePort() {
  const probe = createServer();
  await new Promise((listening) => probe.listen(0, '127.0.0.1', listening));
  const { port } = probe.address();
  await new Promise((closed) => probe.close(closed));
  return port;
}

async function reachable(url) {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    if (await fetch(url).then(() => true, () => false)) return;
    await new Promise((later) => setTimeout(later, 50));
  }
  throw new Error('the gateway does not listen');
}

await checks.group('set up', run);
process.exit(checks.close());

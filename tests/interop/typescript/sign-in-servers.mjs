// An authorization server (oidc-provider) and an MCP server that asks it about tokens (the official SDK, by RFC 7662).

import { createServer } from 'node:http';

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { mcpAuthMetadataRouter } from '@modelcontextprotocol/sdk/server/auth/router.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express from 'express';
import Provider from 'oidc-provider';

export const SERVICE = { id: 'nightly', secret: 'a secret of the nightly service' };
const INTROSPECTOR = { id: 'the-server', secret: 'a secret of the server itself' };
const SCOPES = ['read', 'write'];

// Starts both; `seconds` is how long access tokens live.
export async function servers(atEnd, seconds) {
  const [authorization, resource] = [await listening(atEnd), await listening(atEnd)];
  const url = `${resource.origin}/mcp`;
  const granted = [];
  const provider = authorizationServer(authorization.origin, url, seconds);
  provider.on('grant.success', ({ oidc }) => granted.push({ type: oidc.params.grant_type, at: performance.now() }));
  authorization.serve(provider.callback());
  const seen = [];
  resource.serve(await mcpServer(url, authorization.origin, seen));
  return { url, origin: authorization.origin, granted, seen };
}

function authorizationServer(issuer, resource, seconds) {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: SERVICE.id,
        client_secret: SERVICE.secret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
      {
        client_id: INTROSPECTOR.id,
        client_secret: INTROSPECTOR.secret,
        grant_types: [],
        redirect_uris: [],
        response_types: [],
      },
    ],
    scopes: ['openid', 'offline_access', ...SCOPES],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: true },
      introspection: { enabled: true, allowedPolicy: (_, client) => client.clientId === INTROSPECTOR.id },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        // Whoever names no resource gets no token for the server.
        defaultResource: () => undefined,
        getResourceServerInfo(_, asked) {
          if (asked !== resource) throw new Error(`unknown resource ${asked}`);
          return { scope: SCOPES.join(' '), audience: resource, accessTokenFormat: 'opaque', accessTokenTTL: seconds };
        },
      },
      revocation: { enabled: true, allowedPolicy: () => true },
    },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    issueRefreshToken: () => true,
    pkce: { required: () => true },
    // One that is used twice ends the grant, so that nothing that was rotated may be lost.
    rotateRefreshToken: () => true,
    ttl: {
      AccessToken: seconds,
      AuthorizationCode: 60,
      ClientCredentials: seconds,
      Grant: 3600,
      Interaction: 600,
      RefreshToken: 3600,
      Session: 600,
    },
  });
  provider.proxy = false;
  return provider;
}

async function mcpServer(url, issuer, seen) {
  const app = express();
  app.use((request, _, next) => {
    seen.push({ method: request.method, authorization: request.headers.authorization });
    next();
  });
  const metadata = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
  app.use(
    mcpAuthMetadataRouter({ oauthMetadata: metadata, resourceServerUrl: new URL(url), scopesSupported: SCOPES }),
  );
  const requiring = (...requiredScopes) =>
    requireBearerAuth({
      verifier: { verifyAccessToken: (token) => introspected(metadata.introspection_endpoint, token) },
      requiredScopes,
      resourceMetadataUrl: `${new URL(url).origin}/.well-known/oauth-protected-resource/mcp`,
      expectedResource: new URL(url),
    });
  const [reading, writing] = [requiring('read'), requiring(...SCOPES)];
  // More is asked for where it is needed.
  const guard = (request, ...rest) => (request.body?.params?.name === 'add' ? writing : reading)(request, ...rest);
  app.post('/mcp', express.json(), guard, async (request, response) => {
    const server = new McpServer({ name: 'private-notes', version: '1.0.0' });
    server.registerTool('whoami', { description: 'Say who is signed in.' }, ({ authInfo }) => ({
      content: [{ type: 'text', text: `${authInfo.extra.subject}: ${authInfo.scopes.join(' ')}` }],
    }));
    server.registerTool('add', { description: 'Add a note.' }, () => ({ content: [{ type: 'text', text: 'added' }] }));
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    response.on('close', () => server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response, request.body);
  });
  app.all('/mcp', guard, (_, response) => response.sendStatus(405));
  return app;
}

async function introspected(endpoint, token) {
  const basic = Buffer.from(`${INTROSPECTOR.id}:${encodeURIComponent(INTROSPECTOR.secret)}`).toString('base64');
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ token }),
  });
  const found = await response.json();
  if (!found.active) throw new InvalidTokenError('The token is not active');
  return {
    token,
    clientId: found.client_id,
    scopes: (found.scope ?? '').split(' '),
    expiresAt: found.exp,
    resource: new URL([found.aud].flat()[0]),
    extra: { subject: found.sub ?? found.client_id },
  };
}

// A port that is there before what is served on it.
async function listening(atEnd) {
  let answer = (_, response) => response.writeHead(503).end();
  const server = createServer((request, response) => answer(request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => server.close() && server.closeAllConnections());
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    serve: (handler) => {
      answer = handler;
    },
  };
}

// A browser without a screen: signs in, consents, and gives the address that it is sent back to.
export async function browse(start) {
  const cookies = new Map();
  let [url, form] = [new URL(start), undefined];
  for (let step = 0; step < 20; step += 1) {
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      body: form,
      redirect: 'manual',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = cookie.match(/^([^=]+)=([^;]*)/);
      cookies.set(name, value);
    }
    if (response.status >= 300 && response.status < 400) {
      url = new URL(response.headers.get('location'), url);
      form = undefined;
      if (url.pathname === '/callback') return url.href;
      continue;
    }
    const page = await response.text();
    const action = page.match(/<form[^>]*action="([^"]+)"/)?.[1];
    if (!action) throw new Error(`no form on ${url}: HTTP ${response.status} ${page.slice(0, 300)}`);
    form = new URLSearchParams([...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, ...pair]) => pair));
    if (page.includes('name="login"')) form.append('login', 'ann');
    if (page.includes('name="password"')) form.append('password', 'any');
    url = new URL(action, url);
  }
  throw new Error('the browser goes round in circles');
}

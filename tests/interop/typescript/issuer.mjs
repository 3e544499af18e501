// A real authorization server: oidc-provider, with dynamic registration, PKCE and resource indicators, whose users sign in
// as whoever the client hints at.

import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import Provider from 'oidc-provider';

// Starts it for the tokens of one resource; gives its issuer and how to stop it.
export async function issuer(resource) {
  const server = createServer();
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(origin, {
    jwks: { keys: [key('rsa', { modulusLength: 2048 }, 'RS256'), key('ec', { namedCurve: 'P-256' }, 'ES256')] },
    cookies: { keys: ['only for tests'] },
    scopes: ['openid', 'offline_access', 'tools'],
    clientDefaults: { token_endpoint_auth_method: 'none', grant_types: ['authorization_code'] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    extraTokenClaims: (_, token) => ({ groups: [token.accountId] }),
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource(),
        useGrantedResource: () => true,
        getResourceServerInfo: (_, indicator) => {
          if (indicator !== resource()) throw new Error(`unknown resource ${indicator}`);
          return { scope: 'tools', audience: indicator, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } };
        },
      },
    },
  });
  const handle = provider.callback();
  server.on('request', (request, response) => {
    const interacting = request.url.startsWith('/interaction/');
    const handled = interacting ? interact(provider, request, response) : handle(request, response);
    Promise.resolve(handled).catch((error) => response.writeHead(500).end(String(error?.stack ?? error)));
  });
  return { origin, close: () => new Promise((closed) => server.close(closed) && server.closeAllConnections()) };
}

function key(type, options, alg) {
  const { privateKey } = generateKeyPairSync(type, options);
  return { ...privateKey.export({ format: 'jwk' }), kid: alg, alg, use: 'sig' };
}

// Signs in whoever is hinted at, and consents to everything.
async function interact(provider, request, response) {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: params.login_hint } });
  }
  const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  grant.addOIDCScope(params.scope);
  for (const indicator of [params.resource].flat().filter(Boolean)) grant.addResourceScope(indicator, 'tools');
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

// What a browser does: follows redirects with cookies up to the client's own address; gives the code.
export async function authorize(url, user, callback) {
  url.searchParams.set('login_hint', user);
  const cookies = new Map();
  let next = url.href;
  for (let step = 0; step < 12; step += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(next, { redirect: 'manual', headers: cookie ? { cookie } : {} });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = line.match(/^([^=]+)=([^;]*)/);
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (!location) throw new Error(`${next}: ${response.status} ${await response.text()}`);
    next = new URL(location, next).href;
    if (next.startsWith(callback)) {
      const answer = new URL(next).searchParams;
      if (!answer.has('code')) throw new Error(`refused: ${next}`);
      return answer.get('code');
    }
  }
  throw new Error('redirected without an end');
}

// By itself it prints where it is: `node issuer.mjs RESOURCE`.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(`issuer ${(await issuer(() => process.argv[2])).origin}`);
}

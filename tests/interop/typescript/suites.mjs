// The suites, written once and run with each SDK: transparent, resource with sessions, resource without.

import { missingOfEra, withoutEra } from './eras.mjs';
import { BAD_ARGUMENTS, CALLS, NAMES_NOBODY_HAS, UNTOUCHED, askEverything, longCall } from './questions.mjs';

export const DESCRIPTIONS = 'resource:///tool_descriptions';
// What stands for a schema that is withheld (R1), and where the strategy lists some of them (D7).
const PERMISSIVE = { type: 'object', additionalProperties: true };
const WRAPPING = { type: 'object', properties: { arguments: {} } };
export const BRIDGE = 'describe_tools';
const BRIEF_LENGTH = 160;
const INVALID_PARAMS = -32602;
// What a minimal list keeps of a definition beside its name (R1).
const KEPT = ['title', 'annotations', 'icons', 'execution', '_meta'];
// What of a definition is delivered, where the server says it (R4).
const DELIVERED = ['name', 'description', 'inputSchema', 'outputSchema', 'annotations'];
// What of it a bridge delivers (B9).
const BRIDGED = ['name', 'description', 'inputSchema'];
// Slim schemas up to this size are listed, where the strategy lists any (B12).
const CHEAP = 200;

// B9: what a bridge leaves out of these servers' schemas.
const slim = ({ $schema, ...schema }) => schema;

// Under `full` the gateway is not there: every answer equals the direct one.
export async function transparent(checks, connection, direct) {
  const answers = await askEverything(connection);
  for (const [name, expected] of Object.entries(direct)) same(checks, name, answers[name], expected, connection);
  await namesNobodyHas(checks, connection);
}

// Equal to the letter; only where the eras differ, but for what the later one demands.
export function same(checks, name, got, expected, { modern }) {
  checks.equal(name, modern ? withoutEra(got) : got, modern ? withoutEra(expected) : expected);
}

async function namesNobodyHas(checks, connection) {
  for (const [name, ask] of Object.entries(NAMES_NOBODY_HAS)) {
    checks.equal(name, (await ask(connection)).error?.code, INVALID_PARAMS);
  }
}

// F3: a call that the client gave up is not answered, and the connection goes on.
export async function cancelled(checks, connection) {
  const before = connection.answers;
  const abort = new AbortController();
  const options = { signal: abort.signal, onprogress: () => abort.abort('enough') };
  // The first progress comes after a tenth of it; the cancellation has the rest to arrive before the answer.
  const outcome = await longCall(connection, 2, options, 10).then(() => 'answered', () => 'given up');
  checks.equal('a call given up at its first progress', outcome, 'given up');
  // By the end of a longer call the first one would have been answered.
  checks.true('the next call is answered', (await longCall(connection, 2.2)).result);
  checks.equal('the call given up is not', connection.answers - before, 1);
}

// R1: names and briefs of everything, schemas of nothing, or of what is cheap (B12); the tool of ours comes last (F4), if
// there is one.
export function minimalList(checks, answer, direct, options = {}) {
  const { ours = [BRIDGE], briefLength = BRIEF_LENGTH, inlines = false, kept = KEPT } = options;
  const listedSchema = ({ inputSchema }) => {
    if (!inlines) return PERMISSIVE;
    return Buffer.byteLength(JSON.stringify(slim(inputSchema))) <= CHEAP ? slim(inputSchema) : WRAPPING;
  };
  const tools = answer.result.tools;
  const complete = direct['tools/list'].result.tools;
  const names = complete.map((tool) => tool.name);
  checks.equal('every tool, in order, then ours', tools.map((tool) => tool.name), [...names, ...ours]);
  const listed = tools.filter((tool) => names.includes(tool.name));
  checks.equal(
    'schemas, and what a list keeps',
    listed.map((tool) => pick(tool, ['name', 'inputSchema', ...kept])),
    complete.map((tool) => ({ name: tool.name, inputSchema: listedSchema(tool), ...pick(tool, kept) })),
  );
  checks.true('no output schemas', tools.every((tool) => tool.outputSchema === undefined), names);
  const briefs = listed.map((tool) => tool.description ?? '');
  checks.true('briefs', briefs.every((brief) => brief.length > 0 && brief.length <= briefLength), briefs);
}

// R7, R14: the call did not run and the answer says how it will. SDK 1.x holds structured content against
// a listed `outputSchema` even where `isError` is set: a refusal gets through because a minimal list has none.
export function refused(checks, name, answer, tool, reason) {
  const result = answer.result ?? {};
  const error = result.structuredContent?.error ?? {};
  const expected = {
    code: 'TOOL_DESCRIPTION_REQUIRED',
    message: `Tool '${tool}' requires fetching its description before use.`,
    resource_uri: `${DESCRIPTIONS}?tools=${tool}`,
    ...(reason && { reason }),
  };
  checks.equal(name, { isError: result.isError, ...pick(error, Object.keys(expected)) }, { isError: true, ...expected });
  checks.equal(`${name}, also in text`, asJson(textOf(result)), result.structuredContent);
  checks.true(`${name}, with instructions`, error.instructions?.length > 0, error);
}

// R3, R4: reads descriptions; gives them by tool name.
export async function described(checks, connection, ...tools) {
  const uri = `${DESCRIPTIONS}?tools=${tools.join(',')}`;
  const { result } = await connection.read(uri);
  const received = result?.contents.map((content) => pick(content, ['uri', 'mimeType']));
  checks.equal('the address is echoed', received, [{ uri, mimeType: 'application/json' }]);
  return asJson(result?.contents[0]?.text) ?? {};
}

// R4, R14: what was delivered is what the server says of its tools, and with receipts one argument more; over a bridge
// what a call needs (B9).
export function completeDefinitions(checks, definitions, direct, tools, { receipts = false, bridged = false } = {}) {
  checks.equal('only what was asked, in that order', Object.keys(definitions), tools);
  for (const tool of tools) {
    const complete = direct['tools/list'].result.tools.find(({ name }) => name === tool);
    const entry = definitions[tool] ?? {};
    const { inputSchema, receipt } = withoutReceipt(entry.inputSchema ?? {});
    const expected = pick(complete, bridged ? BRIDGED : DELIVERED);
    if (bridged) expected.inputSchema = slim(expected.inputSchema);
    const got = pick({ ...entry, inputSchema }, Object.keys(expected));
    checks.equal(`${tool}: the definition`, got, expected);
    if (bridged) checks.equal(`${tool}: nothing else`, Object.keys(entry).sort(), Object.keys(expected).sort());
    else checks.true(`${tool}: a version`, entry.version, entry);
    checks.true(`${tool}: ${receipts ? 'a' : 'no'} receipt`, Boolean(receipt) === receipts, entry.inputSchema);
  }
}

// A delivered inputSchema as the server's own, and the receipt that was in it.
function withoutReceipt(inputSchema) {
  const { disclosure_receipt: argument, ...properties } = inputSchema.properties ?? {};
  if (argument?.const === undefined || !inputSchema.required?.includes('disclosure_receipt')) return { inputSchema };
  const { required: all, ...bare } = { ...inputSchema, properties };
  const required = all.filter((name) => name !== 'disclosure_receipt');
  // A tool without required arguments has no `required` of its own; `[]` would say the same.
  return { inputSchema: { ...bare, ...(required.length && { required }) }, receipt: argument.const };
}

export const receiptFor = (definitions, tool) => withoutReceipt(definitions[tool]?.inputSchema ?? {}).receipt;

// R2: one resource and one template of ours beside the server's.
export async function resourcesBeside(checks, connection, direct) {
  const { resources } = (await connection.resources()).result;
  const ours = resources.filter(({ uri }) => uri.startsWith(DESCRIPTIONS));
  const theirs = resources.filter((resource) => !ours.includes(resource));
  checks.equal("the server's resources", theirs, direct['resources/list'].result.resources);
  checks.equal('one resource of ours', ours.map((resource) => pick(resource, ['uri', 'name', 'mimeType'])), [
    { uri: DESCRIPTIONS, name: 'Tool Descriptions - Required for tool use', mimeType: 'application/json' },
  ]);
  const { resourceTemplates } = (await connection.templates()).result;
  const ourTemplates = resourceTemplates.filter(({ uriTemplate }) => uriTemplate.startsWith(DESCRIPTIONS));
  const theirTemplates = resourceTemplates.filter((template) => !ourTemplates.includes(template));
  checks.equal("the server's templates", theirTemplates, direct['resources/templates/list'].result.resourceTemplates);
  checks.equal('one template of ours', ourTemplates.map((t) => t.uriTemplate), [`${DESCRIPTIONS}{?tools}`]);
}

async function untouched(checks, connection, direct) {
  await resourcesBeside(checks, connection, direct);
  for (const [name, ask] of Object.entries(UNTOUCHED)) {
    same(checks, name, await ask(connection), direct[name], connection);
  }
  await namesNobodyHas(checks, connection);
}

// `resource` up to 2025-11-25: list, refused call, read, call; the mark is the session's (R8).
export async function withSessions(checks, connection, direct) {
  const instructions = connection.client.getInstructions() ?? '';
  checks.true('the handshake explains it', instructions.includes(BRIDGE), instructions);
  minimalList(checks, await connection.tools(), direct);
  const [tool, args] = CALLS['call: text'];
  refused(checks, 'a call before reading is refused', await connection.call(tool, args), tool);
  completeDefinitions(checks, await described(checks, connection, tool), direct, [tool]);
  checks.equal('after reading it runs', await connection.call(tool, args), direct['call: text']);
  refused(checks, 'another tool is refused still', await connection.call('get-sum', { a: 1, b: 2 }), 'get-sum');
  await wrongArguments(checks, connection);
  const rest = Object.values(CALLS).map(([name]) => name).filter((name) => name !== tool);
  completeDefinitions(checks, await described(checks, connection, ...rest), direct, rest);
  for (const [name, call] of Object.entries(CALLS)) checks.equal(name, await connection.call(...call), direct[name]);
  await unusableReads(checks, connection);
  await untouched(checks, connection, direct);
}

// F5: we withheld the schema, so we check against it, and name the argument.
async function wrongArguments(checks, connection, receipt = {}) {
  const [tool, args] = BAD_ARGUMENTS;
  const { result } = await connection.call(tool, { ...args, ...receipt });
  const text = textOf(result);
  checks.true('wrong arguments are named', result.isError && /message/.test(text) && /string/.test(text), text);
}

// R5, R6: reads that deliver nothing say what to do instead.
async function unusableReads(checks, connection) {
  const unknown = await connection.read(`${DESCRIPTIONS}?tools=no-such-tool`);
  const entry = asJson(unknown.result.contents[0].text)['no-such-tool'];
  checks.equal('an unknown name', entry.error, "Tool 'no-such-tool' not found");
  checks.true('an unknown name: what there is', entry.available_tools?.includes('echo'), entry);
  const { error } = asJson((await connection.read(DESCRIPTIONS)).result.contents[0].text);
  checks.equal('no name', error.code, 'MISSING_TOOL_SELECTION');
}

// R15: a client whose model cannot read resources; a session of its own, so nothing is delivered yet (R8).
export async function byBridge(checks, connection, direct) {
  const [tool, args] = CALLS['call: structured content'];
  refused(checks, 'a new session begins without receipts', await connection.call(tool, args), tool);
  const { result } = await connection.call(BRIDGE, { names: [tool] });
  checks.equal('text and structured content agree', asJson(textOf(result)), result.structuredContent);
  completeDefinitions(checks, result.structuredContent ?? {}, direct, [tool], { bridged: true });
  const answer = await connection.call(tool, args);
  checks.equal('after asking the bridge it runs', answer, direct['call: structured content']);
}

// `resource` on 2026-07-28: the delivered schema carries the receipt, the call brings it back (R14).
export async function stateless(checks, connection, direct) {
  checks.true('speaks 2026-07-28', connection.modern);
  const listed = await connection.tools();
  minimalList(checks, listed, direct);
  checks.equal('the list has what 2026-07-28 requires', missingOfEra(listed), []);
  let receipt;
  for (const name of ['call: text', 'call: image', 'call: structured content']) {
    const [tool, args] = CALLS[name];
    refused(checks, `${tool} without receipt`, await connection.call(tool, args), tool, 'MISSING');
    const definitions = await described(checks, connection, tool);
    completeDefinitions(checks, definitions, direct, [tool], { receipts: true });
    receipt = receiptFor(definitions, tool);
    refused(checks, `${tool}: reading alone is not enough`, await connection.call(tool, args), tool, 'MISSING');
    const answer = await connection.call(tool, { ...args, disclosure_receipt: receipt });
    checks.equal(name, withoutEra(answer), withoutEra(direct[name]));
  }
  await voidReceipts(checks, connection, receipt);
  const delivery = await connection.read(`${DESCRIPTIONS}?tools=get-sum`);
  const shelfLife = pick(delivery.result, ['ttlMs', 'cacheScope']);
  checks.equal('receipts are not cached', shelfLife, { ttlMs: 0, cacheScope: 'private' });
  const { result } = await connection.call(BRIDGE, { names: ['echo'] });
  receipt = receiptFor(result.structuredContent ?? {}, 'echo');
  await wrongArguments(checks, connection, { disclosure_receipt: receipt });
  await untouched(checks, connection, direct);
  return receipt;
}

async function voidReceipts(checks, connection, ofAnotherTool) {
  const [tool, args] = CALLS['call: text'];
  const receipts = { "another tool's": ofAnotherTool, 'an invented': 'abc', 'an empty': '' };
  for (const [name, receipt] of Object.entries(receipts)) {
    const answer = await connection.call(tool, { ...args, disclosure_receipt: receipt });
    refused(checks, `${name} receipt`, answer, tool, 'INVALID');
  }
}

// A receipt is no connection's: any request of the same principal may bring it.
export async function onAnotherConnection(checks, connection, receipt, direct) {
  const [tool, args] = CALLS['call: text'];
  const answer = await connection.call(tool, { ...args, disclosure_receipt: receipt });
  checks.equal('a receipt from another connection', withoutEra(answer), withoutEra(direct['call: text']));
}

// Native negotiation: a client that offers the extension is shown the strategy without its bridge.
export const OFFER = { 'io.github.mcp-disclosure/progressive-disclosure': { strategies: ['resource'] } };

export async function negotiated(checks, connection, direct, where) {
  const answered = connection.client.getServerCapabilities()?.[where]?.[Object.keys(OFFER)[0]];
  checks.equal(`the server answers in ${where}`, answered?.selected, 'resource');
  minimalList(checks, await connection.tools(), direct, { ours: [] });
}

function pick(object, keys) {
  return Object.fromEntries(keys.filter((key) => key in object).map((key) => [key, object[key]]));
}

export const textOf = (result) => result.content?.[0]?.text ?? '';

export function asJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// What a client receives from server-everything, step by step: directly, and through `full`. Prints the table of the steps that
// differ, each with the first place where they do, and why that is so; one that differs for no such reason is a failure.

import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { Checks, difference, within } from './checks.mjs';
import { EVERYTHING, LOG, gateway } from './programs.mjs';

// The steps that differ by design (docs/CONTRACT.md F8).
const REASONS = {
  'initialize': 'capabilities that the gateway adds',
  'tools/list with a cursor': 'nobody gave it',
  'resources/list with a cursor': 'nobody gave it',
  'an operation that is cancelled': 'its progress is dropped',
  'an unknown tool': 'a name that is not listed is an error',
  'a call without params': 'refused as one with empty ones',
  'tasks/list': 'the list is the gateway\'s',
};

const SIMULATED = /-level message|Debug|message/i;

const ELICITED = { action: 'accept', content: { name: 'Ada', check: true } };
const SAID = { role: 'assistant', content: { type: 'text', text: 'hm' }, model: 'm', stopReason: 'endTurn' };
const ANSWERS = {
  'roots/list': { roots: [{ uri: 'file:///home/ada', name: 'home' }] },
  'elicitation/create': ELICITED,
  'sampling/createMessage': SAID,
};

// A connection of the official SDK that sends and takes whole messages.
class Wire {
  static async to([command, ...args]) {
    const wire = new Wire();
    wire.transport = new StdioClientTransport({ command, args, stderr: LOG });
    Object.assign(wire, { heard: [], next: 1 });
    wire.transport.onmessage = (message) => wire.hear(message);
    wire.transport.onerror = () => {};
    await wire.transport.start();
    return wire;
  }

  hear(message) {
    this.heard.push(message);
    if (message.method && 'id' in message) {
      const result = ANSWERS[message.method] ?? {};
      this.transport.send({ jsonrpc: '2.0', id: message.id, result });
    }
    this.waiting?.();
  }

  // The first message of which this is true, received from `from` on.
  async until(is, from = 0, seconds = 30) {
    const found = async () => {
      for (;;) {
        const message = this.heard.slice(from).find(is);
        if (message) return message;
        await new Promise((resolve) => { this.waiting = resolve; });
      }
    };
    return within(seconds, found());
  }

  async ask(method, params, id = this.next++) {
    const from = this.heard.length;
    await this.transport.send({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) });
    await this.until((message) => message.id === id && !message.method, from);
  }

  notify = (method, params) => this.transport.send({ jsonrpc: '2.0', method, ...(params && { params }) });
}

const call = (name, args, more) => (wire) => wire.ask('tools/call', { name, ...(args && { arguments: args }), ...more });
const ask = (method, params) => (wire) => wire.ask(method, params);
const complete = (ref, name, value, context) => ask('completion/complete', { ref, argument: { name, value }, ...(context && { context }) });
const PROMPT = (name) => ({ type: 'ref/prompt', name });
const TEXT = 'demo://resource/dynamic/text/{resourceId}';

const STEPS = {
  'initialize': async (wire) => {
    await wire.ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } },
      clientInfo: { name: 'equal', version: '1' },
    });
    await wire.notify('notifications/initialized');
    // It asks for roots a moment later, and says so.
    await wire.until((message) => message.method === 'roots/list');
    await wire.until((message) => message.method === 'notifications/message');
  },
  'ping': ask('ping'),
  'ping with an id that is a text': (wire) => wire.ask('ping', undefined, 'a text'),
  'tools/list': ask('tools/list'),
  'tools/list with empty params': ask('tools/list', {}),
  'tools/list with a cursor': ask('tools/list', { cursor: 'none' }),
  'echo': call('echo', { message: 'hi' }),
  'echo without arguments': call('echo'),
  'echo with a wrong argument': call('echo', { message: 7 }),
  'echo with one more': call('echo', { message: 'hi', more: 1 }),
  'get-sum': call('get-sum', { a: 1, b: 2.5 }),
  'get-sum with texts': call('get-sum', { a: '1', b: '2' }),
  'get-annotated-message': call('get-annotated-message', { messageType: 'error', includeImage: true }),
  'get-annotated-message of a wrong kind': call('get-annotated-message', { messageType: 'none' }),
  'get-structured-content': call('get-structured-content', { location: 'Chicago' }),
  'get-tiny-image': call('get-tiny-image', {}),
  'get-resource-links': call('get-resource-links', { count: 3 }),
  'get-resource-reference': call('get-resource-reference', { resourceType: 'Text', resourceId: 1 }),
  'get-resource-reference of none': call('get-resource-reference', { resourceType: 'Text', resourceId: -1 }),
  'get-roots-list': call('get-roots-list', {}),
  'trigger-elicitation-request': call('trigger-elicitation-request', {}),
  'trigger-sampling-request': call('trigger-sampling-request', { prompt: 'p', maxTokens: 9 }),
  'an operation with progress': call('trigger-long-running-operation', { duration: 0.3, steps: 3 }, { _meta: { progressToken: 'p' } }),
  'an operation without': call('trigger-long-running-operation', { duration: 0.2, steps: 2 }),
  'an operation that is cancelled': async (wire) => {
    const [from, id] = [wire.heard.length, wire.next++];
    const params = { name: 'trigger-long-running-operation', arguments: { duration: 1, steps: 4 }, _meta: { progressToken: 'c' } };
    await wire.transport.send({ jsonrpc: '2.0', id, method: 'tools/call', params });
    await wire.until((message) => message.method === 'notifications/progress', from);
    await wire.notify('notifications/cancelled', { requestId: id, reason: 'enough' });
    await new Promise((resolve) => setTimeout(resolve, 1500));
  },
  'a cancellation of nothing': async (wire) => {
    await wire.notify('notifications/cancelled', { requestId: 4711 });
    await wire.ask('ping');
  },
  'an unknown tool': call('no-such-tool', {}),
  'a call without a name': ask('tools/call', { arguments: {} }),
  'a call of a number': ask('tools/call', { name: 7 }),
  'a call with arguments that are no object': ask('tools/call', { name: 'echo', arguments: 'text' }),
  'a call without params': ask('tools/call'),
  'a task-augmented call': call('echo', { message: 'hi' }, { task: { ttl: 1000 } }),
  'a tool that needs a task': call('simulate-research-query', { topic: 't' }),
  'tasks/list': ask('tasks/list', {}),
  'tasks/get of none': ask('tasks/get', { taskId: 'none' }),
  'tasks/result of none': ask('tasks/result', { taskId: 'none' }),
  'tasks/cancel of none': ask('tasks/cancel', { taskId: 'none' }),
  'resources/list': ask('resources/list'),
  'resources/list with a cursor': ask('resources/list', { cursor: 'none' }),
  'resources/templates/list': ask('resources/templates/list'),
  'a document': ask('resources/read', { uri: 'demo://resource/static/document/architecture.md' }),
  'a dynamic text': ask('resources/read', { uri: 'demo://resource/dynamic/text/1' }),
  'a dynamic blob': ask('resources/read', { uri: 'demo://resource/dynamic/blob/1' }),
  'a dynamic text of none': ask('resources/read', { uri: 'demo://resource/dynamic/text/none' }),
  'an unknown resource': ask('resources/read', { uri: 'demo://none' }),
  'a read of what is no URI': ask('resources/read', { uri: 'none' }),
  'a read without a URI': ask('resources/read', {}),
  'resources/subscribe': ask('resources/subscribe', { uri: 'demo://resource/dynamic/text/1' }),
  'an update': async (wire) => {
    const from = wire.heard.length;
    await call('toggle-subscriber-updates', {})(wire);
    await wire.until((message) => message.method === 'notifications/resources/updated', from);
    await call('toggle-subscriber-updates', {})(wire);
  },
  'resources/unsubscribe': ask('resources/unsubscribe', { uri: 'demo://resource/dynamic/text/1' }),
  'resources/subscribe without a URI': ask('resources/subscribe', {}),
  'a new resource': async (wire) => {
    const data = 'data:text/plain;base64,aGk=';
    await call('gzip-file-as-resource', { name: 'hi.gz', data, outputType: 'resourceLink' })(wire);
    await wire.until((message) => message.method === 'notifications/resources/list_changed');
    await wire.ask('resources/list');
    await wire.ask('resources/read', { uri: 'demo://resource/session/hi.gz' });
  },
  'prompts/list': ask('prompts/list'),
  'simple-prompt': ask('prompts/get', { name: 'simple-prompt' }),
  'args-prompt': ask('prompts/get', { name: 'args-prompt', arguments: { city: 'Bonn' } }),
  'args-prompt without its argument': ask('prompts/get', { name: 'args-prompt' }),
  'resource-prompt': ask('prompts/get', { name: 'resource-prompt', arguments: { resourceType: 'Text', resourceId: '1' } }),
  'an unknown prompt': ask('prompts/get', { name: 'none' }),
  'a prompt without a name': ask('prompts/get', {}),
  'a completion for a prompt': complete(PROMPT('completable-prompt'), 'department', 'E'),
  'a completion with a context': complete(PROMPT('completable-prompt'), 'name', '', { arguments: { department: 'Sales' } }),
  'a completion for a template': complete({ type: 'ref/resource', uri: TEXT }, 'resourceId', '1'),
  'a completion for an unknown prompt': complete(PROMPT('none'), 'a', ''),
  'a completion without a ref': ask('completion/complete', { argument: { name: 'a', value: '' } }),
  'logging/setLevel, and a message': async (wire) => {
    const from = wire.heard.length;
    await wire.ask('logging/setLevel', { level: 'debug' });
    await call('toggle-simulated-logging', {})(wire);
    await wire.until((message) => message.method === 'notifications/message', from);
    await call('toggle-simulated-logging', {})(wire);
  },
  'logging/setLevel to none': ask('logging/setLevel', { level: 'loud' }),
  'an unknown method': ask('vendor/none', {}),
};

// What a step brought, without what differs from run to run. Notifications may come before or after the response.
function received(wire, from) {
  const decoded = (_, blob) => `"blob":${JSON.stringify(Buffer.from(blob, 'base64').toString('latin1'))}`;
  const plain = (message) => JSON.parse(JSON.stringify(message).replace(/"blob":"([^"]+)"/g, decoded)
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME').replace(/\d{1,2}:\d\d:\d\d( [AP]M)?/g, 'TIME')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID'));
  const rank = (message) => (message.method ? (('id' in message) ? 1 : 0) : 2);
  // Levels and texts of simulated messages are drawn by lot.
  const drawn = (message) => (message.method === 'notifications/message' && SIMULATED.test(message.params.data) ? { method: message.method } : message);
  const messages = wire.heard.slice(from).map(plain).map(drawn).map(({ id, ...message }) => (message.method ? message : { id, ...message }));
  return messages.map((message, at) => [rank(message), at, message]).sort(([a, i], [b, j]) => a - b || i - j).map(([, , message]) => message);
}

async function walked(command) {
  const wire = await Wire.to(command);
  const walk = {};
  for (const [name, step] of Object.entries(STEPS)) {
    const from = wire.heard.length;
    try {
      await step(wire);
      // What was sent before is here.
      await wire.ask('ping', undefined, `fence-${name}`);
      walk[name] = received(wire, from).filter((message) => message.id !== `fence-${name}`);
    } catch (error) {
      walk[name] = [...received(wire, from), { failed: String(error) }];
    }
  }
  await wire.transport.close();
  return walk;
}

const checks = new Checks('equal');
await checks.group('server-everything', async () => {
  const [direct, through] = await Promise.all([walked(EVERYTHING), walked(gateway('full', EVERYTHING))]);
  const names = Object.keys(STEPS);
  const unequal = names.map((name) => [name, difference(through[name], direct[name])]).filter(([, where]) => where);
  for (const [name, where] of unequal) {
    const reason = REASONS[name];
    console.log(`unequal: ${name}: ${reason ?? '?'}: ${where.slice(0, 300)}`);
    if (!reason) checks.fail(name, where);
  }
  const equal = names.length - unequal.length;
  console.log(`${equal} of ${names.length} steps are equal`);
  checks.true('at least 60 of 67', names.length === 67 && equal >= 60, `${equal} of ${names.length}`);
});
process.exit(checks.close());

// A connection to the gateway over stdio, in the era that ERA names.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as after } from 'node:timers/promises';

const ERA = process.env.ERA ?? 'session';
const CHANGE_SECONDS = 20;
const CLIENT = { name: 'portable-suite', version: '1' };

assert.ok(['session', 'stateless'].includes(ERA), `ERA is session or stateless, not ${ERA}`);

// What a request of the stateless era says of its sender.
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': {},
};

function deferred() {
  let resolve;
  const promise = new Promise((fulfil) => (resolve = fulfil));
  return { promise, resolve };
}

export class Connection {
  #program;
  #answers = new Map();
  #sequence = 0;
  #introduction;
  #listChanged = deferred();
  #listening = deferred();

  static async start(program, args, home) {
    const connection = new Connection();
    const env = { HOME: home, PATH: process.env.PATH };
    connection.#program = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: connection.#program.stdout }).on('line', (line) => connection.#receive(JSON.parse(line)));
    connection.#program.on('exit', () => connection.#end());
    await connection.#open();
    return connection;
  }

  // Answers a request of the suite. It introduces itself again, which only the first request of a session may do.
  async relay({ id, method, params }) {
    if (method === 'initialize') return { ...this.#introduction, id };
    return this.#send({ jsonrpc: '2.0', id, method, params });
  }

  // Makes a change, and waits until it is in force: until a changed list is announced.
  async changed(change) {
    const before = await this.#tools();
    const announced = async () => {
      do {
        await this.#listChanged.promise;
        this.#listChanged = deferred();
      } while ((await this.#tools()) === before);
    };
    change();
    const late = new AbortController();
    const timeout = after(CHANGE_SECONDS * 1000, undefined, { signal: late.signal }).then(
      () => assert.fail(`no changed list within ${CHANGE_SECONDS} s`),
      () => {},
    );
    await Promise.race([announced().finally(() => late.abort()), timeout]);
  }

  async close() {
    const exited = this.#program.exitCode === null ? once(this.#program, 'exit') : undefined;
    this.#program.stdin.end();
    await exited;
  }

  async #open() {
    if (ERA === 'stateless') {
      this.#introduction = await this.#ask('server/discover');
      // It is answered when it ends.
      this.#ask('subscriptions/listen', { notifications: { toolsListChanged: true } });
      await this.#listening.promise;
      return;
    }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT };
    this.#introduction = await this.#ask('initialize', params);
    this.#write({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  async #tools() {
    return JSON.stringify((await this.#ask('tools/list')).result.tools);
  }

  // The suite numbers its own requests.
  #ask(method, params) {
    this.#sequence += 1;
    return this.#send({ jsonrpc: '2.0', id: `own ${this.#sequence}`, method, params });
  }

  #send(request) {
    const params = ERA === 'stateless' ? { ...request.params, _meta: META } : request.params;
    const answer = deferred();
    this.#answers.set(request.id, answer.resolve);
    this.#write({ ...request, params });
    return answer.promise;
  }

  #write(message) {
    this.#program.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #receive(message) {
    if (message.method === 'notifications/tools/list_changed') return this.#listChanged.resolve();
    if (message.method === 'notifications/subscriptions/acknowledged') return this.#listening.resolve();
    this.#answers.get(message.id)?.(message);
    this.#answers.delete(message.id);
  }

  // What the program left unanswered when it ended.
  #end() {
    const error = { code: -32603, message: 'the program ended' };
    for (const [id, answer] of this.#answers) answer({ jsonrpc: '2.0', id, error });
  }
}

// An SDK's client, asked through its public API; each answer is the raw `{result}` or `{error}`.

export class Connection {
  // `sdk` says what differs between the two: the class of its protocol errors, and how a call takes options.
  constructor(client, transport, sdk) {
    Object.assign(this, { client, transport, sdk, heard: [], answers: 0 });
    this.forget();
    // Both SDKs call a handler that is set before `connect` ahead of their own.
    transport.onmessage = (message) => this.hear(message);
  }

  // What the server says and asks on its own is remembered from here on.
  forget() {
    Object.assign(this, { progress: [], logs: [], questions: [] });
  }

  hear(message) {
    if ('result' in message || 'error' in message) {
      this.heard.push(message);
      this.answers += 1;
      this.questions.push(...Object.values(message.result?.inputRequests ?? {}).map(question));
    } else if ('id' in message) this.questions.push(question(message));
    if (message.method === 'notifications/message') this.logs.push(message.params);
    if (message.method === 'notifications/progress') {
      const { progressToken, ...rest } = message.params;
      this.progress.push(rest);
    }
  }

  get modern() {
    return this.client.getProtocolEra?.() === 'modern';
  }

  async ask(question) {
    this.heard.length = 0;
    try {
      await question();
    } catch (error) {
      // A protocol error is an answer, below with every field; anything else is the SDK's own complaint.
      if (!(error instanceof this.sdk.ProtocolError) || this.heard.length === 0) throw error;
    }
    // Client 2.x serves a list or a read again from its own cache for as long as `ttlMs` says.
    if (this.heard.length === 0) throw new Error('no answer on the wire');
    const { result, error } = this.heard.at(-1);
    return result === undefined ? { error } : { result };
  }

  tools = () => this.ask(() => this.client.listTools());
  call = (name, args, options) => this.ask(() => this.sdk.call(this.client, { name, arguments: args }, options));
  prompts = () => this.ask(() => this.client.listPrompts());
  prompt = (name, args) => this.ask(() => this.client.getPrompt({ name, arguments: args }));
  resources = () => this.ask(() => this.client.listResources());
  read = (uri) => this.ask(() => this.client.readResource({ uri }));
  templates = () => this.ask(() => this.client.listResourceTemplates());
  complete = (ref, argument, context) =>
    this.ask(() => this.client.complete({ ref, argument, ...(context && { context: { arguments: context } }) }));
}

// What is asked of a client, alike in both eras: a request of its own, or part of an `input_required` result.
function question({ method, params: { _meta, ...params } = {} }) {
  return { method, params };
}

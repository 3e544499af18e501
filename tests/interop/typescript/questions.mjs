// What is asked of server-everything, directly and through the gateway; nothing whose answer has a time in it.

// name: [tool, arguments]
export const CALLS = {
  'call: text': ['echo', { message: 'héllo ⟨wörld⟩ \u2028 🦀' }],
  'call: numbers': ['get-sum', { a: 0.1, b: 2 }],
  'call: image': ['get-tiny-image', {}],
  'call: structured content': ['get-structured-content', { location: 'Chicago' }],
  'call: annotations': ['get-annotated-message', { messageType: 'error', includeImage: true }],
  'call: resource links': ['get-resource-links', { count: 4 }],
};

// Answered by the tool itself under `full`; where the schema was withheld, by the gateway.
export const BAD_ARGUMENTS = ['echo', { message: 7 }];

// A name that no upstream has reaches none, so the words of the error are the gateway's; the code is not (F7).
export const NAMES_NOBODY_HAS = {
  'an unknown tool': (c) => c.call('no-such-tool', {}),
  'an unknown prompt': (c) => c.prompt('no-such-prompt', {}),
};

const DOCUMENT = 'demo://resource/static/document/features.md';
const TEMPLATE = { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' };
const PROMPT = { type: 'ref/prompt', name: 'completable-prompt' };

// What no strategy may touch.
export const UNTOUCHED = {
  'prompts/list': (c) => c.prompts(),
  'prompt without arguments': (c) => c.prompt('simple-prompt', {}),
  'prompt with arguments': (c) => c.prompt('args-prompt', { city: 'Zürich', state: 'ZH' }),
  'prompt: a missing argument': (c) => c.prompt('args-prompt', {}),
  resource: (c) => c.read(DOCUMENT),
  'resource: an unknown address': (c) => c.read('demo://no/such/resource'),
  'completion of a prompt': (c) => c.complete(PROMPT, { name: 'department', value: 'S' }),
  'completion with context': (c) => c.complete(PROMPT, { name: 'name', value: '' }, { department: 'Sales' }),
  'completion of a template': (c) => c.complete(TEMPLATE, { name: 'resourceId', value: '7' }),
};

export const LISTS = {
  'tools/list': (c) => c.tools(),
  'resources/list': (c) => c.resources(),
  'resources/templates/list': (c) => c.templates(),
};

// The answers to all of the above, by name, as the wire brought them.
export async function askEverything(connection) {
  const answers = {};
  for (const [name, ask] of Object.entries({ ...LISTS, ...UNTOUCHED })) answers[name] = await ask(connection);
  for (const [name, [tool, args]] of Object.entries(CALLS)) answers[name] = await connection.call(tool, args);
  answers['call: wrong arguments'] = await connection.call(...BAD_ARGUMENTS);
  answers['call: progress'] = await longCall(connection);
  answers.progress = connection.progress;
  answers.instructions = connection.client.getInstructions();
  return answers;
}

// Without `onprogress` the SDKs send no progress token.
export const longCall = (connection, duration = 0.2, options = { onprogress: () => {} }, steps = 2) =>
  connection.call('trigger-long-running-operation', { duration, steps }, options);

// Frameworks on npm, one agent a run: node agents.mjs FRAMEWORK MODEL_URL ANSWER COMMAND.. prints what the agent says at the
// end. ANSWER is what a person answers to a server's form, as JSON, or empty where nobody can be asked.

const [framework, model, answer, command, ...args] = process.argv.slice(2);
const accepted = async () => ({ action: 'accept', content: JSON.parse(answer) });
const frameworks = { 'ai-sdk': aiSdk, mastra, 'sdk-1': () => sdk('./sdk1.mjs'), 'sdk-2': () => sdk('./sdk2.mjs') };
console.log(await frameworks[framework]());
process.exit(0);

async function aiSdk() {
  const { createMCPClient, ElicitationRequestSchema } = await import('@ai-sdk/mcp');
  const { Experimental_StdioMCPTransport: Stdio } = await import('@ai-sdk/mcp/mcp-stdio');
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const { generateText, isStepCount, stepCountIs } = await import('ai');
  const capabilities = answer ? { elicitation: {} } : {};
  const client = await createMCPClient({ transport: new Stdio({ command, args }), capabilities });
  if (answer) client.onElicitationRequest(ElicitationRequestSchema, accepted);
  const scripted = createOpenAICompatible({ name: 'scripted', baseURL: model })('scripted');
  const stopWhen = (isStepCount ?? stepCountIs)(9);
  const { text } = await generateText({ model: scripted, tools: await client.tools(), prompt: 'go', stopWhen });
  await client.close();
  return text;
}

// The official SDKs alone.
async function sdk(module) {
  const { answer: answering, connect } = await import(module);
  const capabilities = answer ? { elicitation: { form: {} }, sampling: {} } : {};
  const given = module.includes('1') ? capabilities : { capabilities };
  const connection = await connect([command, ...args], () => {}, given);
  const sampled = async () => ({ role: 'assistant', content: { type: 'text', text: 'by the framework' }, model: 'm' });
  if (answer) answering(connection, 'elicitation/create', accepted);
  if (answer) answering(connection, 'sampling/createMessage', sampled);
  const { tools: listed } = await connection.client.listTools();
  const tools = listed.map(({ name, inputSchema }) => ({ type: 'function', function: { name, parameters: inputSchema } }));
  const messages = [{ role: 'user', content: 'go' }];
  for (;;) {
    const response = await fetch(`${model}/chat/completions`, { method: 'POST', body: JSON.stringify({ tools, messages }) });
    const { message } = (await response.json()).choices[0];
    if (!message.tool_calls) return message.content;
    const { name, arguments: written } = message.tool_calls[0].function;
    const { content } = await connection.client.callTool({ name, arguments: JSON.parse(written) });
    messages.push(message, { role: 'tool', content: content.map(({ text }) => text).join('') });
  }
}

async function mastra() {
  const { Agent } = await import('@mastra/core/agent');
  const { MCPClient } = await import('@mastra/mcp');
  const client = new MCPClient({ servers: { s: { command, args, ...(answer && { inputRequests: accepted }) } } });
  const scripted = { id: 'openai/scripted', url: model, apiKey: 'none' };
  const agent = new Agent({ id: 'a', name: 'a', instructions: 'Go.', model: scripted, tools: await client.listTools() });
  const { text } = await agent.generate('go', { maxSteps: 9 });
  await client.disconnect();
  return text;
}

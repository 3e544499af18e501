// Frameworks on npm, one agent a run: node agents.mjs FRAMEWORK MODEL_URL ANSWER COMMAND.. prints what the agent says at the
// end. ANSWER is what a person answers to a server's form, as JSON, or empty where nobody can be asked.

const [framework, model, answer, command, ...args] = process.argv.slice(2);
const accepted = async () => ({ action: 'accept', content: JSON.parse(answer) });
const frameworks = { 'ai-sdk': aiSdk, mastra };
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

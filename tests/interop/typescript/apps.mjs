// MCP Apps with the official SDKs: two real servers with the same tool and the same page behind one gateway, whose pages are shown
// by a host (AppBridge of ext-apps) in a real browser. Each tool opens its own page, and its button calls its own server.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { AppBridge, RESOURCE_MIME_TYPE, getToolUiResourceUri } from '@modelcontextprotocol/ext-apps/app-bridge';

import { launched } from './browser.mjs';
import { Checks, within } from './checks.mjs';
import { LOG, installed } from './programs.mjs';

const SERVERS = { vanilla: 'Vanilla JS', preact: 'Preact' };
const bin = (name) => new URL(`../node_modules/.bin/mcp-server-basic-${name}`, import.meta.url).pathname;

const checks = new Checks(`apps (ext-apps ${installed('@modelcontextprotocol/ext-apps')})`);
const folder = mkdtempSync(join(tmpdir(), 'apps-'));
const config = join(folder, 'disclosure.toml');
writeFileSync(config, [['vanilla', 'vanillajs'], ['preact', 'preact']].map(([name, server]) =>
  `[upstreams.${name}]\ncommand = ${JSON.stringify(bin(server))}\nargs = ["--stdio"]\n`).join('\n'));

const browser = await launched();
for (const strategy of ['full', 'resource', 'describe', 'info', 'search', 'groups'])
  await checks.group(strategy, async (atEnd) => {
    const client = await connected(strategy, atEnd);
    const { tools } = await client.listTools();
    const pages = [];
    for (const [server, framework] of Object.entries(SERVERS)) {
      const tool = tools.find(({ name }) => name === `${server}__get-time`);
      checks.true(`${server}: its tool is listed completely`, tool?.inputSchema?.properties, tools);
      const uri = getToolUiResourceUri(tool);
      const { contents: [page] } = await client.readResource({ uri });
      checks.equal(`${server}: its page is one of MCP Apps, under its URI`, [page.mimeType, page.uri], [RESOURCE_MIME_TYPE, uri]);
      pages.push(page.text);
      const shown = await within(60, host(browser, client, tool, uri, page.text));
      checks.true(`${server}: its page shows what its tool returned`, shown.first, shown);
      checks.true(`${server}: its button called its own server`, shown.again && shown.called === `get-time of ${uri}`, shown);
      checks.true(`${server}: the page is its own (${framework})`, shown.heading.length > 0, shown);
    }
    checks.true('two pages', new Set(pages).size === 2);
  });
await browser.close();
rmSync(folder, { recursive: true });
process.exit(checks.close());

async function connected(strategy, atEnd) {
  const capabilities = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [RESOURCE_MIME_TYPE] } } };
  const client = new Client({ name: 'apps', version: '1' }, { capabilities });
  const args = ['serve', '--strategy', strategy, '--config', config];
  await client.connect(new StdioClientTransport({ command: process.env.MCP_DISCLOSURE_BIN, args, stderr: LOG }));
  atEnd(() => client.close());
  return client;
}

// Shows a page in a frame, gives it a result of its tool, and presses its button.
async function host(browser, client, tool, uri, html) {
  const page = await browser.newPage();
  const transport = { start: async () => {}, close: async () => {} };
  await page.exposeFunction('toHost', (message) => transport.onmessage?.(message));
  transport.send = (message) => page.evaluate((sent) => document.querySelector('iframe').contentWindow.postMessage(sent, '*'), message);
  const bridge = new AppBridge(client, { name: 'apps', version: '1' }, { serverTools: {}, serverResources: {}, openLinks: {} });
  const shown = { first: false, again: false };
  const initialized = new Promise((resolve) => { bridge.oninitialized = resolve; });
  await bridge.connect(transport);
  // The host says which page asks. Connecting sets handlers that do not.
  const answered = new Promise((resolve) => {
    bridge.oncalltool = async ({ name, arguments: given }) => {
      shown.called = `${name} of ${uri}`;
      const result = await client.callTool({ name, arguments: given, _meta: { ui: { resourceUri: uri } } });
      resolve(result);
      return result;
    };
  });
  await page.setContent('<iframe sandbox="allow-scripts" style="width:800px;height:600px"></iframe>');
  await page.evaluate((text) => {
    addEventListener('message', ({ data }) => data?.jsonrpc && toHost(data));
    document.querySelector('iframe').srcdoc = text;
  }, html);
  await initialized;
  const result = await client.callTool({ name: tool.name, arguments: {} });
  await bridge.sendToolInput({ arguments: {} });
  await bridge.sendToolResult(result);
  const frame = page.frameLocator('iframe');
  const time = /\d{4}-\d\d-\d\dT/;
  await frame.getByText(time).first().waitFor();
  shown.first = true;
  shown.heading = await frame.locator('body').innerText();
  await frame.getByRole('button', { name: /time/i }).first().click();
  shown.again = time.test(JSON.stringify(await answered));
  await page.close();
  return shown;
}

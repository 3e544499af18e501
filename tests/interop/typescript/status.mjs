// The status page in a real browser: it loads nothing, says nothing on the console, fits a phone, can be read in light and dark,
// and shows a call after it refreshed itself.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { LEAST_CONTRAST, contrasts, launched } from './browser.mjs';
import { Checks } from './checks.mjs';

const checks = new Checks('status');
await checks.group('status', async (atEnd) => {
  const { address, call, end } = await started();
  atEnd(end);
  const browser = await launched();
  atEnd(() => browser.close());
  for (const colorScheme of ['light', 'dark'])
    for (const width of [1280, 360]) await looked(browser, address, colorScheme, width);
  await refreshed(browser, address, call);
});
process.exit(checks.close());

// A gateway with a client, and where its status is.
async function started() {
  const child = spawn(process.env.MCP_DISCLOSURE_BIN, ['serve', '--admin', '127.0.0.1:0', '--audit', '/dev/null']);
  const found = new Promise((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      const match = line.match(/operators find (http:\S+)/);
      if (match) resolve(match[1]);
    });
    child.on('exit', (code) => reject(new Error(`the gateway ended with ${code}`)));
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'status', version: '1' } };
  send({ id: 1, method: 'initialize', params });
  send({ id: 2, method: 'tools/list', params: {} });
  child.stdout.resume();
  const call = () => send({ id: 3, method: 'tools/call', params: { name: 'no_such_tool', arguments: {} } });
  return { address: await found, call, end: async () => child.stdin.end() };
}

async function looked(browser, address, colorScheme, width) {
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
  const [said, loaded] = [[], []];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  page.on('request', (request) => loaded.push(request.url()));
  await page.goto(address);
  const where = `${colorScheme}, ${width} pixels`;
  const elsewhere = loaded.filter((url) => url !== address && !url.startsWith('data:'));
  checks.equal(`${where}: nothing on the console`, said, []);
  checks.equal(`${where}: nothing is loaded from elsewhere`, elsewhere, []);
  const needed = await page.evaluate(() => document.documentElement.scrollWidth);
  checks.true(`${where}: no horizontal scroll`, needed <= width, `${needed}`);
  const { low, read } = await page.evaluate(contrasts, LEAST_CONTRAST);
  checks.true(`${where}: there are texts`, read > 15, `${read}`);
  checks.equal(`${where}: every text has a contrast of ${LEAST_CONTRAST}`, low, []);
  await page.close();
}

async function refreshed(browser, address, call) {
  const page = await browser.newPage();
  await page.goto(address);
  const calls = page.locator('dl div', { has: page.getByText('calls', { exact: true }) }).locator('dd');
  checks.equal('no call yet', await calls.innerText(), '0');
  call();
  await calls.filter({ hasText: '1' }).waitFor({ timeout: 20_000 });
  checks.equal('the call is there after a refresh', await calls.innerText(), '1');
  checks.equal('rows have headings', await page.locator('tbody tr:not(:has(th[scope=row]))').count(), 0);
  await page.close();
}

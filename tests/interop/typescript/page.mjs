// The page of `compare` in a real browser: it loads nothing, says nothing on the console, fits a phone, can be read in
// light, dark and on paper, and is used by keyboard.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LEAST_CONTRAST, contrasts, launched } from './browser.mjs';
import { Checks } from './checks.mjs';

const MOST_BYTES = 400_000;
const QUERIES = [{ query: 'solve equation', tools: ['symbolic_solve'] }, { query: 'send a letter', tools: [] }];

const checks = new Checks('page');
const folder = mkdtempSync(join(tmpdir(), 'page-'));
await checks.group('page', async (atEnd) => {
  atEnd(async () => rmSync(folder, { recursive: true }));
  const file = written();
  const browser = await launched();
  atEnd(() => browser.close());
  const address = pathToFileURL(file).href;
  for (const colorScheme of ['light', 'dark'])
    for (const width of [1280, 360]) await looked(browser, address, colorScheme, width);
  await onPaper(browser, address);
  await byKeyboard(browser, address);
}, 200);
process.exit(checks.close());

// A page with every section.
function written() {
  const [file, queries] = ['page.html', 'queries.jsonl'].map((name) => join(folder, name));
  writeFileSync(queries, QUERIES.map((query) => `${JSON.stringify(query)}\n`).join(''));
  const flags = ['compare', '--format', 'html', '--out', file, '--queries', queries];
  const { status, stderr } = spawnSync(process.env.MCP_DISCLOSURE_BIN, flags, { encoding: 'utf8' });
  checks.true('compare writes it', status === 0, stderr);
  const { size } = statSync(file);
  checks.true(`it has less than ${MOST_BYTES} bytes`, size < MOST_BYTES, `${size}`);
  return file;
}

async function looked(browser, address, colorScheme, width) {
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
  const [said, loaded] = [[], []];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  page.on('request', (request) => loaded.push(request.url()));
  await page.goto(address);
  await page.evaluate(unfold);
  const where = `${colorScheme}, ${width} pixels`;
  checks.equal(`${where}: nothing on the console`, said, []);
  checks.equal(`${where}: nothing is loaded`, loaded, [address]);
  const needed = await page.evaluate(() => document.documentElement.scrollWidth);
  checks.true(`${where}: no horizontal scroll`, needed <= width, `${needed}`);
  const { low, read } = await page.evaluate(contrasts, LEAST_CONTRAST);
  checks.true(`${where}: there are texts`, read > 100, `${read}`);
  checks.equal(`${where}: every text has a contrast of ${LEAST_CONTRAST}`, low, []);
  checks.equal(`${where}: every column can be reached`, await page.evaluate(unreached), []);
  await page.close();
}

async function onPaper(browser, address) {
  const page = await browser.newPage({ colorScheme: 'dark' });
  await page.goto(address);
  await page.emulateMedia({ media: 'print' });
  const { low } = await page.evaluate(contrasts, LEAST_CONTRAST);
  checks.equal('paper: it can be read where the screen is dark', low, []);
  const folded = await page.locator('details:not(.row details)').evaluateAll((all) =>
    all.filter((one) => getComputedStyle(one, '::details-content').contentVisibility !== 'visible').length);
  checks.equal('paper: nothing is folded', folded, 0);
  await page.close();
}

async function byKeyboard(browser, address) {
  const page = await browser.newPage();
  await page.goto(address);
  const radio = page.locator('.transcript > input').last();
  let reached = false;
  for (let presses = 0; presses < 400 && !reached; presses += 1) {
    await page.keyboard.press('Tab');
    reached = await radio.evaluate((element) => document.activeElement.name === element.name);
  }
  checks.true('keyboard: the choice of a strategy is reached', reached);
  const column = page.locator('.columns').first().locator('.column').last();
  while (!(await radio.isChecked())) await page.keyboard.press('ArrowRight');
  checks.true('keyboard: it shows the chosen one', await column.isVisible());
  const names = await page.evaluate(() =>
    [...document.querySelectorAll('section')].map((section) => document.getElementById(section.getAttribute('aria-labelledby'))?.innerText),
  );
  checks.true('screen reader: sections have names', names.length > 0 && names.every(Boolean), names);
  const without = await page.locator('tbody tr:not(:has(th[scope=row]))').count();
  checks.equal('screen reader: rows have headings', without, 0);
  await page.close();
}

// The functions below run in the page.

function unfold() {
  for (const folded of document.querySelectorAll('details')) folded.open = true;
}

// Cells beyond the edge of a box that does not scroll.
function unreached() {
  const scrolls = (cell) => {
    const box = cell.closest('.scrolls');
    return box && getComputedStyle(box).overflowX === 'auto';
  };
  const cells = [...document.querySelectorAll('th, td')].filter((cell) => cell.offsetParent && !scrolls(cell));
  return cells.filter((cell) => cell.getBoundingClientRect().right > innerWidth).map((cell) => cell.innerText);
}

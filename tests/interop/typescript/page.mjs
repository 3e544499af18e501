// The page of `compare` in a real browser: it loads nothing, says nothing on the console, fits a phone, can be read in
// light, dark and on paper, and is used by keyboard.
//
// CHROMIUM names the browser; else it is the first of the usual names, or the one that Playwright has installed.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { Checks } from './checks.mjs';

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const LEAST_CONTRAST = 4.5;
const MOST_BYTES = 400_000;
const QUERIES = [{ query: 'solve equation', tools: ['symbolic_solve'] }, { query: 'send a letter', tools: [] }];

const checks = new Checks('page');
const folder = mkdtempSync(join(tmpdir(), 'page-'));
await checks.group('page', async (atEnd) => {
  atEnd(async () => rmSync(folder, { recursive: true }));
  const file = written();
  // The browser's own sandbox does not work for root, as which containers run this.
  const browser = await chromium.launch({ executablePath: executable(), args: ['--no-sandbox'] });
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

function executable() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = BROWSERS.flatMap((name) => folders.map((at) => join(at, name)));
  const found = [...places, chromium.executablePath()].find((place) => existsSync(place));
  if (!found) throw new Error('no browser: install Chromium, or name one in CHROMIUM');
  return found;
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
  checks.equal(`${where}: no name of a line covers another`, await page.evaluate(covered), []);
  await page.close();
}

async function onPaper(browser, address) {
  const page = await browser.newPage({ colorScheme: 'dark' });
  await page.goto(address);
  await page.emulateMedia({ media: 'print' });
  const { low } = await page.evaluate(contrasts, LEAST_CONTRAST);
  checks.equal('paper: it can be read where the screen is dark', low, []);
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  checks.equal('paper: nothing is folded', await page.locator('details:not([open])').count(), 0);
  await page.close();
}

async function byKeyboard(browser, address) {
  const page = await browser.newPage();
  await page.goto(address);
  const button = page.locator('.sorts button').first();
  let reached = false;
  for (let presses = 0; presses < 400 && !reached; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => document.activeElement.tagName);
    if (focused === 'SUMMARY') await page.keyboard.press('Enter');
    reached = await button.evaluate((element) => element === document.activeElement);
  }
  checks.true('keyboard: what is folded opens, and a heading that sorts is reached', reached);
  await page.keyboard.press('Enter');
  checks.equal('keyboard: it sorts', await page.locator('.sorts th').first().getAttribute('aria-sort'), 'ascending');
  const names = await page.evaluate(() =>
    [...document.querySelectorAll('section')].map((section) => document.getElementById(section.getAttribute('aria-labelledby'))?.innerText),
  );
  checks.true('screen reader: sections have names', names.length >= 4 && names.every(Boolean), names);
  const without = await page.locator('tbody tr:not(:has(th[scope=row]))').count();
  checks.equal('screen reader: rows have headings', without, 0);
  await page.close();
}

// The functions below run in the page.

function unfold() {
  for (const folded of document.querySelectorAll('details')) folded.open = true;
}

// How many texts there are, and those with too little contrast to what is behind them.
function contrasts(least) {
  const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
  const channel = (value) => (value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([red, green, blue]) => 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const [red, green, blue, alpha = 1] = numbers(getComputedStyle(at).backgroundColor);
      if (alpha === 1) return [red, green, blue];
    }
    return [255, 255, 255];
  };
  const low = [];
  let read = 0;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const element = text.parentElement;
    if (!text.data.trim() || !element.checkVisibility() || element.closest('script, style')) continue;
    read += 1;
    const [one, other] = [numbers(getComputedStyle(element).color), behind(element)].map(luminance);
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < least) low.push(`${contrast.toFixed(2)}: ${text.data.trim().slice(0, 40)}`);
  }
  return { low, read };
}

function covered() {
  const names = [...document.querySelectorAll('.names span')];
  const boxes = names.map((name) => ({ name: name.innerText, box: name.getBoundingClientRect() }));
  boxes.sort((one, other) => one.box.top - other.box.top);
  return boxes.slice(1).filter(({ box }, at) => box.top < boxes[at].box.bottom - 2).map(({ name }) => name);
}

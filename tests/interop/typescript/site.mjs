// The site of the documentation in a real browser, with and without scripts: it says nothing on the console, loads nothing
// from elsewhere, fits a phone, can be read in light and dark, and its pages can be reached.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LEAST_CONTRAST, contrasts, launched } from './browser.mjs';
import { Checks } from './checks.mjs';

const address = (page) => pathToFileURL(join(process.env.INTEROP_SITE, page)).href;
const PAGES = ['index.html', 'start.html', 'CONTRACT.html', 'strategies/info.html'];

const checks = new Checks('site');
await checks.group('site', async (atEnd) => {
  const browser = await launched();
  atEnd(() => browser.close());
  for (const page of PAGES)
    for (const colorScheme of ['light', 'dark'])
      for (const width of [1280, 360]) await looked(browser, page, colorScheme, width);
  await withoutScripts(browser);
}, 200);
process.exit(checks.close());

async function looked(browser, file, colorScheme, width) {
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
  const [said, elsewhere] = [[], []];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  page.on('request', (request) => request.url().startsWith('file:') || elsewhere.push(request.url()));
  await page.goto(address(file));
  const where = `${file}, ${colorScheme}, ${width} pixels`;
  checks.equal(`${where}: nothing on the console`, said, []);
  checks.equal(`${where}: nothing is loaded from elsewhere`, elsewhere, []);
  const needed = await page.evaluate(() => document.documentElement.scrollWidth);
  checks.true(`${where}: no horizontal scroll`, needed <= width, `${needed}`);
  const { low, read } = await page.evaluate(contrasts, LEAST_CONTRAST);
  checks.true(`${where}: there are texts`, read > 20, `${read}`);
  checks.equal(`${where}: every text has a contrast of ${LEAST_CONTRAST}`, low, []);
  const pictures = await page.evaluate(() => [...document.images].filter((image) => image.naturalWidth === 0).length);
  checks.equal(`${where}: every picture is shown`, pictures, 0);
  await page.close();
}

async function withoutScripts(browser) {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(address('index.html'));
  await page.getByTitle('Toggle Table of Contents').click();
  const contents = page.frameLocator('iframe');
  // Counted once the frame is there. The link is followed by its address: a click would race with the contents sliding in.
  const start = contents.getByRole('link', { name: 'Start here' });
  const leads = { address: await start.getAttribute('href'), target: await start.getAttribute('target') };
  const links = await contents.locator('a').count();
  checks.true('without scripts: the contents are there', links > 40, `${links}`);
  checks.equal('without scripts: a link of the contents replaces the page', leads.target, '_parent');
  await page.goto(new URL(leads.address, page.url()).href);
  checks.true('without scripts: a page is reached', await page.getByRole('heading', { name: 'Install' }).isVisible());
  await context.close();
}

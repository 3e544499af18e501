// A real browser, and what is measured in its pages.
//
// CHROMIUM names the browser; else it is the first of the usual names, or the one that Playwright has installed.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
export const LEAST_CONTRAST = 4.5;

export function launched() {
  // The browser's own sandbox does not work for root, as which containers run this.
  return chromium.launch({ executablePath: executable(), args: ['--no-sandbox'] });
}

function executable() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = BROWSERS.flatMap((name) => folders.map((at) => join(at, name)));
  const found = [...places, chromium.executablePath()].find((place) => existsSync(place));
  if (!found) throw new Error('no browser: install Chromium, or name one in CHROMIUM');
  return found;
}

// The function below runs in the page.

// How many texts there are, and those with too little contrast to what is behind them.
export function contrasts(least) {
  // `color(srgb …)`, as mixed colours are computed, counts from 0 to 1.
  const scale = (colour) => (colour.startsWith('color(srgb') ? 255 : 1);
  const numbers = (colour) => colour.match(/[\d.]+/g).map((value, at) => (at < 3 ? value * scale(colour) : Number(value)));
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

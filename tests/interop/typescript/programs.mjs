// The programs under test: the gateway, and the server it stands in front of.

import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { devNull } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const GATEWAY = process.env.MCP_DISCLOSURE_BIN;
const START_SECONDS = 20;
const STOP_SECONDS = 5;

export const EVERYTHING = [process.env.INTEROP_EVERYTHING, 'stdio'];
export const PLAYWRIGHT = [process.env.INTEROP_PLAYWRIGHT, '--headless', '--isolated'];

// What the children say on stderr; kept for whoever reads a failure.
export const LOG = openSync(process.env.INTEROP_LOG ?? devNull, 'a');

// By default a signal ends Node without the `exit` event, by which listening gateways are ended.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

// The version of a package, read where run.sh installs it: its own `exports` may hide it.
export const installed = (name) =>
  JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url))).version;

// The command line of a gateway that speaks stdio, before a command line (an array) or an address (a string).
export function gateway(strategy, upstream, ...flags) {
  const source = typeof upstream === 'string' ? ['--upstream-url', upstream] : ['--', ...upstream];
  return [GATEWAY, 'serve', '--strategy', strategy, ...flags, ...source];
}

// Starts a gateway that listens; gives its origin, without a path. `atEnd` gets the function that stops it.
export function httpGateway(strategy, upstream, atEnd, ...flags) {
  const http = ['--transport', 'http', '--listen'];
  return listener((port) => gateway(strategy, upstream, ...flags, ...http, `127.0.0.1:${port}`), atEnd);
}

// Starts what `command` gives for a port; gives its origin, without a path. `atEnd` gets the function that stops it.
export async function listener(command, atEnd) {
  const port = await freePort();
  const [program, ...rest] = command(port);
  // A group of its own, so that the end reaches the servers it started too.
  const child = spawn(program, rest, { stdio: ['ignore', LOG, LOG], detached: true });
  const ended = new Promise((resolve) => child.on('error', resolve).on('exit', resolve));
  const killAtExit = () => kill(child.pid, 'SIGKILL');
  process.on('exit', killAtExit);
  atEnd(async () => {
    for (const signal of ['SIGTERM', 'SIGKILL']) {
      kill(child.pid, signal);
      await Promise.race([ended, sleep(STOP_SECONDS * 1000, undefined, { ref: false })]);
    }
    process.off('exit', killAtExit);
  });
  const early = ended.then((how) => Promise.reject(new Error(`it ended before it listened: ${how}`)));
  early.catch(() => {});
  await Promise.race([listening(port), early]);
  return `http://127.0.0.1:${port}`;
}

function kill(group, signal) {
  try {
    process.kill(-group, signal);
  } catch {
    // It has ended already.
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function listening(port) {
  const latest = Date.now() + START_SECONDS * 1000;
  while (!(await accepts(port))) {
    if (Date.now() > latest) throw new Error(`nothing listens after ${START_SECONDS} s`);
    await sleep(50);
  }
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

// Drives this program by the working group's portable suite for deterministic groups.
//
// The suite is `experiments/deterministic-groups` of the working group on progressive disclosure, read at commit c5b6dc0b; it is
// fetched from there and is no part of this repository. Both programs have to be built.
//
//   cargo build --workspace --bins
//   ERA=stateless node SUITE/run.mjs tests/portable/adapter.mjs
//
//   ERA                 `session` for 2025-11-25, the default, or `stateless` for 2026-07-28
//   MCP_DISCLOSURE_BIN  the gateway; else the debug build of this repository
//   CANONICAL_BIN       the test binary `canonical`; else its debug build

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Connection } from './connection.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const CANONICAL = process.env.CANONICAL_BIN ?? here('../../target/debug/canonical');
const GATEWAY = process.env.MCP_DISCLOSURE_BIN ?? here('../../target/debug/mcp-disclosure');

// A configuration under which only some tools of the fixture exist. Its words are quoted in TOML as in JSON.
function configuration({ groups }, allowed, options, state) {
  const directory = Object.entries(groups).map(([id, text]) => `${JSON.stringify(id)} = ${JSON.stringify(text)}`);
  return [
    '[serve]',
    'strategy = "groups"',
    `manifest = "${options.manifest === false ? 'off' : 'on'}"`,
    '[upstreams.fixture]',
    `command = ${JSON.stringify(process.execPath)}`,
    `args = ${JSON.stringify([here('upstream.mjs'), state])}`,
    `allow = ${JSON.stringify(allowed)}`,
    '[strategy.groups]',
    'deterministic = true',
    '[strategy.groups.directory]',
    ...directory,
    '',
  ].join('\n');
}

// A reader sees the old text or the new one.
function replace(file, text) {
  writeFileSync(`${file}.next`, text);
  renameSync(`${file}.next`, file);
}

export async function createAdapter({ fixture, allowed, options }) {
  const folder = mkdtempSync(join(tmpdir(), 'portable-'));
  const [state, config] = [join(folder, 'fixture.json'), join(folder, 'disclosure.toml')];
  const serve = (tools) => replace(state, JSON.stringify(tools));
  const allow = (names) => replace(config, configuration(fixture, names, options, state));
  serve(fixture.tools);
  allow(allowed);
  const connection = await Connection.start(GATEWAY, ['serve', '--remember', 'off', '--config', config], folder);
  return {
    request: (message) => connection.relay(message),
    replaceFixture: (next) => connection.changed(() => serve(next.tools)),
    setAllowed: (names) => connection.changed(() => allow(names)),
    async close() {
      await connection.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export async function serialize(value) {
  const run = spawnSync(CANONICAL, { input: JSON.stringify(value), encoding: 'utf8' });
  assert.equal(run.status, 0, run.error?.message ?? run.stderr);
  return run.stdout;
}

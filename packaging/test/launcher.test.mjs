// What the npm package's launcher passes on, and what it says where it cannot.
//
//   LAUNCHER  the launcher, installed with the stand-in as its binary
//   CACHED    likewise, in a folder that npx would use

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";

const { LAUNCHER, CACHED } = process.env;
const run = (launcher, args, options) => spawnSync(process.execPath, [launcher, ...args], options);

test("w2: exit codes pass", () => {
  for (const code of [0, 1, 2, 64]) assert.equal(run(LAUNCHER, ["exit", String(code)]).status, code);
});

test("w2: a program that a signal ended ends the launcher by that signal", () => {
  for (const signal of ["TERM", "KILL", "HUP"]) assert.equal(run(LAUNCHER, ["die", signal]).signal, `SIG${signal}`);
});

for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR2"]) {
  test(`w2: ${signal} reaches the program, which decides how it ends`, { timeout: 20_000 }, async () => {
    const child = spawn(process.execPath, [LAUNCHER, "wait"]);
    let output = "";
    child.stdout.on("data", (data) => {
      if (!output) child.kill(signal);
      output += data;
    });
    // The stand-in acts on a signal between two lines.
    const lines = setInterval(() => child.stdin.write("\n"), 10);
    child.stdin.on("error", () => {});
    const [code] = await once(child, "close");
    clearInterval(lines);
    assert.deepEqual([code, output], [3, `ready\n${signal.slice(3)}\n`]);
  });
}

test("w2: stdin, stdout and stderr are the program's", () => {
  const input = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 256));
  const { stdout, stderr } = run(LAUNCHER, ["copy"], { input });
  assert.ok(stdout.equals(input));
  assert.equal(stderr.toString(), "to stderr\n");
});

test("w2: arguments pass as they are", () => {
  const given = ["--", "-y", "", "a b", "$HOME", "ü\"'"];
  assert.equal(run(LAUNCHER, ["arguments", ...given]).stdout.toString(), `${given.join("\n")}\n`);
});

test("w1: the program learns that it is in a cache, and only then", () => {
  const env = { ...process.env, MCP_DISCLOSURE_LAUNCHER: "npx" };
  assert.equal(run(LAUNCHER, ["launcher"], { env }).stdout.toString(), "none");
  assert.equal(run(CACHED, ["launcher"]).stdout.toString(), "npx");
});

test("w2: a missing package and an unknown platform are named, with a remedy", () => {
  const alone = mkdtempSync(path.join(tmpdir(), "mcp-disclosure-"));
  try {
    cpSync(path.dirname(path.dirname(LAUNCHER)), alone, { recursive: true });
    const launcher = path.join(alone, "bin", "mcp-disclosure.js");
    const missing = run(launcher, []);
    assert.equal(missing.status, 1);
    assert.match(missing.stderr.toString(), /package @mcp-disclosure\/\S+, which has the binary, is not installed\n.*hint: .*--omit=optional/);
    const elsewhere = `Object.defineProperty(process, "arch", { value: "riscv64" }); require(${JSON.stringify(launcher)})`;
    const unknown = spawnSync(process.execPath, ["-e", elsewhere]);
    assert.equal(unknown.status, 1);
    assert.match(unknown.stderr.toString(), /no binary for \w+-riscv64\S*, only for linux-x64, .*\n.*hint: .*cargo install/);
  } finally {
    rmSync(alone, { recursive: true });
  }
});

#!/usr/bin/env node
// Starts the program, which is in a package of its own for each platform: npm installs the one that fits.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const { optionalDependencies, repository } = require("../package.json");

const FORWARDED = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR2"];

// Folders of npx, pnpm dlx and bunx, which are cleared: a path into one must not be written into a host's file.
const CACHED = /[\\/](_npx|dlx|dlx-[^\\/]*|bunx-[^\\/]*)[\\/]/;

function fail(message, remedy) {
  console.error(`mcp-disclosure: ${message}\nmcp-disclosure: hint: ${remedy}`);
  process.exit(1);
}

function isMusl() {
  if (process.platform !== "linux") return false;
  // Without this the report looks up the names of all peers.
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime === undefined;
}

function binary() {
  const platform = `${process.platform}-${process.arch}${isMusl() ? "-musl" : ""}`;
  const name = `@mcp-disclosure/${platform}`;
  if (!(name in optionalDependencies)) {
    const known = Object.keys(optionalDependencies).map((other) => other.split("/")[1]);
    fail(
      `there is no binary for ${platform}, only for ${known.join(", ")}`,
      `with Rust installed: cargo install --locked --git ${repository.url.replace(/^git\+|\.git$/g, "")} mcp-disclosure-server`,
    );
  }
  try {
    return require.resolve(`${name}/bin/mcp-disclosure${process.platform === "win32" ? ".exe" : ""}`);
  } catch {
    return fail(
      `the package ${name}, which has the binary, is not installed`,
      "npm leaves it out with --omit=optional, and where node_modules comes from another platform: install mcp-disclosure again, here",
    );
  }
}

function main() {
  const program = binary();
  const env = { ...process.env };
  delete env.MCP_DISCLOSURE_LAUNCHER;
  if (CACHED.test(__dirname)) env.MCP_DISCLOSURE_LAUNCHER = "npx";

  let child;
  for (const signal of FORWARDED) {
    // On Windows the console sends Ctrl-C to both, and kill would end the program before it has ended its upstreams.
    process.on(signal, () => process.platform === "win32" || child?.kill(signal));
  }
  child = spawn(program, process.argv.slice(2), { stdio: "inherit", env });
  child.on("error", (error) => {
    fail(`${program} cannot be started: ${error.message}`, "install mcp-disclosure again, where programs may be executed");
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    for (const forwarded of FORWARDED) process.removeAllListeners(forwarded);
    // The shells' code, where this process ignores the signal.
    process.exitCode = 128 + constants.signals[signal];
    process.kill(process.pid, signal);
  });
}

main();

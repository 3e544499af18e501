// Packs two npm packages: the binary's, for one platform, and the launcher's, which is the same for all.
//
//   node pack.mjs BINARY TARGET VERSION FOLDER

import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const packaging = path.dirname(here);
const platforms = JSON.parse(readFileSync(path.join(packaging, "platforms.json"), "utf8"));

const [binary, target, version, out] = process.argv.slice(2);
const platform = platforms.find((platform) => platform.target === target);

const common = {
  version,
  license: "MIT OR Apache-2.0",
  homepage: "https://github.com/mcp-disclosure/mcp-disclosure#readme",
  // npm refuses provenance from another repository.
  repository: { type: "git", url: "git+https://github.com/mcp-disclosure/mcp-disclosure.git" },
};

function pack(manifest, program, name) {
  const folder = mkdtempSync(path.join(tmpdir(), "mcp-disclosure-npm-"));
  try {
    writeFileSync(path.join(folder, "package.json"), `${JSON.stringify({ ...manifest, ...common }, null, 2)}\n`);
    for (const licence of ["LICENSE-APACHE", "LICENSE-MIT"]) {
      copyFileSync(path.join(packaging, "..", licence), path.join(folder, licence));
    }
    copyFileSync(path.join(packaging, "ABOUT.md"), path.join(folder, "README.md"));
    mkdirSync(path.join(folder, "bin"));
    copyFileSync(program, path.join(folder, "bin", name));
    chmodSync(path.join(folder, "bin", name), 0o755);
    const packed = execFileSync("npm", ["pack", "--json", "--pack-destination", path.resolve(out)], { cwd: folder });
    const [{ filename }] = Object.values(JSON.parse(packed));
    console.log(path.join(out, filename));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

pack(
  {
    name: `@mcp-disclosure/${platform.npm}`,
    description: `The binary of mcp-disclosure for ${target}`,
    os: [platform.os],
    cpu: [platform.cpu],
    ...(platform.libc && { libc: [platform.libc] }),
    preferUnplugged: true,
  },
  binary,
  platform.os === "win32" ? "mcp-disclosure.exe" : "mcp-disclosure",
);
pack(
  {
    name: "mcp-disclosure",
    description: "One MCP server in front of any others, disclosing their tools progressively",
    keywords: ["mcp", "gateway", "tools", "context"],
    bin: { "mcp-disclosure": "bin/mcp-disclosure.js" },
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(platforms.map(({ npm }) => [`@mcp-disclosure/${npm}`, version])),
  },
  path.join(here, "launcher.js"),
  "mcp-disclosure.js",
);

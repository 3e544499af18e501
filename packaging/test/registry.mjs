// An npm registry on this machine that has the packed files of one folder, and nothing else.
//
//   node registry.mjs FOLDER     prints its address

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";

const folder = process.argv[2];
const files = readdirSync(folder).filter((file) => file.endsWith(".tgz"));

function packument(file, origin) {
  const packed = path.join(folder, file);
  const manifest = JSON.parse(execFileSync("tar", ["-xzOf", packed, "package/package.json"]));
  const integrity = `sha512-${createHash("sha512").update(readFileSync(packed)).digest("base64")}`;
  const dist = { tarball: `${origin}/-/${file}`, integrity };
  const { name, version } = manifest;
  return { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
}

const server = createServer((request, response) => {
  const wanted = decodeURIComponent(request.url.slice(1));
  if (files.includes(wanted.replace(/^-\//, ""))) {
    return response.end(readFileSync(path.join(folder, wanted.slice(2))));
  }
  const found = files.map((file) => packument(file, origin)).find(({ name }) => name === wanted);
  response.statusCode = found ? 200 : 404;
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify(found ?? { error: "not found" }));
});
let origin;
server.listen(0, "127.0.0.1", () => {
  origin = `http://127.0.0.1:${server.address().port}`;
  console.log(origin);
});

// Compares what the suite found with what is expected, and prints both.
//
//   node report.mjs RESULTS EXPECTED.yaml ARRANGEMENT..

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const [results, expectedFile, ...arrangements] = process.argv.slice(2);
const requirements = join(
  dirname(fileURLToPath(import.meta.url)),
  "node_modules/@modelcontextprotocol/conformance/requirements",
);
const revisions = ["2025-11-25", "2026-07-28"];
const expected = parse(readFileSync(expectedFile, "utf8"), { merge: true });

// The scenarios of a revision for servers: those that count, and those that are only run.
function scenarios(revision) {
  const { server, not_scored } = parse(readFileSync(join(requirements, `${revision}.yaml`), "utf8"));
  const others = not_scored.filter((entry) => entry.leg === "server").map((entry) => entry.scenario);
  return [...server.map((name) => ({ name, scored: true })), ...others.map((name) => ({ name, scored: false }))];
}

// What a scenario found wrong; a scenario that left nothing has failed as a whole.
function complaints(folder, scenario) {
  // Folders are named server-<scenario>-<time>.
  const time = /-\d{4}-\d\d-\d\dT[\d-]+Z$/;
  const folders = existsSync(folder) ? readdirSync(folder) : [];
  const found = folders.filter((name) => name.replace(time, "") === `server-${scenario}`);
  const files = found.map((name) => join(folder, name, "checks.json")).filter((file) => existsSync(file));
  if (files.length === 0) return [{ id: "(not run)", errorMessage: "the suite left no result" }];
  const checks = files.flatMap((file) => JSON.parse(readFileSync(file, "utf8")));
  return checks.filter((check) => check.status === "FAILURE");
}

// The reason why a scenario is expected to fail; what an arrangement says goes before what holds everywhere.
function reason(arrangement, scenario) {
  return expected[arrangement]?.[scenario] ?? expected.everywhere?.[scenario];
}

const rows = [["arrangement", "revision", "passed", "failed", "not scored: passed", "failed"]];
const lines = [];
let [passed, known, failed] = [0, 0, 0];

for (const arrangement of arrangements) {
  for (const revision of revisions) {
    const count = { true: [0, 0], false: [0, 0] };
    for (const { name, scored } of scenarios(revision)) {
      const wrong = complaints(join(results, arrangement, revision), name);
      const why = reason(arrangement, name);
      count[scored][wrong.length === 0 ? 0 : 1] += 1;
      const place = `${arrangement}, ${revision}: ${name}${scored ? "" : " (not scored)"}`;
      if (wrong.length === 0 && why === undefined) {
        passed += 1;
      } else if (wrong.length === 0) {
        failed += 1;
        lines.push(`FAIL ${place} passes; strike it from expected.yaml`);
      } else if (why === undefined) {
        failed += 1;
        lines.push(`FAIL ${place}`);
        for (const check of wrong) lines.push(`     ${check.id}: ${check.errorMessage ?? ""}`.slice(0, 400));
      } else {
        known += 1;
        lines.push(`known ${place}: ${why}`);
      }
    }
    rows.push([arrangement, revision, ...count[true], ...count[false]]);
  }
}

const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => String(row[at]).length)));
lines.forEach((line) => console.log(line));
console.log();
for (const row of rows) {
  console.log(row.map((cell, at) => (at < 2 ? String(cell).padEnd(widths[at]) : String(cell).padStart(widths[at]))).join("  "));
}
console.log(`\n${known} failed as expected.yaml says`);
console.log(`conformance: ${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

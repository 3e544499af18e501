// Compares what the suite found with what is expected, and prints both.
//
//   node report.mjs RESULTS EXPECTED.yaml ARRANGEMENT..

import { expectations, found, legOf, reason } from "./findings.mjs";
import { scenarios } from "./requirements.mjs";

const [results, expectedFile, ...arrangements] = process.argv.slice(2);
const revisions = ["2025-11-25", "2026-07-28"];
const expected = expectations(expectedFile);

const rows = [["arrangement", "revision", "passed", "failed", "not scored: passed", "failed"]];
const lines = [];
let [passed, known, failed] = [0, 0, 0];

for (const arrangement of arrangements) {
  for (const revision of revisions) {
    const count = { true: [0, 0], false: [0, 0] };
    for (const { name, scored } of scenarios(revision, legOf(arrangement))) {
      const { plays, wrong } = found(results, arrangement, revision, name);
      const why = reason(expected, arrangement, revision, name);
      count[scored][wrong.length === 0 ? 0 : 1] += 1;
      const place = `${arrangement}, ${revision}: ${name}${scored ? "" : " (not scored)"}`;
      if (plays > 1) lines.push(`again ${place}: played ${plays} times`);
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

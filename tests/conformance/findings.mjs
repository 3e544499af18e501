// What the suite found, and what is expected of it.
//
//   node findings.mjs RESULTS EXPECTED.yaml ARRANGEMENT REVISION    prints the scenarios that may only have been late

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { scenarios } from "./requirements.mjs";

// What the suite says when nothing came within the fraction of a second that it waits: on a busy machine that is too short.
const LATE = {
  "server-stateless": /\bframes\b|frame structures|aborted/,
  "tools-call-with-logging": /^No log notifications|log messages, got/,
};

// In this arrangement the suite is the upstream; in all others it is the client.
export const legOf = (arrangement) => (arrangement === "upstream" ? "client" : "server");

// What a scenario found wrong when it was played last, and how often it was played; a scenario that left nothing has
// failed as a whole.
export function found(results, arrangement, revision, scenario) {
  const [folder, leg] = [join(results, arrangement, revision), legOf(arrangement)];
  // Folders are named server-<scenario>-<time>, and without the first part for clients.
  const time = /-\d{4}-\d\d-\d\dT[\d-]+Z$/;
  const folders = existsSync(folder) ? readdirSync(folder) : [];
  const wanted = leg === "server" ? `server-${scenario}` : scenario;
  const plays = folders.filter((name) => name.replace(time, "") === wanted).sort();
  const last = plays.length > 0 && join(folder, plays.at(-1));
  return { plays: plays.length, wrong: complaints(last, leg) };
}

function complaints(folder, leg) {
  if (!folder || !existsSync(join(folder, "checks.json")))
    return [{ id: "(not run)", errorMessage: "the suite left no result" }];
  const said = (name) => readFileSync(join(folder, name), "utf8");
  const checks = JSON.parse(said("checks.json"));
  if (leg === "server") return checks.filter((check) => check.status === "FAILURE");
  // As the suite does, warnings of clients count. It sees what the gateway sends; what the client behind it was
  // answered, only that client knows.
  const wrong = checks.filter((check) => check.status === "FAILURE" || check.status === "WARNING");
  if (!said("stdout.txt").trim().endsWith("ok")) wrong.push({ id: "(client)", errorMessage: said("stderr.txt") });
  return wrong;
}

export const expectations = (file) => parse(readFileSync(file, "utf8"), { merge: true });

// The reason why a scenario is expected to fail; what an arrangement says goes before what holds everywhere.
export function reason(expected, arrangement, revision, scenario) {
  const places = [`${arrangement}, ${revision}`, arrangement, "everywhere"];
  return places.map((place) => expected[place]?.[scenario]).find((why) => why !== undefined);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [results, expectedFile, arrangement, revision] = process.argv.slice(2);
  const expected = expectations(expectedFile);
  for (const { name } of scenarios(revision, legOf(arrangement))) {
    if (!(name in LATE) || reason(expected, arrangement, revision, name) !== undefined) continue;
    const { wrong } = found(results, arrangement, revision, name);
    if (wrong.length > 0 && wrong.every(({ errorMessage }) => LATE[name].test(errorMessage))) console.log(name);
  }
}

// Named checks: each prints `ok` or `FAIL` with a reason, and a closing line counts them.

const REASON_LENGTH = 600;
// Against hangs: many times what an idle machine takes. The requests' own limits are shorter.
const PROGRAM_SECONDS = 900;
const GROUP_SECONDS = 240;

export class Checks {
  constructor(program, seconds = PROGRAM_SECONDS) {
    Object.assign(this, { program, place: '', passed: 0, failed: 0 });
    setTimeout(() => {
      this.fail('program', `still running after ${seconds} s`);
      process.exit(this.close());
    }, seconds * 1000).unref();
  }

  // Checks that belong together; an exception or the time-out fails the group, not the program.
  async group(place, run, seconds = GROUP_SECONDS) {
    const outer = this.place;
    this.place = place;
    const clean = [];
    try {
      return await within(seconds, run((close) => clean.push(close)));
    } catch (error) {
      this.place = place;
      this.fail('ran to its end', error?.stack ?? error);
    } finally {
      for (const close of clean.reverse()) await within(10, close()).catch(() => {});
      this.place = outer;
    }
  }

  equal(name, got, expected) {
    const where = difference(got, expected);
    this.true(name, where === undefined, where);
  }

  true(name, condition, reason = '') {
    if (!condition) return this.fail(name, typeof reason === 'string' ? reason : JSON.stringify(reason));
    this.passed += 1;
    console.log(`ok   ${this.place}: ${name}`);
  }

  fail(name, reason) {
    this.failed += 1;
    console.log(`FAIL ${this.place}: ${name}: ${String(reason).replace(/\s+/g, ' ').slice(0, REASON_LENGTH)}`);
  }

  // Prints the closing line; gives the exit code.
  close() {
    console.log(`${this.program}: ${this.passed} passed, ${this.failed} failed`);
    return this.failed ? 1 : 0;
  }
}

export async function within(seconds, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${seconds} s`)), seconds * 1000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// The first place where two JSON values differ, or undefined. The order of an object's keys is no difference.
export function difference(got, expected, path = '$') {
  const shown = `${path}: got ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`;
  if (kind(got) !== kind(expected)) return shown;
  if (kind(got) === 'array' && got.length !== expected.length) return shown;
  if (typeof got !== 'object' || got === null) return got === expected ? undefined : shown;
  for (const key of new Set([...Object.keys(expected), ...Object.keys(got)])) {
    if (!(key in got)) return `${path}.${key}: missing`;
    if (!(key in expected)) return `${path}.${key}: unexpected ${JSON.stringify(got[key])}`;
    const where = difference(got[key], expected[key], `${path}.${key}`);
    if (where) return where;
  }
}

function kind(value) {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

"""Counts the test cases of each rule of docs/CONTRACT.md: those with its id in their names, and those that its row of
docs/CONFORMANCE.md names.

    cargo test --workspace --locked -- --list > now.txt
    python3 tests/cases.py now.txt [before.txt]

It is an error if a rule has no case and its row names no program either, or if a row names a test that does not exist.
"""

import collections
import pathlib
import re
import sys

root = pathlib.Path(__file__).parent.parent
ID = re.compile(r"(?<![A-Za-z0-9])([A-Za-z]\d+)(?![A-Za-z0-9])")


def rows():
    """The ids that begin each row of the table of tests, and the rest of the row."""
    for line in (root / "docs/CONFORMANCE.md").read_text().splitlines():
        if line.startswith("| ") and (ids := ID.findall(line.split("|")[1])):
            yield {name.lower() for name in ids}, "|".join(line.split("|")[2:])


def named(row):
    """The tests that a row names: `module::rule`, whatever modules are around or between; a name that begins with `::` is in the
    module of the one before."""
    module = ""
    for name in re.findall(r"`([\w:*]*::[\w:*]*)`", row):
        name = module + name if name.startswith("::") else name
        module = name.rpartition("::")[0]
        parts = name.replace("cl::", "command_line::").replace("*", ".*").split("::")
        yield name, re.compile(r"(.*::)?" + r"::(\w+::)*".join(parts) + r"(::.*)?")


def counts(listing):
    """The number of cases by id, and the names in rows that no test has."""
    lines = pathlib.Path(listing).read_text().splitlines()
    tests = [line.removesuffix(": test") for line in lines if line.endswith(": test")]
    found = collections.defaultdict(set)
    for at, test in enumerate(tests):
        for name in ID.findall(test.replace("_", " ")):
            found[name].add(at)
    unknown = []
    for ids, row in rows():
        for name, pattern in named(row):
            cases = {at for at, test in enumerate(tests) if pattern.fullmatch(test)}
            if not cases:
                unknown.append(f"{'/'.join(sorted(ids)).upper()}: {name}")
            for rule in ids:
                found[rule] |= cases
    return found, unknown, len(tests)


if len(sys.argv) not in (2, 3):
    sys.exit("usage: python3 tests/cases.py NOW.txt [BEFORE.txt]; each is what `cargo test --workspace --locked -- --list` prints")
rules = re.findall(r'^<a id="([a-z]\d+)">', (root / "docs/CONTRACT.md").read_text(), re.M)
programs = {rule for ids, row in rows() for rule in ids if re.search(r"`[^`]*\.(?:sh|mjs|py)\b", row)}
columns = [counts(listing) for listing in reversed(sys.argv[1:])]
for rule in rules:
    print(f"{rule.upper():5}", *(f"{len(found[rule]):6}" for found, _, _ in columns))
print("tests", *(f"{tests:6}" for _, _, tests in columns))
found, unknown, _ = columns[-1]
missing = [rule.upper() for rule in rules if not found[rule] and rule not in programs]
if missing or unknown:
    sys.exit("\n".join([f"no test of {', '.join(missing)}"] * bool(missing) + [f"no such test: {name}" for name in unknown]))

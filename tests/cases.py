"""Counts the test cases of each rule of docs/CONTRACT.md, by the ids that begin their names.

    cargo test --workspace --locked -- --list > now.txt
    python3 tests/cases.py now.txt [before.txt]

A rule that the list of docs/CONFORMANCE.md tests by other programs alone has no case here; one that nothing tests is an error.
"""

import collections
import pathlib
import re
import sys

root = pathlib.Path(__file__).parent.parent
rules = re.findall(r'^<a id="([a-z]\d+)">', (root / "docs/CONTRACT.md").read_text(), re.M)
tested_otherwise = set(re.findall(r"\b([A-Z]\d+)\b[^|\n]*\|[^|\n]*`(?:bash|node|cargo run)", (root / "docs/CONFORMANCE.md").read_text()))


def counts(listing):
    """The number of cases by id: a name may begin with several, and the name of the rule's module counts for its cases."""
    found = collections.Counter()
    for line in pathlib.Path(listing).read_text().splitlines():
        if line.endswith(": test"):
            for part in line.removesuffix(": test").split("::"):
                found.update(re.findall(r"(?:^|_)([a-z]\d+)(?=_)", re.match(r"(?:[a-z]\d+_)*", part).group()))
    return found


columns = [counts(listing) for listing in reversed(sys.argv[1:])]
missing = []
for rule in rules:
    print(f"{rule.upper():5}", *(f"{column[rule]:6}" for column in columns))
    if columns[-1][rule] == 0 and rule.upper() not in tested_otherwise:
        missing.append(rule.upper())
print("sum  ", *(f"{sum(column[rule] for rule in rules):6}" for column in columns))
if missing:
    sys.exit(f"no test of {', '.join(missing)}")

"""Counts the words of each page: those of docs/ that are written by hand, and the pages beside it. A word has a letter or a digit, so that
the lines of tables are none.

    python3 tests/words.py              the pages as they are
    python3 tests/words.py REVISION     beside those of a commit

Not part of the sum of docs/: the contract and its tests, decisions, and pages that a program writes.
"""

import pathlib
import subprocess
import sys

root = pathlib.Path(__file__).parent.parent
BESIDE = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
GENERATED = {"docs/attacks.md", "docs/conversation.md", "docs/reference.md", "docs/transcripts.md"}
RULES = {"docs/CONTRACT.md", "docs/CONFORMANCE.md"}


def words(text):
    return sum(any(map(str.isalnum, word)) for word in text.split())


def kind(path):
    if path in BESIDE:
        return "beside docs/"
    if path in GENERATED:
        return "written by programs"
    if path in RULES:
        return "rules"
    return "decisions" if path.startswith("docs/decisions/") else "docs/"


def now():
    files = [*root.glob("docs/**/*.md"), *(root / name for name in BESIDE)]
    return {str(file.relative_to(root)): words(file.read_text()) for file in files}


def at(revision):
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout

    names = git("ls-tree", "-r", "--name-only", revision, "docs", *BESIDE).splitlines()
    return {name: words(git("show", f"{revision}:{name}")) for name in names if name.endswith(".md")}


tables = [at(sys.argv[1]), now()] if len(sys.argv) > 1 else [now()]
pages = sorted(set().union(*tables), key=lambda path: (kind(path), path))
print("| page |" + " before | now |" * (len(tables) > 1) + " words |" * (len(tables) == 1))
print("|---|" + "---:|" * len(tables))
for group in dict.fromkeys(map(kind, pages)):
    of_group = [page for page in pages if kind(page) == group]
    for page in of_group:
        print(f"| {page} |" + "".join(f" {table.get(page, 0):,} |" for table in tables))
    sums = [sum(table.get(page, 0) for page in of_group) for table in tables]
    print(f"| **{group}** |" + "".join(f" **{total:,}** |" for total in sums))

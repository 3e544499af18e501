"""What a front found for the labelled queries, as a row."""

import json
import subprocess
from dataclasses import dataclass, field
from statistics import median

FIRST = 5
HEAD = """\
| search | first | in five | possible: nothing, only weak | impossible: nothing, only weak | start | an answer | largest | \
one tool used | ms |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"""


@dataclass
class Asked:
    """A query with what was found."""

    task: dict
    hits: list
    answer: str
    """What the model reads."""
    seconds: float
    spent: list = field(default_factory=list)
    """All that a model writes and reads from the query to the call of a right tool; empty if none was found."""

    def is_impossible(self):
        return not self.task["tools"]

    def is_weak(self):
        return bool(self.hits) and all(hit.is_weak for hit in self.hits)

    def rank(self):
        """The place of the first right tool, from 0; `None` if none was found."""
        right = self.task["tools"]
        return next((at for at, hit in enumerate(self.hits) if hit.tool in right), None)

    def is_missed(self):
        return not self.is_impossible() and (self.rank() is None or self.rank() >= FIRST)


class Counter:
    """Tokens of texts, counted all at once by the program that counts for docs/accuracy.md."""

    def __init__(self, accuracy, texts):
        lines = "".join(json.dumps(text) + "\n" for text in texts)
        run = subprocess.run([accuracy, "count"], input=lines, capture_output=True, text=True, check=True)
        self.tokens = dict(zip(texts, map(int, run.stdout.split()), strict=True))

    def all(self, texts):
        return sum(self.tokens[text] for text in texts)


def row(label, start, asked, counter):
    """A row. `start` is what a host shows a model first."""
    possible = [one for one in asked if not one.is_impossible()]
    impossible = [one for one in asked if one.is_impossible()]

    def share(places):
        return sum(one.rank() is not None and one.rank() < places for one in possible) / len(possible)

    def empty_and_weak(queries):
        nothing, weak = (sum(test(one) for one in queries) for test in (lambda one: not one.hits, Asked.is_weak))
        return f"{nothing}, {weak} of {len(queries)}"

    answers = [counter.all([one.answer]) for one in asked]
    used = [counter.all([start, *one.spent]) for one in possible if one.spent]
    cells = [
        label,
        f"{share(1):.2f}",
        f"{share(FIRST):.2f}",
        empty_and_weak(possible),
        empty_and_weak(impossible),
        f"{counter.all([start]):,}",
        f"{median(answers):,.0f}",
        f"{max(answers):,}",
        f"{median(used):,.0f}" if used else "none",
        f"{median(one.seconds for one in asked) * 1000:.1f}",
    ]
    return "| " + " | ".join(cells) + " |"


def misses(asked):
    """The possible queries without a right tool among the first five, a line each."""
    return [
        f"- “{one.task['query']}”: {' or '.join(f'`{tool}`' for tool in one.task['tools'])}; "
        f"found {', '.join(f'`{hit.tool}`' for hit in one.hits[:FIRST]) or 'nothing'}"
        for one in asked
        if one.is_missed()
    ]

#!/usr/bin/env python3
"""Lays out sets of queries as `measure.py` reads them: `sets.py FOLDER` writes FOLDER/SET/lists/SERVER.json and FOLDER/SET/tasks.jsonl.

`tests/data/search` has three sets; LiveMCPBench (Apache-2.0) is fetched from its repository. Its labels are the tools that its
annotators name, on every server that has a tool of that name; its misses are for nobody to look at."""

import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIVE = "https://github.com/icip-cas/LiveMCPBench", "a928e57d1ee7a25579b9a7036030faffff72d15b"


def write(folder, name, servers, tasks):
    lists = folder / name / "lists"
    lists.mkdir(parents=True, exist_ok=True)
    for server, tools in servers.items():
        (lists / f"{server}.json").write_text(json.dumps({"server": {"name": server, "version": "1"}, "tools": tools}))
    lines = "".join(json.dumps({"query": query, "tools": tools}) + "\n" for query, tools in tasks)
    (folder / name / "tasks.jsonl").write_text(lines)


def ours(folder):
    """The sets of this repository, each as one server."""
    for file in sorted((HERE / "../data/search").glob("*.jsonl")):
        name = file.stem
        tools = json.loads(file.with_name(f"{name}-tools.json").read_text())["tools"]
        asked = map(json.loads, file.read_text().splitlines())
        tasks = [(one["query"], [f"{name}:{tool}" for tool in one["tools"]]) for one in asked]
        write(folder, name, {name: tools}, tasks)


def live(folder):
    """LiveMCPBench, in the users' words."""
    address, commit = LIVE
    repository = folder / "LiveMCPBench"
    if not repository.exists():
        subprocess.run(["git", "clone", "--quiet", "--filter=blob:none", "--no-checkout", address, repository], check=True)

    def read(path):
        show = ["git", "-C", repository, "show", f"{commit}:{path}"]
        return json.loads(subprocess.run(show, check=True, capture_output=True).stdout)

    servers = {}
    for one in read("tools/LiveMCPTool/tools.json"):
        for name, server in one["tools"].items():
            servers.setdefault(re.sub(r"[^a-z0-9-]+", "-", name.lower()), server["tools"])
    having = {}
    for server, tools in servers.items():
        for tool in tools:
            having.setdefault(tool["name"], []).append(f"{server}:{tool['name']}")
    tasks = []
    for task in read("annotated_data/all_annotations.json"):
        named = [re.sub(r"^\s*\d+\.\s*", "", line).strip() for line in task["Annotator Metadata"]["Tools"].split("\n")]
        right = list(dict.fromkeys(label for tool in named for label in having.get(tool, [])))
        if right:
            tasks.append((task["Question"].strip(), right))
    write(folder, "LiveMCPBench", servers, tasks)


if __name__ == "__main__":
    ours(Path(sys.argv[1]))
    live(Path(sys.argv[1]))

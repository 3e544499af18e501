#!/usr/bin/env python3
"""A plain search over the recorded tools, over stdio: bm25s with English stems, over names, descriptions and parameters.

    bm25s_server.py FOLDER

What a program does that has no search of its own: it answers with up to five whole definitions.
"""

import json
import os
import re
import sys
from pathlib import Path

# Read when the package is imported.
os.environ.setdefault("FASTMCP_LOG_LEVEL", "ERROR")

import bm25s
import snowballstemmer
from fastmcp import FastMCP

HITS = 5
stemmer = snowballstemmer.stemmer("english")
lists = {file.stem: json.loads(file.read_text())["tools"] for file in sorted(Path(sys.argv[1]).glob("*.json"))}
tools = [{**tool, "name": f"{server}__{tool['name']}"} for server, listed in lists.items() for tool in listed]


def spaced(text):
    """Identifiers as words."""
    return re.sub(r"[_\W]+", " ", re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text))


def text(tool):
    parameters = (tool.get("inputSchema") or {}).get("properties") or {}
    described = [f"{name} {it.get('description', '')}" for name, it in parameters.items() if isinstance(it, dict)]
    return spaced(" ".join([tool["name"], tool.get("description") or "", *described]))


def tokens(texts):
    return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer.stemWords, show_progress=False)


index = bm25s.BM25()
index.index(tokens([text(tool) for tool in tools]), show_progress=False)
server = FastMCP("bm25s")


@server.tool(output_schema=None)
def search_tools(query: str) -> str:
    """Finds tools by words."""
    found, scores = index.retrieve(tokens([spaced(query)]), k=min(HITS, len(tools)), show_progress=False)
    hits = [tools[at] for at, score in zip(found[0], scores[0]) if score > 0]
    return json.dumps(hits, ensure_ascii=False, separators=(",", ":"))


@server.tool(output_schema=None)
def call_tool(name: str, arguments: dict) -> str:
    """Calls a tool."""
    return "Done."


server.run(transport="stdio", show_banner=False)

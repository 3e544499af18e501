#!/usr/bin/env python3
"""Circles of files: those of a crate that import each other by `use crate::`, directly or through others.

Fails where a circle has more than three files, or files of different folders. Run in the root of the project.
"""

import pathlib
import re
import sys

MOST = 3


def imports(text):
    """The paths after `crate::` in a file's use declarations, without tests'."""
    text = text.split("#[cfg(test)]\nmod ")[0]
    paths = []

    def walk(prefix, tree):
        tree = tree.strip()
        if "{" not in tree:
            paths.append(prefix + tree.split(" as ")[0].split("::"))
            return
        head, inner = tree.split("{", 1)
        prefix = prefix + [part for part in head.strip().strip(":").split("::") if part]
        depth, piece = 0, ""
        for character in inner[: inner.rindex("}")]:
            depth += {"{": 1, "}": -1}.get(character, 0)
            if character == "," and depth == 0:
                walk(prefix, piece)
                piece = ""
            else:
                piece += character
        if piece.strip():
            walk(prefix, piece)

    for use in re.findall(r"^(?:pub(?:\([a-z]+\))? )?use ((?:crate|super|self)::[^;]*);", text, re.M | re.S):
        walk([], use)
    return paths


def graph(root):
    """The files of a crate, and which of them each imports."""
    files = {}
    for path in sorted(root.rglob("*.rs")):
        module = list(path.relative_to(root).with_suffix("").parts)
        if module[-1] in ("mod", "lib", "main"):
            module.pop()
        if path.name.endswith("tests.rs"):
            continue
        files[tuple(module)] = path
    names = {}
    for module, path in files.items():
        for use in re.findall(r"^pub(?:\([a-z]+\))? use ([^;]*);", path.read_text(), re.M | re.S):
            if not use.startswith(("crate", "std")):
                names.setdefault(module, []).append(use)
    def found(module, use):
        """The file that a path leads to, through re-exports."""
        parts = list(use)
        if parts[0] == "crate":
            at = parts[1:]
        else:
            at, parts = list(module), list(use)
            while parts and parts[0] in ("super", "self"):
                if parts.pop(0) == "super":
                    at.pop()
            at += parts
        for _ in range(8):
            for length in range(len(at), -1, -1):
                if tuple(at[:length]) in files:
                    break
            if length == len(at):
                return tuple(at)
            name = at[length]
            for use in names.get(tuple(at[:length]), []):
                inner = [path for path in imports(f"use self::{use};") if path[-1] == name]
                if inner:
                    at = at[:length] + inner[0][1:] + at[length + 1 :]
                    break
            else:
                return tuple(at[:length])
        return tuple(at[:length])

    edges = {}
    for module, path in files.items():
        text = path.read_text()
        reached = {found(module, use) for use in imports(text)}
        # A folder's file names its parts, and does not depend on them for that; lib.rs has re-exports alone.
        edges[module] = {other for other in reached if other and other != module}
    edges.pop((), None)
    return files, edges


def circles(edges):
    """The strongly connected components of more than one file (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in edges.get(node, ()):
            if other not in edges:
                continue
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            circle = []
            while True:
                circle.append(stack.pop())
                if circle[-1] == node:
                    break
            if len(circle) > 1:
                found.append(sorted(circle))

    sys.setrecursionlimit(10_000)
    for node in edges:
        if node not in index:
            visit(node)
    return found


def main():
    bad = 0
    for root in sorted(pathlib.Path(name) for name in (sys.argv[1:] or ["core/src"])):
        files, edges = graph(root)
        for circle in circles(edges):
            folders = {files[module].parent for module in circle}
            is_bad = len(circle) > MOST or len(folders) > 1
            bad += is_bad
            names = ", ".join(str(files[module].relative_to(root)) for module in circle)
            print(f"{root}: {'TOO LARGE ' if is_bad else ''}{len(circle)}: {names}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

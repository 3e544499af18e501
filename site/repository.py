"""A preprocessor of mdBook. In the repository, pages of docs/ link to code beside docs/; on the site such links lead to the repository.
Browsers break lines within names such as `--mcp-config`; on the site, words of code are kept together.
Decisions are pages as well, below the list of them; style.css keeps them out of the sidebar.
"""

import json
import posixpath
import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
FENCED = re.compile(r"(^ *```.*?^ *```$|`[^`\n]*(?:\n[^`\n]+)?`)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s:#]+)(#[^)\s]*)?\)")

# Of prose: browsers break lines behind each hyphen.
UNBROKEN = re.compile(r"(?<![\w/.\[(<-])(mcp-disclosure|\d{4}-\d\d-\d\d)(?![\w/.)>-])")

# In characters: what fits a line of a phone, and a cell there that leaves room for others.
LONGEST_WORD = 34
LONGEST_IN_CELL = 20


def linked(folder, repository, match):
    """A link as it is on the site; `folder` is that of its page, relative to docs/."""
    path, anchor = match[1], match[2] or ""
    place = posixpath.normpath(posixpath.join(folder, path))
    if place.startswith("../"):
        kind = "tree" if (DOCS / place).is_dir() else "blob"
        return f"]({repository}/{kind}/main/{place.removeprefix('../')}{anchor})"
    if (DOCS / place).is_dir():
        path = f"{path.rstrip('/')}/README.md"
    # mdBook renames these pages, but not the links to them.
    return f"]({re.sub(r'README[.]md$', 'index.html', path)}{anchor})"


def as_entities(text):
    """Text that is neither Markdown nor HTML."""
    return "".join(letter if letter.isalnum() or letter == " " else f"&#{ord(letter)};" for letter in text)


def unbroken(code, line):
    """Inline code, of which words are kept on one line, and longer ones are broken behind what separates their parts. `line` is
    what stands before it: headings are left as they are, since their ids are made of them."""
    words = code[1:-1].split()
    in_cell = line.lstrip().startswith("|")
    longest = LONGEST_IN_CELL if in_cell else LONGEST_WORD
    if line.startswith("#") or all("-" not in word and len(word) <= longest for word in words):
        return code
    if in_cell:
        words = [word.replace("\\|", "|") for word in words]
    shown = []
    for word in words:
        parts = [word] if len(word) <= longest else re.findall(r"[^/?&=:_.]+[/?&=:_.]*|[/?&=:_.]+", word)
        shown.append("<wbr>".join(f'<span class="word">{as_entities(part)}</span>' for part in parts))
    return f"<code>{' '.join(shown)}</code>"


def page(content, path, repository):
    """A page as it is on the site."""
    folder = posixpath.dirname(path)
    shown, line = [], ""
    for number, part in enumerate(FENCED.split(content)):
        # Every second part is code, in which nothing is a link.
        if number % 2 == 0:
            lines = part.split("\n")
            heads = [line + lines[0], *lines[1:]]
            lines = [
                text if head.startswith("#") else UNBROKEN.sub(r'<span class="word">\1</span>', text)
                for head, text in zip(heads, lines)
            ]
            line = heads[-1]
            part = LINK.sub(lambda match: linked(folder, repository, match), "\n".join(lines))
        elif not part.lstrip().startswith("```"):
            code, line = part, line + part
            part = unbroken(code, line[: -len(code)])
        shown.append(part)
    return "".join(shown)


def add_decisions(items):
    """Adds a chapter for each decision below the page that lists them."""
    for chapter in (item["Chapter"] for item in items if "Chapter" in item):
        if chapter["source_path"] == "decisions/README.md":
            for file in sorted((DOCS / "decisions").glob("0*.md")):
                path, content = f"decisions/{file.name}", file.read_text()
                name = content.splitlines()[0].lstrip("# ")
                chapter["sub_items"].append({"Chapter": {
                    "name": name, "content": content, "number": None, "sub_items": [],
                    "path": path, "source_path": path, "parent_names": [chapter["name"]],
                }})


def walk(items, repository):
    """Changes all chapters in place."""
    for chapter in (item["Chapter"] for item in items if "Chapter" in item):
        if chapter["source_path"]:
            chapter["content"] = page(chapter["content"], chapter["source_path"], repository)
        walk(chapter["sub_items"], repository)


if len(sys.argv) == 1:  # With an argument mdBook asks whether a renderer is supported: every one is.
    context, book = json.load(sys.stdin)
    add_decisions(book["items"])
    walk(book["items"], context["config"]["output"]["html"]["git-repository-url"])
    json.dump(book, sys.stdout)

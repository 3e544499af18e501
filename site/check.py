"""Checks the built site without network: links and anchors lead somewhere in it, nothing is loaded from elsewhere, and every
page can be reached without scripts. Usage: check.py FOLDER
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

CONTENTS = "toc.html"
# Of no chapter: what is shown for an unknown address.
UNKNOWN = "404.html"


class Page(HTMLParser):
    """A page: the ids in it, what it links to, what it loads, and what it shows without scripts."""

    def __init__(self, file):
        super().__init__()
        self.ids, self.links, self.loaded, self.frames = set(), [], [], []
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get("id"))
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        elif tag == "iframe":
            self.frames.append(attributes["src"])
        elif source := attributes.get("src") or (tag == "link" and attributes.get("href")):
            self.loaded.append(source)


def problems(root):
    """Everything that is wrong with the site."""
    root = root.resolve()
    pages = {file: Page(file) for file in root.rglob("*.html")}
    reached = set()
    for file, page in pages.items():
        name = file.relative_to(root)
        for link in page.links + page.loaded + page.frames:
            url = urlsplit(link)
            if url.scheme or url.netloc:
                if link in page.loaded + page.frames:
                    yield f"{name} loads {link}"
                continue
            target = (file.parent / unquote(url.path)).resolve() if url.path else file
            if not target.is_file():
                yield f"{name} links to {link}, which does not exist"
            elif url.fragment and target in pages and unquote(url.fragment) not in pages[target].ids:
                yield f"{name} links to {link}, which has no such anchor"
            elif name.name == CONTENTS:
                reached.add(target)
        if name.name != CONTENTS and not any(frame.endswith(CONTENTS) for frame in page.frames):
            yield f"{name} has no contents without scripts"
    for file in pages.keys() - reached - {root / CONTENTS, root / UNKNOWN}:
        yield f"{file.relative_to(root)} is not in the contents; add it to docs/SUMMARY.md"
    if len(pages) < 30:
        yield f"there are {len(pages)} pages only"


found = sorted(problems(Path(sys.argv[1])))
print("\n".join(found) or f"{sys.argv[1]}: all links lead somewhere")
sys.exit(1 if found else 0)

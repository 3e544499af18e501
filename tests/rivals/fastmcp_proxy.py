#!/usr/bin/env python3
"""FastMCP's proxy with its BM25 search in front of the servers of a host's file, over stdio.

    fastmcp_proxy.py SERVERS.json

Also a row of `accuracy run --server` (docs/accuracy.md).
"""

import json
import os
import sys
from pathlib import Path

# It reports every request to every upstream otherwise. Read when the package is imported.
os.environ.setdefault("FASTMCP_LOG_LEVEL", "ERROR")

from fastmcp.server import create_proxy
from fastmcp.server.transforms.search import BM25SearchTransform

proxy = create_proxy(json.loads(Path(sys.argv[1]).read_text()), name="FastMCP")
proxy.add_transform(BM25SearchTransform())
proxy.run(transport="stdio", show_banner=False)

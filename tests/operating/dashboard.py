"""Reads a dashboard by Grafana's own models, and asks a Prometheus each of its queries.

    dashboard.py FILE ADDRESS

What the models do not know is lost in them, and named here.
"""

import json
import sys
import urllib.parse
import urllib.request

from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard


def lost(given, read, place=""):
    """Where two values differ, as paths."""
    if isinstance(given, dict) and isinstance(read, dict):
        for key, value in given.items():
            yield from lost(value, read.get(key), f"{place}/{key}")
    elif isinstance(given, list) and isinstance(read, list) and len(given) == len(read):
        for at, (one, other) in enumerate(zip(given, read)):
            yield from lost(one, other, f"{place}/{at}")
    elif given != read:
        yield place


def main():
    file, address = sys.argv[1:]
    with open(file, encoding="utf-8") as source:
        given = json.load(source)
    register_default_plugins()
    read = json.loads(JSONEncoder().encode(Dashboard.from_json(given)))
    if places := list(lost(given, read)):
        sys.exit(f"{file}: Grafana does not know {', '.join(places)}")
    for panel in given["panels"]:
        for target in panel["targets"]:
            query = target["expr"].replace("$job", "mcp-disclosure").replace("$__rate_interval", "1m")
            address_of_query = f"http://{address}/api/v1/query?" + urllib.parse.urlencode({"query": query})
            with urllib.request.urlopen(address_of_query) as response:
                if json.load(response)["status"] != "success":
                    sys.exit(f"{file}: {panel['title']}: {query}")


main()

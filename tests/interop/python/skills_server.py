"""Two skills of FastMCP, one of which every server of this program has: python skills_server.py NAME"""

import sys

from fastmcp import FastMCP
from nimblebrain_bundle_sdk.skills import SkillDefinition, SkillsExtension


def skill(path, of, files=()):
    name = path.rsplit("/", 1)[-1]
    text = f"---\nname: {name}\ndescription: Of {of}.\nmetadata:\n  odd: 1.50\n---\nSee [the form](forms/eu.md).\n"
    return SkillDefinition(path, {"SKILL.md": text, **dict(files)})


name = sys.argv[1]
server = FastMCP(name)
both = skill("refunds", name, {"forms/eu.md": f"The form of {name}.", "logo.bin": bytes([255, 0]) + name.encode()})
server.add_extension(SkillsExtension([both, skill(f"{name}/own", name)]))
server.run(show_banner=False)

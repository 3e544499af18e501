"""Packs a wheel: the binary as a script, and a module that starts it.

    python3 pack.py BINARY TARGET VERSION FOLDER
"""

import base64
import hashlib
import json
import re
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
PACKAGING = HERE.parent
REPOSITORY = "https://github.com/mcp-disclosure/mcp-disclosure"


def platform_tag(target, binary):
    """The systems that a binary runs on, in the form of PEP 425 and 600."""
    platforms = json.loads((PACKAGING / "platforms.json").read_text())
    tag = next(platform["wheel"] for platform in platforms if platform["target"] == target)
    # The oldest glibc that has every symbol the binary asks for; manylinux begins at 2.17 in practice.
    wanted = [int(minor) for minor in re.findall(rb"\0GLIBC_2\.(\d+)", binary)]
    return tag.replace("manylinux_", f"manylinux_2_{max(wanted, default=17)}_")


def python_version(version):
    """A semantic version in the form of PEP 440: 0.2.0-rc.1 is 0.2.0rc1."""
    return re.sub(r"-(alpha|beta|rc)\.?", lambda match: {"alpha": "a", "beta": "b", "rc": "rc"}[match[1]], version)


def metadata(version):
    return f"""\
Metadata-Version: 2.4
Name: mcp-disclosure
Version: {version}
Summary: One MCP server in front of any others, disclosing their tools progressively
Keywords: mcp,gateway,tools,context
License-Expression: MIT OR Apache-2.0
License-File: LICENSE-APACHE
License-File: LICENSE-MIT
Requires-Python: >=3.10
Project-URL: Source, {REPOSITORY}
Project-URL: Changelog, {REPOSITORY}/blob/main/CHANGELOG.md
Description-Content-Type: text/markdown

{(PACKAGING / "ABOUT.md").read_text()}"""


def pack(binary, target, version, out):
    program = Path(binary).read_bytes()
    tag = f"py3-none-{platform_tag(target, program)}"
    version = python_version(version)
    info, data = f"mcp_disclosure-{version}.dist-info", f"mcp_disclosure-{version}.data"
    name = "mcp-disclosure.exe" if "windows" in target else "mcp-disclosure"
    wheel = f"Wheel-Version: 1.0\nGenerator: mcp-disclosure\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files = {
        f"{data}/scripts/{name}": program,
        "mcp_disclosure/__init__.py": (HERE / "__init__.py").read_bytes(),
        "mcp_disclosure/__main__.py": (HERE / "__main__.py").read_bytes(),
        f"{info}/licenses/LICENSE-APACHE": (PACKAGING / "../LICENSE-APACHE").read_bytes(),
        f"{info}/licenses/LICENSE-MIT": (PACKAGING / "../LICENSE-MIT").read_bytes(),
        f"{info}/METADATA": metadata(version).encode(),
        f"{info}/WHEEL": wheel.encode(),
    }
    record = "".join(f"{path},sha256={digest(content)},{len(content)}\n" for path, content in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    path = Path(out) / f"mcp_disclosure-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in files.items():
            # Without the time of day, so that the same binary makes the same wheel.
            entry = zipfile.ZipInfo(member, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/scripts/" in member else 0o100644) << 16
            archive.writestr(entry, content)
    print(path)


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


pack(*sys.argv[1:])

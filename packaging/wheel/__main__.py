"""Starts the program, for `python -m mcp_disclosure`."""

import os
import subprocess
import sys
import sysconfig


def program():
    """The binary beside the interpreter's other scripts, of this environment or of the user."""
    name = "mcp-disclosure" + (sysconfig.get_config_var("EXE") or "")
    schemes = [sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")]
    for scheme in schemes:
        found = os.path.join(sysconfig.get_path("scripts", scheme), name)
        if os.path.isfile(found):
            return found
    sys.exit("mcp-disclosure: the binary is not installed\nmcp-disclosure: hint: pip install --force-reinstall mcp-disclosure")


def main():
    command = [program(), *sys.argv[1:]]
    if os.name == "nt":
        # exec would end this process, which its parent waits for, at once.
        sys.exit(subprocess.run(command, check=False).returncode)
    os.execv(command[0], command)


main()

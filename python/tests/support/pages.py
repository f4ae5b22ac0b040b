"""Pages of the documentation: the files that they show, and the commands with what these print."""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
from pathlib import Path

_FILE = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_COMMANDS = re.compile(
    r"^```console\n\$ ([^\n]*(?:\n\$ [^\n]*)*)\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


def check_commands(page: str, folder: Path, beginning: str = "") -> int:
    """Write the files of a page into a folder, run its commands there, and compare what they print.

    Args:
        page: the text of the page.
        folder: the folder.
        beginning: only blocks of commands that begin so are run.

    Returns:
        How many blocks were run.
    """
    for name, text in _FILE.findall(page):
        (folder / name).write_text(text)
    path = f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"
    blocks = [each for each in _COMMANDS.findall(page) if each[0].startswith(beginning)]
    for command, output in blocks:
        done = subprocess.run(
            ["bash", "-ec", command.replace("\n$ ", "\n")],
            check=False,
            cwd=folder,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        assert done.stdout == output, command
    return len(blocks)

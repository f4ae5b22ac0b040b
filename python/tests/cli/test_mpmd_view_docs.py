"""The page about `sdykit mpmd-view` does what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from sdykit.viz import mpmd_view

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "mpmd-view.md").read_text()
TWO_STAGES = re.findall(
    r'^```mlir title="two_stages.mlir"\n(.*?)^```$',
    (DOCS / "mpmd.md").read_text(),
    re.MULTILINE | re.DOTALL,
)[0]
BLOCKS = re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS)
def test_commands_of_the_page_run(block: str, tmp_path: Path) -> None:
    (tmp_path / "two_stages.mlir").write_text(TWO_STAGES)
    (tmp_path / "function.mlir").write_text("module {\n  func.func @f() { return }\n}\n")
    commands = re.findall(r"^\$ (.*)$", block, re.MULTILINE)
    expected = re.sub(r"^\$ .*\n", "", block, flags=re.MULTILINE)
    runnable = re.sub(r"\bsdykit mpmd", f"{sys.executable} -m sdykit.cli mpmd", "\n".join(commands))
    done = subprocess.run(
        ["/bin/sh", "-c", runnable],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}"},
    )
    assert done.stdout + done.stderr == expected
    assert done.returncode == (1 if expected else 0)
    page = re.findall(r"-o (\S+\.html)", block)[-1]
    assert (tmp_path / page).exists() is not bool(expected)


def test_the_passes_are_those_that_the_picture_names() -> None:
    script = (Path(mpmd_view.__file__).parent / "templates/details.js").read_text()
    named = re.findall(r'^  \w+: "(mpmd-[\w-]+)",$', script, re.MULTILINE)
    listed = re.findall(r"^\| [A-Z][\w ]+ \| `-(mpmd-[\w-]+)` \|", PAGE, re.MULTILINE)
    assert sorted(listed) == sorted(named)
    assert len(named) == 5

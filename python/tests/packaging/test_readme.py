"""The example in the README prints what the README shows."""

from __future__ import annotations

import re
import subprocess
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_the_example_prints_what_the_readme_shows(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    before, after = re.findall(r"^```mlir\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    (command,) = re.findall(r"`sdy-opt (input\.mlir .*?)`", readme)
    (tmp_path / "input.mlir").write_text(before)
    done = subprocess.run(
        [Path(sysconfig.get_path("scripts"), "sdy-opt"), *command.split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == after.strip()

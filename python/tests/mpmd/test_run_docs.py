"""The scripts on the page about running on devices do what it shows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = (Path(__file__).parents[3] / "docs" / "mpmd-run.md").read_text()


def test_the_scripts_of_the_page_print_what_it_shows(tmp_path: Path) -> None:
    """Those without a name are run at the end of the first, as the page says."""
    (name, first), *others = re.findall(
        r'^```python(?: title="([^"]+)")?\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL
    )
    assert len(others) == 2
    assert not any(other for other, _ in others)
    shown = re.search(rf"^```console\n\$ python {name}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert shown is not None
    (tmp_path / name).write_text("".join([first, *(script for _, script in others)]))
    done = subprocess.run(
        [sys.executable, name], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout == shown[1]
    assert "as it ran" in (tmp_path / "schedule.html").read_text()

"""The example and the table on the page on the reference."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from sdykit.sparsecore.optimizers import OPTIMIZERS

PAGE = (Path(__file__).parents[3] / "docs" / "sparsecore-reference.md").read_text()


def test_the_example_prints_what_the_page_shows():
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    output = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == output


def test_the_table_has_every_optimizer_with_its_slots():
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", PAGE, re.MULTILINE)
    found = {name: [float(x) for x in re.findall(r"\(([\d.]+)\)", slots)] for name, slots in rows}
    expected = {
        kind.__name__: list(kind(0.1).slots.values())
        for name, kind in OPTIMIZERS.items()
        if name != "custom"
    }
    assert found == expected

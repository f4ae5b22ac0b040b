"""The page on tile programs does what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = (Path(__file__).parents[4] / "docs" / "tile-programs.md").read_text()


def test_the_examples_print_what_the_page_shows() -> None:
    codes = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    outputs = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(codes) == 2
    for code, output in zip(codes, outputs, strict=True):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert done.stdout == output

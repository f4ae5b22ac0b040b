"""The programs of docs/pipelining.md run."""

from __future__ import annotations

import re
from pathlib import Path

from support.bridge.ffi_programs import run_python

PAGE = (Path(__file__).parents[4] / "docs" / "pipelining.md").read_text()


def test_the_programs_of_the_page_run() -> None:
    programs = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(programs) == 4
    assert run_python("\n".join(programs)) == ""

"""The reference of the passes lists all of them."""

from __future__ import annotations

import re
from pathlib import Path

from sdykit.core import Registry

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "passes.md"


def test_every_pass_has_its_entry() -> None:
    entries = re.findall(r"^## -(\S+)\n\n::: (\S+)", PAGE.read_text(), flags=re.MULTILINE)
    registry = Registry()
    expected = {}
    for name in registry.names():
        found = registry.get(name)
        expected[name] = f"{found.__module__}.{found.__name__}"
    assert dict(entries) == expected

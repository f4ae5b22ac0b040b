"""The commands and the code on the page about partitioned programs run as shown."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from support.pages import check_commands

PAGE = (Path(__file__).parents[3] / "docs" / "spmd.md").read_text()


def test_the_commands_of_the_page_print_what_it_shows(tmp_path: Path) -> None:
    assert check_commands(PAGE, tmp_path) == 4


def test_the_code_of_the_page_runs(tmp_path: Path) -> None:
    code = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0]
    (module,) = re.findall(
        r'^```mlir title="matmul.mlir"\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL
    )
    of = np.random.default_rng(0)
    x, w = (of.standard_normal(shape).astype(np.float32) for shape in ((8, 16), (16, 4)))
    names: dict = {"module": module, "x": x, "w": w}
    exec(code, names)
    np.testing.assert_allclose(names["results"][0], -(x @ w), rtol=1e-4, atol=1e-5)

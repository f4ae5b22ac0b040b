"""The commands and the code on the page about explanations run as shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import jax
from jax.sharding import AbstractMesh
from jax.sharding import PartitionSpec as P

from sdykit.explain.model import Reason
from support.pages import check_commands

PAGE = (Path(__file__).parents[3] / "docs" / "explain.md").read_text()


def test_the_commands_of_the_page_print_what_it_shows(tmp_path: Path) -> None:
    assert check_commands(PAGE, tmp_path) == 5


def test_the_code_of_the_page_runs(capsys) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)

    def step(x: jax.Array, w: jax.Array) -> jax.Array:
        return jax.lax.with_sharding_constraint(x @ w, P(None, None)) + 1

    shapes = {"x": (16, 8), "w": (8, 4)}
    arguments = {name: jax.ShapeDtypeStruct(each, "float32") for name, each in shapes.items()}
    exec(code, {"step": step, "P": P, "AbstractMesh": AbstractMesh, **arguments})
    assert "('data',) " in capsys.readouterr().out


def test_the_page_lists_all_reasons() -> None:
    table = PAGE.partition("## Reasons")[2].partition("## ")[0]
    assert set(re.findall(r"`([a-z ]+)`", table)) >= set(get_args(Reason))

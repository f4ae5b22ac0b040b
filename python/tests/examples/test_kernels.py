"""Each kernel of the examples computes what numpy does, on each chip, and a chip's compiler takes it."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from pathlib import Path

import jax
import numpy as np
import pytest

import sdykit.sparsecore as sc
from examples import kernels

NAMES = sorted(
    each.stem for each in Path(str(kernels.__path__[0])).glob("*.py") if each.stem != "__init__"
)


@pytest.fixture(autouse=True)
def _settings() -> Iterator[None]:
    yield
    sc.configure()
    jax.clear_caches()


def check(name: str, chip: str, mode: str) -> None:
    """Run the example on a chip as a user does: its `main` compares with numpy."""
    sc.configure(chip, pallas=mode)
    jax.clear_caches()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # Of the lint, above all.
        importlib.import_module(f"examples.kernels.{name}").main()


@pytest.mark.parametrize("name", NAMES)
def test_in_check(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    check(name, "7x", "check")
    assert capsys.readouterr().out == f"{name}: as numpy\n"


@pytest.mark.parametrize("chip", ["7x", "v5p", "v6e"])
@pytest.mark.parametrize("name", NAMES)
def test_in_fast(name: str, chip: str) -> None:
    check(name, chip, "fast")


def test_there_are_enough() -> None:
    assert len(NAMES) >= 12


def test_k_is_at_most_the_lanes() -> None:
    from examples.kernels.top_k import top_k

    sc.configure("v6e")
    with pytest.raises(ValueError, match="k is 9; a vector of this chip has 8 lanes"):
        top_k(np.zeros((8, 128), np.float32), 9)  # type: ignore[arg-type]

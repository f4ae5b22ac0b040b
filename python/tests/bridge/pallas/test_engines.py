"""Engines of kernels as a JAX program sees them: which one runs, and errors with the user's lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import sdykit.sparsecore as sc
from sdykit.bridge.kernels.compile import compilations
from sdykit.sparsecore.mosaic import compile as engines
from sdykit.sparsecore.mosaic.compile import Fallback, fallbacks
from sdykit.sparsecore.mosaic.lowering import NotLowered
from support.pallas.kernels import Kernel, add_one, vector_mesh

MODES = ("check", "fast", "reference")


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> Iterator[str]:
    sc.configure("7x", pallas=request.param)
    yield request.param
    sc.configure()


def test_a_simple_kernel_is_compiled_if_it_may_be(mode: str) -> None:
    np.testing.assert_array_equal(jax.jit(add_one())(jnp.zeros(16)), np.ones(16))
    last = compilations()[-1]
    assert last.spec["mode"] == mode
    assert (last.program is not None) == (mode != "reference")


def outside() -> Kernel:
    """Return a kernel that copies rows that an operand does not have."""

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((4, 16), jnp.float32),
        mesh=vector_mesh(num_cores=1, num_subcores=5),
    )
    def outside(x: Any, out: Any) -> None:
        row = pl.ds(jax.lax.axis_index("subcore"), 1)
        pltpu.sync_copy(x.at[row], out.at[row])

    return outside


def line_of(text: str) -> int:
    """Return the number of the line of this file that has a text."""
    lines = Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_an_error_names_the_kernel_the_subcore_and_the_line(mode: str) -> None:
    with pytest.raises(jax.errors.JaxRuntimeError) as found:
        jax.block_until_ready(jax.jit(outside())(jnp.ones((4, 16))))
    line = line_of("pltpu.sync_copy(x.at[row], out.at[row])")
    assert str(found.value).splitlines()[0] == (
        "INVALID_ARGUMENT: kernel 'outside': vector subcore (0, 4): slice out of bounds at"
        f" test_engines.py:{line}: rows 4 to 5 of 4"
    ), mode


def test_more_memory_than_a_subcore_has_is_an_error(mode: str) -> None:
    with pytest.raises(sc.SparseCoreError) as found:
        jax.jit(add_one(2**18))(jnp.ones(2**18))
    assert str(found.value) == (
        "kernel 'add_one': the VMEM of a subcore would take 1048576 bytes; 7x has 524288: scratch 0"
        " (1048576)"
    ), mode


@pytest.mark.parametrize("mode", ["check", "fast"], indirect=True)
def test_what_cannot_be_compiled_is_counted(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise NotLowered("an op of another day", "k.py:12")

    monkeypatch.setattr("sdykit.sparsecore.mosaic.lowering.compile.compile_kernel", refuse)
    monkeypatch.setattr(engines, "_fallbacks", {})
    np.testing.assert_array_equal(jax.jit(add_one(24))(jnp.zeros(24)), np.ones(24))
    assert fallbacks() == (Fallback("add_one", "an op of another day", "k.py:12"),), mode
    assert compilations()[-1].program is None


def test_what_cannot_be_compiled_is_remembered_once_and_not_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engines, "_fallbacks", {})
    monkeypatch.setattr(engines, "_MAX_FALLBACKS", 2)
    for kernel in ("one", "two", "two", "three"):
        engines._count_fallback(kernel, "an op", "k.py:1")
    assert fallbacks() == (
        Fallback("two", "an op", "k.py:1", count=2),
        Fallback("three", "an op", "k.py:1"),
    )

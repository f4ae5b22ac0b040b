"""Warnings of what a chip's compiler may refuse, at the user's lines."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

import sdykit.sparsecore as sc


@pytest.fixture(autouse=True)
def _chip() -> Iterator[None]:
    sc.configure("7x")
    yield
    sc.configure()


def copy_of_part(offset: int) -> Callable[..., Any]:
    """Return a kernel whose subcores copy 64 elements each, at multiples of an offset."""

    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((2048,), jnp.float32),
        mesh=plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore"),
        scratch_types=[pltpu.VMEM((64,), jnp.float32)],
        name="part",
    )
    def part(x: Any, out: Any, held: Any) -> None:
        worker = jax.lax.axis_index(("core", "subcore"))
        pltpu.sync_copy(x.at[pl.ds(worker * offset, 64)], held)
        pltpu.sync_copy(held, out.at[pl.ds(worker * 64, 64)])

    return part


def warnings_of(function: Callable[..., Any], *arguments: Any) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        compiled = jax.jit(function)
        compiled(*arguments)
        compiled(*arguments)
    return found


def test_a_kernel_is_warned_of_once() -> None:
    (found,) = warnings_of(copy_of_part(4), jnp.zeros(2048))
    assert str(found.message) == (
        "kernel 'part': a slice of a 1-D array in HBM begins at a multiple of 4; a chip's compiler "
        "expects a multiple of 8 elements: pad the parts of the array"
    )
    line = copy_of_part.__code__.co_firstlineno + 11
    assert (found.filename, found.lineno) == ("test_lint.py", line)


def test_not_of_what_is_aligned() -> None:
    assert warnings_of(copy_of_part(8), jnp.zeros(2048)) == []


@pytest.mark.parametrize("mode", ["fast", "reference"])
def test_not_in_other_modes(mode: str) -> None:
    sc.configure("7x", pallas=mode)
    assert warnings_of(copy_of_part(4), jnp.zeros(2048)) == []


def test_scatters_with_layout_passes() -> None:
    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((16,), jnp.int32),
        mesh=plsc.VectorSubcoreMesh(
            core_axis_name="core", subcore_axis_name="subcore", num_cores=1, num_subcores=1
        ),
        scratch_types=[pltpu.VMEM((16,), jnp.int32)],
        name="reverse",
    )
    def reverse(x: Any, out: Any, held: Any) -> None:
        pltpu.sync_copy(x, held)
        plsc.store_scatter(held, [15 - jax.lax.iota(jnp.int32, 16)], held[...])
        pltpu.sync_copy(held, out)

    (found,) = warnings_of(reverse, jnp.arange(16))
    assert "a scatter into VMEM in a kernel with layout passes" in str(found.message)

"""Kernels that JAX lowers to invalid ops: the error names the user's line, and what was found."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import sdykit.sparsecore as sc
from sdykit.bridge.errors import BridgeError
from support.pallas.kernels import one_subcore

ADVICE = (
    "expected the same shape and dtype on both sides: slice one with .at[...], or change the scratch or"
    " the out_type"
)


@pytest.fixture(autouse=True)
def _chip() -> Iterator[None]:
    sc.configure("7x")
    yield
    sc.configure()


def error_of(body: Any, scratch: Any, out: Any) -> str:
    """Return the error about a kernel, with line numbers that count from that of its function."""
    kernel = pl.kernel(out_type=out, mesh=one_subcore(), scratch_types=[scratch], name="wrong")(
        body
    )
    with pytest.raises(BridgeError) as raised:
        jax.jit(kernel).lower(jnp.ones((16, 16)))
    start, text = "kernel 'wrong': test_invalid_ops.py:", str(raised.value)
    assert text.startswith(start)
    line, _, rest = text.removeprefix(start).partition(": ")
    return f"{int(line) - inspect.getsourcelines(body)[1]}: {rest}"


def test_dma_of_another_shape() -> None:
    def body(x: Any, out: Any, held: Any) -> None:
        pltpu.sync_copy(x.at[pl.ds(0, 2)], held)
        pltpu.sync_copy(held, out.at[pl.ds(0, 1)])

    found = error_of(
        body, pltpu.VMEM((2, 16), jnp.float32), jax.ShapeDtypeStruct((16, 16), jnp.float32)
    )
    assert found == f"2: a DMA from f32[2,16] in VMEM to f32[1,16] in HBM; {ADVICE}"


def test_dma_of_another_dtype_in_a_loop() -> None:
    def body(x: Any, out: Any, held: Any) -> None:
        @pl.loop(0, 16)
        def _(row: Any) -> None:
            pltpu.sync_copy(x.at[row], held)

        pltpu.sync_copy(held, out.at[0])

    found = error_of(body, pltpu.VMEM((16,), jnp.int32), jax.ShapeDtypeStruct((16, 16), jnp.int32))
    assert found == f"3: a DMA from f32[16] in HBM to i32[16] in VMEM; {ADVICE}"


def test_another_invalid_op() -> None:
    def body(x: Any, out: Any, held: Any) -> None:
        pltpu.sync_copy(x, out)
        held[...] = jnp.ones(16, bool)

    found = error_of(
        body, pltpu.VMEM((16,), jnp.bool_), jax.ShapeDtypeStruct((16, 16), jnp.float32)
    )
    assert found.startswith("2: Pallas makes an invalid op of this line: 'tpu.vector_load' op ")
    assert found.endswith(
        " (memref<16xi32, #tpu.memory_space<vmem>>, index) -> (vector<16xi1>); expected other shapes or"
        " dtypes of what it uses"
    )


def test_what_jax_refuses_itself() -> None:
    def body(x: Any, out: Any, held: Any) -> None:
        held[...] = x[0]
        pltpu.sync_copy(x, out)

    kernel = pl.kernel(
        out_type=jax.ShapeDtypeStruct((16, 16), jnp.float32),
        mesh=one_subcore(),
        scratch_types=[pltpu.VMEM((16,), jnp.float32)],
    )(body)
    with pytest.raises(NotImplementedError, match="does not support loading from HBM"):
        jax.jit(kernel).lower(jnp.ones((16, 16)))

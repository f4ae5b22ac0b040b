"""`pl.debug_print` in kernels: the same lines in all engines, in the order of runs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import sdykit.sparsecore as sc
from sdykit.sparsecore.mosaic.compile import fallbacks
from support.pallas.kernels import vector_mesh

MODES = ("reference", "check", "fast")
PARAMS = pltpu.CompilerParams(needs_layout_passes=False)


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> Iterator[str]:
    sc.configure("7x", pallas=request.param)
    known = sum(each.count for each in fallbacks())
    yield request.param
    sc.configure()
    assert sum(each.count for each in fallbacks()) == known, fallbacks()[-1]


def printing(body: Callable[..., None], x: Any, subcores: int = 1) -> Any:
    """Return a kernel that copies its operand to VMEM, and prints."""

    @functools.partial(
        pl.kernel,
        out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
        mesh=vector_mesh(num_cores=1, num_subcores=subcores),
        scratch_types=[pltpu.VMEM(x.shape, x.dtype)],
        compiler_params=PARAMS,
    )
    def printing(x: Any, out: Any, held: Any) -> None:
        pltpu.sync_copy(x, held)
        body(x, held)
        pltpu.sync_copy(held, out)

    return printing


def lines_of(
    capfd: pytest.CaptureFixture[str], body: Callable[..., None], x: Any, subcores: int = 1
) -> Sequence[str]:
    """Return what a kernel prints."""
    found = jax.jit(printing(body, x, subcores))(x)
    assert np.asarray(found).tobytes() == np.asarray(x).tobytes()
    return [line for line in capfd.readouterr().err.splitlines() if line[:6] == "vector"]


def test_texts_scalars_and_vectors(mode: str, capfd: pytest.CaptureFixture[str]) -> None:
    def body(x: Any, held: Any) -> None:
        del x
        subcore = jax.lax.axis_index("subcore")
        pl.debug_print("a text, with ü and more than eight bytes")
        pl.debug_print("subcore", subcore)
        pl.debug_print("sum", held[...][0] + subcore.astype(jnp.float32))
        pl.debug_print("vector", held[...])
        pl.debug_print("is positive", held[...] > 0)

    x = np.linspace(-1, 1, 16, dtype=np.float32)
    lines = lines_of(capfd, body, x, subcores=2)
    assert len(lines) == 10, mode
    for subcore in range(2):
        start = f"vector subcore (0, {subcore}): "
        assert [line.removeprefix(start) for line in lines if line.startswith(start)] == [
            "a text, with ü and more than eight bytes",
            f"subcore: i32 {subcore}",
            f"sum: f32 {np.float32(-1 + subcore)}",
            f"vector: vector<16xf32> [{', '.join(str(each) for each in x)}]",
            f"is positive: vector<16xi1> [{', '.join(str(int(each)) for each in x > 0)}]",
        ]


def test_numbers_are_written_as_short_as_they_can_be_read(
    mode: str, capfd: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(7)
    x = rng.integers(-(2**31), 2**31, (64, 16)).astype(np.int32).view(np.float32)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-4, 9.999e-5, 1e16, 9.99e15, 1e-45, 3e38]
    x[0, : len(special)] = special
    x[1:20] = rng.normal(size=(19, 16)) * 10.0 ** rng.integers(-6, 18, (19, 16))
    (line,) = lines_of(capfd, lambda x, held: pl.debug_print("all", held), x)
    rows = [f"[{', '.join(str(each) for each in row)}]" for row in x]
    assert line == f"vector subcore (0, 0): all: 64x16xf32 [{', '.join(rows)}]", mode


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float16, jnp.int8, jnp.int32])
def test_arrays_in_memory(mode: str, dtype: Any, capfd: pytest.CaptureFixture[str]) -> None:
    x = np.arange(-32, 32).reshape(1, 64).astype(dtype)
    names = {"bfloat16": "bf16", "float16": "f16", "int8": "i8", "int32": "i32"}
    (line,) = lines_of(capfd, lambda x, held: pl.debug_print("x", x), x)
    numbers = ", ".join(
        str(each) for each in x[0].astype(np.float32 if x.dtype.kind != "i" else int)
    )
    text = f"x: 1x64x{names[np.dtype(dtype).name]} [[{numbers}]]"
    assert line == f"vector subcore (0, 0): {text}", mode
    assert ml_dtypes.bfloat16(x[0, 0]) == -32


@pytest.mark.parametrize("mode", ["reference", "check"], indirect=True)
def test_what_a_transfer_writes_is_not_printed_before_it_is_done(mode: str) -> None:
    x = jnp.zeros(16)

    @functools.partial(
        pl.kernel,
        out_type=jax.ShapeDtypeStruct((16,), jnp.float32),
        mesh=vector_mesh(num_cores=1, num_subcores=1),
        scratch_types=[pltpu.VMEM((16,), jnp.float32), pltpu.SemaphoreType.DMA],
    )
    def early(x: Any, out: Any, held: Any, semaphore: Any) -> None:
        copied = pltpu.make_async_copy(x, held, semaphore)
        copied.start()
        pl.debug_print("held", held)
        copied.wait()
        pltpu.sync_copy(held, out)

    with pytest.raises(
        jax.errors.JaxRuntimeError, match=r"reads scratch 0 at test_printing\.py"
    ) as e:
        jax.block_until_ready(jax.jit(early)(x))
    assert "while a DMA writes it" in str(e.value), mode

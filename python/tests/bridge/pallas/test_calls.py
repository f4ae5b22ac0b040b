"""Kernels in JAX programs: types of arrays, buffers, transformations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc

import sdykit.sparsecore as sc
from support.pallas.engines import assert_engines_agree
from support.pallas.kernels import Kernel, add_one, copy, one_subcore, vector_mesh


@pytest.fixture(autouse=True)
def _chip() -> Iterator[None]:
    sc.configure("7x")
    yield
    sc.configure()


@pytest.mark.parametrize(
    "dtype",
    [
        *("float32", "bfloat16", "float16", "float8_e5m2", "int32", "uint32", "int16", "int8"),
        *("uint8", "int4", "uint4", "bool"),
    ],
)
def test_arrays_of_all_types(dtype: str) -> None:
    values = np.random.default_rng(0).integers(0, 2 if dtype == "bool" else 8, (8, 16))
    given = jnp.asarray(values, dtype)
    found = jax.jit(copy(given.shape, given.dtype))(given)
    assert found.dtype == dtype
    np.testing.assert_array_equal(np.asarray(found, "float32"), values)


def test_negative_int4() -> None:
    given = jnp.asarray(np.arange(-8, 8), "int4")
    found = jax.jit(copy(given.shape, given.dtype))(given)
    np.testing.assert_array_equal(np.asarray(found, "int32"), np.arange(-8, 8))


def test_empty_arrays() -> None:
    @pl.kernel(
        out_type=jax.ShapeDtypeStruct((16,), jnp.float32),
        mesh=one_subcore(),
        scratch_types=[pltpu.VMEM((16,), jnp.float32)],
    )
    def fill(empty: Any, out: Any, held: Any) -> None:
        del empty
        held[...] = jnp.full((16,), 3.0)
        pltpu.sync_copy(held, out)

    np.testing.assert_array_equal(jax.jit(fill)(jnp.ones((0, 4))), np.full(16, 3.0))
    assert jax.jit(copy((0, 16)))(jnp.ones((0, 16))).shape == (0, 16)


def test_without_jit() -> None:
    np.testing.assert_array_equal(add_one()(jnp.zeros(16)), np.ones(16))


def test_in_a_scan() -> None:
    step = add_one()
    run = jax.jit(lambda x: jax.lax.scan(lambda held, _: (step(held), held[0]), x, length=5))
    last, firsts = run(jnp.zeros(16))
    np.testing.assert_array_equal(last, np.full(16, 5.0))
    np.testing.assert_array_equal(firsts, np.arange(5.0))


def test_with_a_gradient_of_its_own() -> None:
    forward = copy((16,))
    function = jax.custom_vjp(forward)
    function.defvjp(lambda x: (forward(x), None), lambda _, g: (add_one()(g),))
    found = jax.jit(jax.grad(lambda x: function(x).sum()))(jnp.zeros(16))
    np.testing.assert_array_equal(found, np.full(16, 2.0))


def test_jax_refuses_vmap() -> None:
    with pytest.raises(NotImplementedError, match="only supports batching with a batch dimension"):
        jax.vmap(copy((16,)))(jnp.ones((2, 16)))


def test_vmap_over_one() -> None:
    x = np.arange(16, dtype=np.float32)[None]
    np.testing.assert_array_equal(jax.vmap(copy((16,)))(x), x)


def test_numbers_that_a_kernel_closes_over() -> None:
    def function(x: Any, factor: Any, shift: Any) -> Any:
        @pl.kernel(
            out_type=jax.ShapeDtypeStruct((16,), jnp.float32),
            mesh=one_subcore(),
            scratch_types=[pltpu.VMEM((16,), jnp.float32)],
        )
        def scale(x: Any, out: Any, held: Any) -> None:
            pltpu.sync_copy(x, held)
            held[...] = held[...] * factor + shift
            pltpu.sync_copy(held, out)

        called: Kernel = scale
        return called(x)

    x = np.arange(16, dtype=np.float32)
    found = jax.jit(function)(x, jnp.float32(3), jnp.float32(0.5))
    np.testing.assert_array_equal(found, x * 3 + 0.5)


def update(x: Any) -> Any:
    """Return an array with 1 added in its first 16 elements, in place."""
    held = jax.new_ref(x)

    @pl.core_map(one_subcore())
    def _() -> None:
        def add(register: Any) -> None:
            pltpu.sync_copy(held.at[pl.ds(0, 16)], register)
            register[...] = register[...] + 1
            pltpu.sync_copy(register, held.at[pl.ds(0, 16)])

        pl.run_scoped(add, pltpu.VMEM((16,), jnp.float32))

    return held[...]


def test_references_are_changed_in_place() -> None:
    given = jnp.zeros(32)
    expected = np.repeat([1.0, 0.0], 16)
    np.testing.assert_array_equal(jax.jit(update)(given), expected)
    np.testing.assert_array_equal(
        given, np.zeros(32)
    )  # It is used after the call: a copy was changed.
    address = given.unsafe_buffer_pointer()
    found = jax.jit(update, donate_argnums=0)(given)
    assert found.unsafe_buffer_pointer() == address
    np.testing.assert_array_equal(found, expected)


def test_a_semaphore_is_passed_from_a_call_to_the_next() -> None:
    mesh = plsc.ScalarSubcoreMesh(axis_name="core", num_cores=1)

    @pl.kernel(
        out_type=(jax.ShapeDtypeStruct((16,), jnp.float32), pltpu.SemaphoreType.DMA(())), mesh=mesh
    )
    def start(x: Any, out: Any, semaphore: Any) -> None:
        pltpu.make_async_copy(x, out, semaphore).start()

    @pl.kernel(out_type=jax.ShapeDtypeStruct((16,), jnp.float32), mesh=mesh)
    def wait(x: Any, semaphore: Any, out: Any) -> None:
        pltpu.make_async_copy(x, x, semaphore).wait()
        pltpu.sync_copy(x, out)

    x = np.arange(16, dtype=np.float32)
    first: Kernel = start
    second: Kernel = wait
    assert_engines_agree(lambda x: second(*first(x)), [x], [x])


def test_several_meshes_share_arrays() -> None:
    vectors = vector_mesh(num_cores=1, num_subcores=2)
    scalars = plsc.ScalarSubcoreMesh(axis_name="core", num_cores=1)
    from jax._src.pallas import mpmd

    def on_vectors(x: Any, out: Any) -> None:
        at = pl.ds(8 * jax.lax.axis_index("subcore"), 8)
        pltpu.sync_copy(x.at[at], out.at[at])

    def on_scalars(x: Any, out: Any) -> None:
        pltpu.sync_copy(x.at[pl.ds(16, 16)], out.at[pl.ds(16, 16)])

    both = mpmd.mpmd_map(
        [(vectors, on_vectors), (scalars, on_scalars)],
        out_types=jax.ShapeDtypeStruct((32,), jnp.float32),
    )
    x = np.arange(32, dtype=np.float32)
    np.testing.assert_array_equal(jax.jit(both)(x), x)


def test_a_tensor_core_beside_is_an_error() -> None:
    from jax._src.pallas import mpmd

    def do_nothing(out: Any) -> None:
        del out

    meshes = (vector_mesh(), pltpu.create_tensorcore_mesh("tensor_core", num_cores=1))
    both = mpmd.mpmd_map(
        [(mesh, do_nothing) for mesh in meshes], out_types=pltpu.HBM((32,), jnp.float32)
    )
    with pytest.raises(NotImplementedError, match=r"^TensorCore kernels beside SparseCore kernels"):
        jax.jit(both)()


def test_tensor_core_kernels_are_those_of_jax() -> None:
    def double(x: Any, out: Any) -> None:
        out[...] = x[...] * 2

    def run() -> Any:
        call = pl.pallas_call(double, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32))
        return jax.jit(call)(jnp.ones((8, 128)))

    with pytest.raises(ValueError, match="Only interpret mode is supported on CPU backend"):
        run()
    with pltpu.force_tpu_interpret_mode():
        np.testing.assert_array_equal(run(), np.full((8, 128), 2))


def test_debug_prints_the_module(capsys: pytest.CaptureFixture[str]) -> None:
    jax.jit(add_one(debug=True, name="renamed")).lower(jnp.zeros(16))
    printed = capsys.readouterr().out
    assert "The Mosaic module of kernel renamed:\n" in printed
    assert "func.func @renamed(" in printed


@pytest.mark.parametrize("has_side_effects", [False, True])
def test_a_kernel_with_side_effects_runs_though_nothing_needs_it(has_side_effects: bool) -> None:
    params = pltpu.CompilerParams(has_side_effects=has_side_effects)
    kernel = add_one(compiler_params=params)
    compiled = jax.jit(lambda x: (kernel(x), x)[1]).lower(jnp.zeros(16)).compile()
    assert ("sdykit_sparsecore" in str(compiled.as_text())) == has_side_effects

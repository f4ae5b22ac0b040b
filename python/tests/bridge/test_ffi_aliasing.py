"""Arguments that results alias: in place if they may be, copied if they must be."""

from __future__ import annotations

import json
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sdykit.bridge import ffi
from support.bridge.ffi_programs import ADD_ROWS

IDS = np.array([0, 2], np.int32)
ROWS = 1 << 16
TABLE_BYTES = ROWS * 8 * 4


def add_rows(table: jax.Array, ids: jax.Array | np.ndarray = IDS) -> jax.Array:
    return ffi.call(ADD_ROWS, [table, ids], [table], input_output_aliases={0: 0})[0]


def new_table() -> tuple[jax.Array, np.ndarray]:
    """Return a new table, and the table after adding `IDS`."""
    table = np.random.default_rng(0).normal(size=(ROWS, 8)).astype(np.float32)
    expected = table.copy()
    expected[IDS] += np.float32(1)
    return jnp.array(table), expected


def temporary_bytes(function: Callable[..., object], *args: object, donate: bool = True) -> int:
    compiled = jax.jit(function, donate_argnums=0 if donate else ()).lower(*args).compile()
    analysis = compiled.memory_analysis()
    assert analysis is not None
    return analysis.temp_size_in_bytes


def test_a_donated_table_is_updated_in_place() -> None:
    table, expected = new_table()
    place = table.unsafe_buffer_pointer()
    run = jax.jit(add_rows, donate_argnums=0)
    table = run(table, IDS)
    assert table.unsafe_buffer_pointer() == place
    np.testing.assert_array_equal(table, expected)
    assert temporary_bytes(add_rows, table, IDS) == 0


def test_a_table_that_is_not_donated_is_not_changed() -> None:
    table, expected = new_table()
    before = np.array(table)
    got = jax.jit(add_rows)(table)
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(table, before)
    np.testing.assert_array_equal(add_rows(table), expected)
    np.testing.assert_array_equal(table, before)


def test_a_table_that_is_used_after_the_call_is_copied() -> None:
    def both(table: jax.Array) -> tuple[jax.Array, jax.Array]:
        return add_rows(table), table * 2

    table, expected = new_table()
    before = np.array(table)
    new, old = jax.jit(both, donate_argnums=0)(table)
    np.testing.assert_array_equal(new, expected)
    np.testing.assert_array_equal(old, before * 2)


def test_a_read_that_the_update_waits_for_copies_nothing() -> None:
    def step(table: jax.Array, ids: jax.Array) -> tuple[jax.Array, jax.Array]:
        sample = table[ids].sum(axis=0)
        return add_rows(table, jnp.where(sample[0] < jnp.inf, ids, 0)), sample

    table, expected = new_table()
    before = np.array(table)
    assert temporary_bytes(step, table, jnp.array(IDS)) < TABLE_BYTES // 100
    new, sample = jax.jit(step, donate_argnums=0)(table, IDS)
    np.testing.assert_array_equal(new, expected)
    np.testing.assert_allclose(sample, before[IDS].sum(axis=0), rtol=1e-6)


def test_updates_in_a_loop_copy_nothing() -> None:
    def steps(table: jax.Array) -> jax.Array:
        return jax.lax.fori_loop(0, 5, lambda _, table: add_rows(table), table)

    table, _ = new_table()
    expected = np.array(table)
    for _ in range(5):
        expected[IDS] += np.float32(1)
    assert temporary_bytes(steps, table) < TABLE_BYTES // 100
    np.testing.assert_array_equal(jax.jit(steps, donate_argnums=0)(table), expected)


SHIFT = """
func.func @shift(%x: memref<?xf32>, %by: memref<?xf32>) attributes {sparsecore.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %last = arith.subi %n, %c1 : index
  scf.parallel (%k) = (%c0) to (%c1) step (%c1) {
    scf.for %i = %c0 to %n step %c1 {
      %j = arith.subi %last, %i : index
      %a = memref.load %x[%i] : memref<?xf32>
      %b = memref.load %by[%j] : memref<?xf32>
      %c = arith.addf %a, %b : f32
      memref.store %c, %x[%i] : memref<?xf32>
    }
  }
  return
}
"""
"""x += reversed(by): wrong if the two share memory"""


@pytest.mark.parametrize("donate", [False, True])
def test_one_array_may_be_two_arguments(donate: bool) -> None:
    def shift(x: jax.Array) -> jax.Array:
        return ffi.call(SHIFT, [x, x], [x], input_output_aliases={0: 0})[0]

    x = np.arange(100, dtype=np.float32)
    got = jax.jit(shift, donate_argnums=0 if donate else ())(jnp.array(x))
    np.testing.assert_array_equal(got, np.full(100, 99, np.float32))


def test_an_alias_that_xla_does_not_know_is_copied() -> None:
    call = {"arrays": [2, 1], "aliases": [[0, 0]]}
    spec = {"version": 1, "kind": "tile", "program": ADD_ROWS, **call}

    def apart(table: jax.Array) -> jax.Array:
        shape = jax.ShapeDtypeStruct(table.shape, table.dtype)
        return jax.ffi.ffi_call(ffi.TARGET, shape)(table, IDS, spec=json.dumps(spec))

    table, expected = new_table()
    before = np.array(table)
    np.testing.assert_array_equal(jax.jit(apart)(table), expected)
    np.testing.assert_array_equal(table, before)


def test_several_aliases_may_be_in_any_order() -> None:
    text = """
    func.func @swap(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>, %d: memref<4xf32>)
        attributes {sparsecore.entry} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
        %x = memref.load %a[%i] : memref<4xf32>
        %y = memref.load %b[%i] : memref<4xf32>
        %z = memref.load %c[%i] : memref<4xf32>
        memref.store %z, %a[%i] : memref<4xf32>
        memref.store %x, %c[%i] : memref<4xf32>
        memref.store %y, %d[%i] : memref<4xf32>
      }
      return
    }"""

    def swap(a: jax.Array, b: jax.Array, c: jax.Array) -> tuple[jax.Array, ...]:
        return ffi.call(text, [a, b, c], [a] * 3, input_output_aliases={0: 2, 2: 0})

    got = jax.jit(swap)(*(jnp.full(4, k, jnp.float32) for k in (1, 2, 3)))
    # Result 2 is the buffer of a, result 0 that of c, result 1 a new one.
    assert [float(each[0]) for each in got] == [1, 2, 3]


def test_jax_refuses_an_alias_of_another_shape() -> None:
    with pytest.raises(ValueError, match="referring to an input with abstract value"):
        ffi.call(ADD_ROWS, [jnp.ones((4, 8)), IDS], [IDS], input_output_aliases={0: 0})

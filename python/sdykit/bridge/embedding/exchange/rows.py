"""Programs that copy rows to and from the arrays that are sent."""

from __future__ import annotations

from functools import cache

import jax

from sdykit.bridge import ffi

_TYPES = {"float32": "f32", "bfloat16": "bf16", "int8": "i8", "int32": "i32"}

_COPY = """
func.func @copy_rows(%numbers: memref<?xi32> {{sparsecore.name = "numbers", sparsecore.work = 64 : i64}},
                     %{first}: memref<?x?x{type}> {{sparsecore.name = "{first}"}},
                     %{second}: memref<?x?x{type}> {{sparsecore.name = "{second}"}})
    attributes {{sparsecore.entry}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %size = memref.dim %numbers, %c0 : memref<?xi32>
  %dim = memref.dim %to, %c1 : memref<?x?x{type}>
  scf.parallel (%i) = (%c0) to (%size) step (%c1) {{
    %number = memref.load %numbers[%i] : memref<?xi32>
    %is_row = arith.cmpi sge, %number, %none : i32
    scf.if %is_row {{
      %row = arith.index_cast %number : i32 to index
      %one_from = memref.subview %from[{read}, 0] [1, %dim] [1, 1]
        : memref<?x?x{type}> to memref<1x?x{type}, strided<[?, 1], offset: ?>>
      %one_to = memref.subview %to[{written}, 0] [1, %dim] [1, 1]
        : memref<?x?x{type}> to memref<1x?x{type}, strided<[?, 1], offset: ?>>
      memref.copy %one_from, %one_to
        : memref<1x?x{type}, strided<[?, 1], offset: ?>> to memref<1x?x{type}, strided<[?, 1], offset: ?>>
    }}
  }}
  return
}}
"""


@cache
def _program(dtype: str, *, is_gather: bool) -> str:
    arrays = {"first": "from", "second": "to"} if is_gather else {"first": "to", "second": "from"}
    places = ("%row", "%i") if is_gather else ("%i", "%row")
    return _COPY.format(type=_TYPES[dtype], read=places[0], written=places[1], **arrays)


def gather_rows(rows: jax.Array, numbers: jax.Array) -> jax.Array:
    """Return the rows of these numbers, `[numbers, dim]`; what a negative number has is not defined.

    Args:
        rows: `[rows, dim]`.
        numbers: int32 `[numbers]`, each below the number of rows.
    """
    shape = jax.ShapeDtypeStruct((numbers.shape[0], rows.shape[1]), rows.dtype)
    program = _program(str(rows.dtype), is_gather=True)
    (found,) = ffi.call(program, [numbers, rows], [shape])
    return found


def scatter_rows(found: jax.Array, numbers: jax.Array, rows: jax.Array) -> jax.Array:
    """Return `rows` with rows of these numbers replaced by those of `found`, in place.

    Args:
        found: `[numbers, dim]`.
        numbers: int32 `[numbers]`, distinct ones below the number of rows; negative: the row of
            `found` is not used.
        rows: `[rows, dim]`.
    """
    program = _program(str(rows.dtype), is_gather=False)
    (placed,) = ffi.call(program, [numbers, rows, found], [rows], input_output_aliases={1: 0})
    return placed
